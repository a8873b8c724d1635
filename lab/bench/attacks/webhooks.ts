/** Webhooks hold messages and connections, and each change of a webhook ends its worker and starts another. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Attack, createSandboxes, repeat } from './attack.ts';

const STORES = 1_000;
const WEBHOOKS = 10;
/** An address may create 60 sandboxes a minute. */
const ADDRESSES = 20;
/** How many webhooks are created at the same time. */
const TOGETHER = 200;
/** How many clients do the same. */
const CLIENTS = 16;
/** How long a client waits for the result of a test, in milliseconds. */
const STAY_MS = 50;
/** These characters take one byte in the database and six bytes in a message. */
const LONG = '\u0001'.repeat(1_000);

interface Hook {
  readonly id: string;
  readonly as: { readonly token: string; readonly address: string };
}

/** Starts a server that accepts connections and never responds. Returns its URL. */
async function startTarpit(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

export const webhooks: Attack = {
  row: 14,
  does: `${STORES} sandboxes with ${WEBHOOKS} webhooks each, which clients test, change, delete and read`,
  options: ['--events', '--webhooks', '--webhook-allow', '127.0.0.0/8'],
  async prepare(client) {
    const addressOf = (i: number) => `198.18.0.${1 + (i % ADDRESSES)}`;
    const tokens = await createSandboxes(client, STORES, {}, addressOf);
    const stores = tokens.map((token, i) => ({ token, address: addressOf(i) }));
    // To a tarpit, to an inbox, and to the service itself: POST /sandboxes needs no token.
    const urls = [await startTarpit(), undefined, `${client.url}/sandboxes`];
    const create = async (as: Hook['as'], i: number): Promise<Hook | undefined> => {
      const body = { url: urls[i % urls.length] };
      const { status, text } = await client.send({ method: 'POST', path: '/webhooks', ...as, body });
      return status === 201 ? { id: (JSON.parse(text) as { id: string }).id, as } : undefined;
    };
    const wanted = Array.from({ length: WEBHOOKS }, () => stores).flat();
    const hooks: Hook[] = [];
    for (let at = 0; at < wanted.length; at += TOGETHER) {
      const some = await Promise.all(wanted.slice(at, at + TOGETHER).map((as, i) => create(as, i)));
      hooks.push(...some.filter((hook) => hook !== undefined));
    }
    const plant = { id: 1, name: LONG, tag: LONG };
    await Promise.all(stores.map((as) => client.send({ method: 'POST', path: '/plants', ...as, body: plant })));

    let [writes, tests, changes, reads] = [0, 0, 0, 0];
    const write = (signal: AbortSignal) => {
      const as = stores[writes++ % stores.length];
      const body = { name: `${LONG}${writes}`, tag: LONG };
      return client.send({ method: 'PUT', path: '/plants/1', ...as, body, signal });
    };
    const hookAt = (i: number) => hooks[i % hooks.length] as Hook;
    const testAndLeave = (signal: AbortSignal) => {
      const { id, as } = hookAt(tests++);
      const leaving = AbortSignal.any([signal, AbortSignal.timeout(STAY_MS)]);
      return client.send({ method: 'POST', path: `/webhooks/${id}/test`, ...as, signal: leaving });
    };
    const change = async (signal: AbortSignal) => {
      const at = changes++ % hooks.length;
      const { id, as } = hookAt(at);
      const sent = { ...as, signal };
      await client.send({ ...sent, method: 'POST', path: `/webhooks/${id}/secret` });
      await client.send({ ...sent, method: 'PUT', path: `/webhooks/${id}/cursor`, body: { after: 'oldest' } });
      await client.send({ ...sent, method: 'PUT', path: `/webhooks/${id}`, body: { url: urls[at % urls.length] } });
      await client.send({ ...sent, method: 'DELETE', path: `/webhooks/${id}` });
      if (!signal.aborted) hooks[at] = (await create(as, at)) ?? hookAt(at);
    };
    const read = async (signal: AbortSignal) => {
      const { id, as } = hookAt(reads++);
      await client.send({ path: '/webhooks', ...as, signal });
      await client.send({ path: `/webhooks/${id}`, ...as, signal });
      await client.send({ path: `/webhooks/${id}/deliveries?limit=100`, ...as, signal });
    };
    return (signal) =>
      Promise.all([write, testAndLeave, change, read].map((step) => repeat(CLIENTS, signal, () => step(signal))));
  },
};
