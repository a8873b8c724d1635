/** A stranger without a token sends short requests on many connections, and does not wait for the responses. */
import type { Attack } from './attack.ts';

const CONNECTIONS = 400;
const REQUEST = 'GET /nope HTTP/1.1\r\nHost:\r\n\r\n';
/** Requests in one write, which Node parses together. */
const TOGETHER = Math.floor(65_536 / REQUEST.length);

export const pipelines: Attack = {
  row: 10,
  does: `${CONNECTIONS} connections pipeline short requests without a token`,
  async prepare(client) {
    const next = () => REQUEST.repeat(TOGETHER);
    return (signal) => Promise.all(Array.from({ length: CONNECTIONS }, () => client.pipeline(next, signal)));
  },
};
