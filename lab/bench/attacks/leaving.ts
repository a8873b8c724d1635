/** Clients request the longest responses, waits and long work, and leave. The service then works for nobody. */
import { Agent, createServer, request as forward, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, createEvents, createFilled, createSandboxes, repeat, WIDE } from './attack.ts';
import { readerOf } from './event-readers.ts';

const CONNECTIONS = 32;
const SANDBOXES = 4;
/** How long a client stays, in milliseconds. */
const STAY_MS = 20;

const leave = {
  FIN: (socket: Socket) => socket.destroySoon(),
  RST: (socket: Socket) => socket.resetAndDestroy(),
  /** The proxy closes its own connection to the service once its client has left. */
  proxy: (socket: Socket) => socket.destroySoon(),
} as const;

/** The tokens of the attacker's sandboxes, by what the sandboxes contain. */
interface Tokens {
  /** The maximum number of events, all of them as long as possible. */
  readonly events: readonly string[];
  /** As many of the longest plants as fit, and a snapshot of them. */
  readonly plants: string;
  readonly waiting: { readonly token: string; readonly path: string };
}

interface Visit {
  readonly line: string;
  readonly token: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Each kind of request that is long, that waits, or that the service performs in pieces. */
function visits({ events, plants, waiting }: Tokens): readonly Visit[] {
  const type = { 'Content-Type': 'application/json' };
  const ofEvents = (token: string): readonly Visit[] => [
    { line: 'GET /events?limit=250', token },
    { line: 'HEAD /events?limit=250', token },
    { line: 'GET /events?limit=20', token },
    { line: 'GET /events', token, fields: { Accept: 'text/event-stream' } },
    { line: 'GET /events', token, fields: { Accept: 'application/jsonl', Fault: 'slow;rate=1' } },
    { line: 'PUT /plants/1', token, fields: type, body: JSON.stringify({ name: WIDE, tag: WIDE }) },
    { line: 'GET /sandbox/requests', token },
  ];
  return [
    ...events.flatMap(ofEvents),
    { line: `GET ${waiting.path}`, token: waiting.token },
    { line: 'GET /plants?limit=1000', token: plants },
    { line: 'GET /plants?limit=1000', token: plants, fields: { Fault: 'delay;ms=30000;when=afterCommit' } },
    { line: 'GET /plants?limit=1000', token: plants, fields: { Fault: 'delay;ms=30000;leave=continue' } },
    { line: 'GET /sandbox/plants', token: plants },
    { line: 'POST /sandbox/snapshots', token: plants },
    { line: 'POST /sandbox/reset?snapshot=1', token: plants },
  ];
}

export const leaving = (how: keyof typeof leave): Attack => ({
  row: 13,
  does: `${CONNECTIONS} connections send each kind of long request and leave after ${STAY_MS} ms (${how})`,
  options: ['--events'],
  async prepare(client) {
    const { token: plants } = await createFilled(client);
    await client.send({ method: 'POST', path: '/sandbox/snapshots', token: plants });
    const [quiet = '', ...events] = await createSandboxes(client, SANDBOXES + 1);
    await Promise.all(events.map((token) => createEvents(client, token)));
    await client.send({ method: 'POST', path: '/plants', token: quiet, body: { id: 1, name: '' } });
    const all = visits({ events, plants, waiting: await readerOf(client, quiet) });
    const { port } = how === 'proxy' ? await startProxy(client.url) : new URL(client.url);
    let sent = 0;
    const visit = async () => {
      const { line, token, fields, body = '' } = all[sent++ % all.length] as Visit;
      const socket = connect({ port: Number(port), host: '127.0.0.1' });
      let status = 0;
      socket.once('data', (bytes) => {
        status = Number(bytes.toString('latin1').slice(9, 12));
      });
      socket.on('error', () => undefined);
      const head = {
        Host: 'x',
        'X-Forwarded-For': client.address,
        Authorization: `Bearer ${token}`,
        'Content-Length': String(Buffer.byteLength(body)),
        ...fields,
      };
      const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
      await sleep(STAY_MS);
      client.count({ status, text: '' });
      leave[how](socket);
    };
    return (signal) => repeat(CONNECTIONS, signal, visit);
  },
});

/** A proxy that passes everything on. If a client leaves, the proxy closes its request, as nginx does by default. */
async function startProxy(target: string): Promise<{ readonly port: number }> {
  const agent = new Agent({ keepAlive: true });
  const server: Server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const passed = forward(new URL(url ?? '/', target), { method, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.on('error', () => outgoing.destroy()).pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port };
}
