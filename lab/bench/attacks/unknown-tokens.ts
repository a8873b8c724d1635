/** A stranger sends tokens of sandboxes that do not exist, and reads each response. */
import { generateToken } from '../../../src/auth/token.ts';
import type { Attack } from './attack.ts';

const CONNECTIONS = 32;
/** Requests in one write. */
const TOGETHER = 20;
const TOKENS = 20_000;

/** `wellFormed`: whether the checksum of the tokens is right. A wrong checksum needs no look-up. */
export function unknownTokens(wellFormed: boolean): Attack {
  return {
    row: 3,
    only: 'postgres',
    does: `${CONNECTIONS} connections pipeline unknown tokens, with a ${wellFormed ? 'right' : 'wrong'} checksum`,
    async prepare(client) {
      const tokens = Array.from({ length: TOKENS }, () => {
        const token = generateToken('pss_');
        return wellFormed ? token : `${token.slice(0, -6)}${token.slice(4, 10)}`;
      });
      const { host } = new URL(client.url);
      let sent = 0;
      // A wrong path gets its response without a look-up. An observer may still look up the token.
      const request = (path: string) => {
        const token = tokens[sent++ % TOKENS];
        const from = `X-Forwarded-For: ${client.address}`;
        return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${from}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      };
      const next = (lane: number) => () =>
        Array.from({ length: TOGETHER }, () => request(lane % 4 === 0 ? '/plants' : '/nope')).join('');
      return (signal) =>
        Promise.all(Array.from({ length: CONNECTIONS }, (_, lane) => client.pipeline(next(lane), signal)));
    },
  };
}
