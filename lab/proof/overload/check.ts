/** More connections than there are places, and ten times as many writes as the queue takes. */
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveProcess } from '../../../test/harness/process.ts';
import { createViolations, runCheck, say, type Violations } from '../outcome.ts';
import { send } from '../send.ts';

const CONNECTIONS = 11_000;
/** The default of --max-connections. */
const PLACES = 10_000;
/** Below the default of --max-connections-per-address. */
const PER_ADDRESS = 2_200;
const QUEUE = 100;
const WRITERS = 10 * QUEUE;
/** Milliseconds before a refused writer tries again, sooner than Retry-After asks. */
const PAUSE_MS = 100;

await runCheck(async ({ short, control }) => {
  const violations = createViolations();
  const counts: Record<string, number> = {};
  if (control !== 'create-lost') {
    const more = control === 'more-connections' ? ['--max-connections', '20000'] : [];
    await fillPlaces(['--database', 'temporary', '--request-timeout', '60s', ...more], counts, violations);
  }
  if (control !== 'more-connections') {
    const defect = control === undefined ? [] : ['--defect', control];
    const options = ['--database', 'temporary', '--max-queue', String(QUEUE), ...defect];
    await fillQueue(options, short ? 3_000 : 60_000, counts, violations);
  }
  return { counts, versions: {}, ...violations.result() };
});

/** Opens the connections, and sends a request on each that the service keeps. */
async function fillPlaces(options: readonly string[], counts: Record<string, number>, { add }: Violations) {
  const { url, token = '', stop } = await serveProcess(options);
  const agent = new Agent({ keepAlive: true });
  const early = async (when: string) => {
    const { status, text } = await send({ url: `${url}/plants`, token, agent });
    if (status !== 200) add(`${when}: a client that was there before got ${status} ${text}`);
  };
  await early('before');
  const port = Number(new URL(url).port);
  const sockets: Socket[] = [];
  for (let i = 0; i < CONNECTIONS; i++) {
    const localAddress = `127.0.0.${10 + Math.floor(i / PER_ADDRESS)}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    sockets.push(socket);
    if (i % 200 === 199) await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  }
  await early('in a full service');
  // A refused connection is closed immediately.
  await sleep(1_000);
  const kept = sockets.filter((socket) => !socket.closed);
  if (kept.length >= PLACES) add(`${kept.length} and an earlier connection are more than ${PLACES}`);
  if (kept.length < PLACES - 10) add(`only ${kept.length} of ${PLACES} connections are open`);
  for (const socket of kept) {
    const heard = Promise.race([once(socket, 'data'), once(socket, 'close')]);
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [data] = await heard;
    if (!String(data).startsWith('HTTP/1.1 200 ')) add(`an accepted connection got ${data}`);
  }
  for (const socket of sockets) socket.destroy();
  const { status } = await send({ url: `${url}/healthz`, token });
  if (status !== 200) add(`a client that came afterwards got ${status}`);
  agent.destroy();
  Object.assign(counts, { connections: CONNECTIONS, 'connections accepted': kept.length });
  say(`${kept.length} of ${CONNECTIONS} connections were accepted`);
  await stop('SIGTERM');
}

/** Writes for the given milliseconds, then looks for every plant whose 200 came. */
async function fillQueue(
  options: readonly string[],
  time: number,
  counts: Record<string, number>,
  { add }: Violations,
) {
  const { url, token = '', stop } = await serveProcess(options);
  const agent = new Agent({ keepAlive: true });
  const confirmed = new Set<number>();
  let refused = 0;
  let next = 1;
  const until = performance.now() + time;
  const write = async () => {
    while (performance.now() < until) {
      const id = next++;
      const { status, headers, text } = await send({
        url: `${url}/plants`,
        token,
        agent,
        method: 'POST',
        body: { id, name: 'Aloe' },
      });
      if (status === 200) confirmed.add(id);
      else if (status === 503 && Number(headers['retry-after']) > 0) {
        refused++;
        await sleep(PAUSE_MS);
      } else add(`a write got ${status} ${JSON.stringify(headers)} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  if (refused === 0) add('nothing was refused, so there was no overload');
  Object.assign(counts, { 'writes confirmed': confirmed.size, 'writes refused': refused });
  say(`${confirmed.size} writes were confirmed, ${refused} refused`);
  for (let page = `${url}/plants?limit=1000`; page !== ''; ) {
    const { headers, text } = await send({ url: page, token, agent });
    for (const { id } of JSON.parse(text) as readonly { id: number }[]) confirmed.delete(id);
    const link = /<(.+)>; rel="next"/.exec(String(headers['link']))?.[1];
    page = link === undefined ? '' : new URL(link, url).href;
  }
  for (const id of confirmed) add(`the plant ${id} is lost`);
  agent.destroy();
  await stop('SIGTERM');
}
