/**
 * Lets a reader of `text/event-stream` follow the feed through a proxy that cuts the stream.
 *
 *   node lab/tools/event-streams.ts COMMAND…     the reader; the service is in URL and TOKEN
 *
 * The reader gets URL (the address of the stream, at the proxy) and TOKEN in its environment. It prints a line for each
 * event: the cursor, the type and the id of the plant. It connects again whenever the stream ends, and never exits.
 *
 * The proxy cuts the first stream in the middle of an event, and refuses the next connection. Later it ends a stream
 * between two events, as the service does when it stops. The reader must print each event once and in order. As a
 * control, the same reader runs behind a proxy that removes `Last-Event-ID`. Then it must miss events.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { parseExact } from '../../test/harness/client.ts';

const { URL: SERVICE = '', TOKEN = '' } = process.env;
const GREATEST = 2n ** 63n - 1n;
const LEAST = -(2n ** 63n);
/** The longest that a reader may take for its events. */
const PATIENCE_MS = 60_000;
/** The heartbeat that the service sends after 15 silent seconds. The proxy sends it after each event. */
const BEAT = Buffer.from(':\n\n');

/** `half`: ends the connection in the middle of the next event. `whole`: ends the response after the next event. */
type Cut = 'half' | 'whole';

interface Proxy extends AsyncDisposable {
  readonly url: string;
  /** Makes changes and cuts the stream at the first of their events. No reader comes back before all are made. */
  cut(how: Cut, makeChanges: () => Promise<void>): Promise<void>;
  /** Resolves when a reader has the beginning of a new stream. */
  opened(): Promise<void>;
}

async function startProxy(keepsLastEventId: boolean): Promise<Proxy> {
  let armed: { readonly how: Cut; readonly done: () => void } | undefined;
  let refusals = 0;
  let gate = Promise.resolve();
  let open = Promise.withResolvers<void>();
  const server = createServer(async (incoming, response) => {
    await gate;
    if (refusals > 0) {
      refusals -= 1;
      incoming.socket.destroy();
      return;
    }
    const { method, url, headers } = incoming;
    const { 'last-event-id': _removed, ...others } = headers;
    const options = { method, headers: keepsLastEventId ? headers : others };
    const outgoing = request(SERVICE + url, options, (from) => {
      response.writeHead(from.statusCode ?? 502, from.headers);
      from.on('data', (chunk: Buffer) => {
        if (method === 'GET') open.resolve();
        const data = chunk.indexOf('data: ');
        if (armed === undefined || data === -1) {
          return response.write(chunk.toString('latin1').endsWith('\n\n') ? Buffer.concat([chunk, BEAT]) : chunk);
        }
        const { how, done } = armed;
        armed = undefined;
        open = Promise.withResolvers();
        from.destroy();
        done();
        if (how === 'whole') return response.end(chunk);
        refusals = 1;
        return response.write(chunk.subarray(0, data + 20), () => incoming.socket.destroy());
      });
      from.on('end', () => response.end());
    });
    outgoing.on('error', () => incoming.socket.destroy());
    response.on('close', () => outgoing.destroy());
    outgoing.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async cut(how, makeChanges) {
      const { promise, resolve: done } = Promise.withResolvers<void>();
      armed = { how, done };
      gate = makeChanges();
      await Promise.all([gate, promise]);
    },
    opened: () => open.promise,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
async function send(method: string, path: string, body?: string): Promise<void> {
  const response = await fetch(SERVICE + path, { method, headers, ...(body === undefined ? {} : { body }) });
  assert.ok(response.ok, `${method} ${path}: ${await response.text()}`);
}
const create = (id: bigint) => send('POST', '/plants', `{"id":${id},"name":"Aloe"}`);
const replace = (id: bigint) => send('PUT', `/plants/${id}`, '{"name":"Aloe\\nvera 🌵","tag":"succulent"}');
const remove = (id: bigint) => send('DELETE', `/plants/${id}`);

/** The lines that a reader has to print for the events after a cursor. */
async function expectedAfter(cursor: string): Promise<readonly string[]> {
  const response = await fetch(`${SERVICE}/events?after=${cursor}`, { headers });
  const events = parseExact(await response.text()) as { id: string; type: string; data: { id: number | bigint } }[];
  return events.map(({ id, type, data }) => `${id} ${type} ${data.id}`);
}

async function cursorOfNow(): Promise<string> {
  const response = await fetch(`${SERVICE}/events?after=latest`, { headers });
  const [, cursor] = /after=([\w-]+)/.exec(response.headers.get('Link') ?? '') ?? [];
  assert.ok(cursor !== undefined);
  return cursor;
}

/** Resolves to the lines that the reader printed, and the lines that it had to print. */
async function follow([command = '', ...args]: readonly string[], keepsLastEventId: boolean) {
  await using proxy = await startProxy(keepsLastEventId);
  const began = await cursorOfNow();
  const env = { ...process.env, URL: `${proxy.url}/events?after=latest` };
  const reader = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(reader, 'close');
  const gone = Promise.race([closed, once(AbortSignal.timeout(PATIENCE_MS), 'abort')]).then(() => {
    throw new Error('the reader ended, or took too long');
  });
  const printed: string[] = [];
  const lines = createInterface(reader.stdout).on('line', (line) => printed.push(line));
  const opened = () => Promise.race([proxy.opened(), gone]);
  const cut = (...how: Parameters<Proxy['cut']>) => Promise.race([proxy.cut(...how), gone]);
  const hasPrinted = async (what: string) => {
    while (!printed.at(-1)?.endsWith(what)) await Promise.race([once(lines, 'line'), gone]);
  };
  try {
    await opened();
    for (const change of [create, replace, remove]) await change(GREATEST);
    await hasPrinted(`plant.deleted ${GREATEST}`);
    await cut('half', async () => {
      for (const change of [create, replace]) await change(LEAST);
      await create(GREATEST);
    });
    await opened();
    if (keepsLastEventId) await hasPrinted(`plant.created ${GREATEST}`);
    await cut('whole', async () => {
      for (const id of [LEAST, GREATEST]) await remove(id);
    });
    await opened();
    for (const change of [create, remove]) await change(0n);
    await hasPrinted('plant.deleted 0');
    return { printed, expected: await expectedAfter(began) };
  } catch (error) {
    console.error(printed.join('\n'));
    throw error;
  } finally {
    if (reader.pid !== undefined && reader.exitCode === null) process.kill(-reader.pid);
    await closed;
  }
}

const command = process.argv.slice(2);
const { printed, expected } = await follow(command, true);
assert.deepEqual(printed, expected);
assert.equal(expected.length, 10);
console.log(`${printed.length} events, once and in order`);

const control = await follow(command, false);
assert.notDeepEqual(control.printed, control.expected, 'the control missed no event, and repeated none');
console.log(`without Last-Event-ID: ${control.printed.length} events instead of ${control.expected.length}`);
