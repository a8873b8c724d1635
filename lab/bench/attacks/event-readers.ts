/** Streams and waiting requests hold places, and each change is stored as an event and wakes its readers. */
import { type Attack, createSandboxes, repeat, WIDE } from './attack.ts';
import type { Client } from './counting-client.ts';

const SANDBOXES = 50;
/** Together about as many as an address may have. */
const STREAMS = 125;
const WAITING = 125;
const WRITERS = 16;

export const events: Attack = {
  row: 11,
  does:
    `${STREAMS} streams and ${WAITING} waiting requests of ${SANDBOXES} sandboxes, ` +
    `and ${WRITERS} clients that replace plants`,
  options: ['--events'],
  async prepare(client) {
    const tokens = await createSandboxes(client, SANDBOXES);
    await Promise.all(
      tokens.map((token) => client.send({ method: 'POST', path: '/plants', token, body: { id: 1, name: '' } })),
    );
    // Nothing changes in the sandboxes whose events the requests wait for.
    const half = tokens.length / 2;
    const readers = await Promise.all(tokens.slice(half).map((token) => readerOf(client, token)));
    let writes = 0;
    return (signal) =>
      Promise.all([
        repeat(STREAMS, signal, (lane) => {
          const headers = { Accept: 'text/event-stream' };
          return client.send({ path: '/events?after=latest', token: tokens[lane % half] ?? '', headers, signal });
        }),
        repeat(WAITING, signal, (lane) => client.send({ ...(readers[lane % half] ?? { path: '/events' }), signal })),
        repeat(WRITERS, signal, () => {
          const body = { name: `${WIDE.slice(0, -20)}${++writes}`, tag: WIDE };
          return client.send({ method: 'PUT', path: '/plants/1', token: tokens[writes % half] ?? '', body, signal });
        }),
      ]);
  },
};

/** A request that waits for the next event of a sandbox. */
export async function readerOf(
  client: Client,
  token: string,
): Promise<{ readonly path: string; readonly token: string }> {
  const { text } = await client.send({ path: '/events', token });
  const last = /.*"id":"([\w-]{40})"/.exec(text)?.[1] ?? '';
  return { path: `/events?after=${last}&wait=30`, token };
}
