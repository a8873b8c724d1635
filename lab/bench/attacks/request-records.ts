/** The record of a sandbox keeps header fields. Many short fields take more memory than characters. */
import { type Attack, createSandboxes, repeat } from './attack.ts';

const SANDBOXES = 500;
const FIELDS = 'ab:\r\n'.repeat(97);

export const records: Attack = {
  row: 6,
  does: `requests with 100 header fields to ${SANDBOXES} sandboxes of ten addresses, and reading 16 records`,
  async prepare(client) {
    const addressOf = (i: number) => client.address.replace(/\d+$/, String(1 + (i % 10)));
    const tokens = await createSandboxes(client, SANDBOXES, {}, addressOf);
    const { host } = new URL(client.url);
    let sent = 0;
    const next = () => {
      const at = sent++ % SANDBOXES;
      const known = `X-Forwarded-For: ${addressOf(at)}\r\nAuthorization: Bearer ${tokens[at % tokens.length]}`;
      return `GET /plants/1 HTTP/1.1\r\nHost: ${host}\r\n${known}\r\n${FIELDS}\r\n`;
    };
    return (signal) =>
      Promise.all([
        ...Array.from({ length: 16 }, () => client.pipeline(next, signal)),
        repeat(16, signal, (lane) => {
          const token = tokens[lane % tokens.length] ?? '';
          return client.send({ path: '/sandbox/requests', token, address: addressOf(lane), signal });
        }),
      ]);
  },
};
