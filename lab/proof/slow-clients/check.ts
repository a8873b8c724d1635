/** slowhttptest holds more connections than one address may have, while clients of another address are served. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveProcess } from '../../../test/harness/process.ts';
import { versionsOf } from '../debian.ts';
import { createViolations, runCheck, say } from '../outcome.ts';
import { send } from '../send.ts';

const CONNECTIONS = '3000';
/** The options of slowhttptest and the path, by mode. With a token, the service waits for a body. */
const MODES: Readonly<Record<string, readonly [path: string, ...options: string[]]>> = {
  'slow headers': ['/plants', '-H', '-i', '2', '-x', '24'],
  'slow bodies': ['/plants', '-B', '-i', '2', '-s', '8192', '-f', 'application/json\r\nAuthorization: Bearer TOKEN'],
  'slow reading': ['/openapi.json', '-X', '-w', '10', '-y', '20', '-n', '2', '-z', '32', '-k', '3'],
};
/** The same connections can take every place, and keep it. */
const WITHOUT_LIMITS = ['--max-connections', '2500', '--request-timeout', '1h'];
/** Another address of loopback than the attacker's. */
const OTHER = '127.0.0.2';
/** Milliseconds between two requests of the other client. */
const PAUSE_MS = 20;

await runCheck(async ({ short, control }) => {
  const violations = createViolations();
  const options = ['--database', 'temporary', ...(control === undefined ? [] : WITHOUT_LIMITS)];
  const { url, token = '', stop } = await serveProcess(options);
  let requests = 0;
  // Each control shows that one mode does harm.
  const modes = control === undefined ? Object.keys(MODES) : [control.replace('-', ' ')];
  for (const mode of modes) {
    const [path = '', ...how] = (MODES[mode] ?? []).map((word) => word.replace('TOKEN', token));
    // A control ends at the first request that fails.
    const seconds = control !== undefined ? '20' : short ? '3' : '30';
    const args = [...how, '-c', CONNECTIONS, '-r', '3000', '-l', seconds, '-p', '60', '-u', `${url}${path}`];
    const attacker = spawn('slowhttptest', args, { stdio: ['ignore', 'ignore', 2] });
    const ended = once(attacker, 'close');
    const before = requests;
    while (attacker.exitCode === null && attacker.signalCode === null) {
      const method = requests % 2 === 0 ? 'POST' : 'GET';
      const body = method === 'POST' ? { id: requests, name: 'Aloe' } : undefined;
      const { status, text } = await send({ url: `${url}/plants?limit=1`, token, method, body, from: OTHER });
      requests++;
      if (status !== 200) violations.add(`${mode}: request ${requests} of another client got ${status} ${text}`);
      if (control !== undefined && status !== 200) attacker.kill();
      await sleep(PAUSE_MS);
    }
    await ended;
    say(`${mode}: ${requests - before} requests of another client`);
  }
  await stop('SIGTERM');
  const counts = { 'requests of others': requests, modes: modes.length, 'slow connections': Number(CONNECTIONS) };
  return { counts, versions: versionsOf('slowhttptest'), ...violations.result() };
});
