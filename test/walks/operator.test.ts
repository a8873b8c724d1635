/** An operator's first day: PostgreSQL, a restart, a second token, and an outage that the log explains. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, createClient, errorOf } from '../harness/client.ts';
import { startPostgres } from '../harness/postgres.ts';
import { runCommand, type ServiceProcess, serveProcess } from '../harness/process.ts';
import { walk } from './walk.ts';

const AGAVE = { id: 1, name: 'Agave americana' };

/** Sends a request on a new connection, as curl does. */
async function send(service: ServiceProcess, token: string, method: string, target: string, call?: Call) {
  const client = createClient(service.url, token);
  const response = await client.send(method, target, call);
  client.close();
  return response;
}

/** Returns the lines of the log after its first `start` characters. */
function logOf(service: ServiceProcess, start = 0): readonly Record<string, unknown>[] {
  const lines = service.stderr().slice(start).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

walk('an operator sees the service through an outage', 9, async (step) => {
  // This test stops its server, so it does not use the shared one.
  const postgres = await startPostgres();
  const services: ServiceProcess[] = [];
  const env = { DATABASE_URL: postgres.url };
  const serve = async () => {
    const service = await serveProcess([], env);
    services.push(service);
    return service;
  };
  try {
    const first = await step('start the service on an empty PostgreSQL', serve);
    const token = first.token ?? '';
    await step('store a plant with the token that the start showed', async () => {
      assert.equal((await send(first, token, 'POST', '/plants', { body: AGAVE })).status, 200);
    });
    const service = await step('restart the service', async () => {
      assert.equal(await first.stop('SIGTERM'), 0);
      const again = await serve();
      assert.equal(again.token, undefined, 'a token is shown at the first start only');
      assert.match(again.stdout(), /token create/);
      return again;
    });
    await step('read the plant with the token from the first start', async () => {
      assert.deepEqual((await send(service, token, 'GET', '/plants/1')).json(), AGAVE);
    });
    const second = await step('create a second token, which may only read', async () => {
      const args = ['token', 'create', '--name', 'reader', '--scope', 'plants:read'];
      const { code, stdout, stderr } = await runCommand(args, env);
      assert.equal(code, 0, stderr);
      return stdout.trim();
    });
    await step('use it within a second, only for reading', async () => {
      await sleep(1_000);
      assert.equal((await send(service, second, 'GET', '/plants')).status, 200);
      assert.equal(errorOf(await send(service, second, 'DELETE', '/plants/1')), 40300);
    });
    const begun = service.stderr().length;
    const failed = await step('see 503 during an outage, alive and not ready', async () => {
      await postgres.stop('SIGINT');
      const response = await send(service, token, 'GET', '/plants/1');
      assert.equal(errorOf(response), 50300);
      assert.ok(Number(response.headers['retry-after']) > 0);
      const status = async (path: string) => (await send(service, token, 'GET', path)).status;
      assert.deepEqual([await status('/healthz'), await status('/readyz')], [200, 503]);
      return String(response.headers['x-request-id']);
    });
    await step('read in the log which request failed, and why', () => {
      const line = logOf(service, begun).find(({ requestId }) => requestId === failed);
      assert.equal(line?.['path'], '/plants/1');
      assert.match(String(line?.['why']), /^the store is unreachable: /);
    });
    await step('start PostgreSQL again and see the service recover, without a restart', async () => {
      await postgres.start();
      let response = await send(service, token, 'GET', '/plants/1');
      while (response.status === 503) {
        await sleep(1_000 * Number(response.headers['retry-after']));
        response = await send(service, token, 'GET', '/plants/1');
      }
      assert.deepEqual(response.json(), AGAVE);
      // The line of a request is written after its response.
      while (!logOf(service, begun).some(({ failed }) => Number(failed) > 0)) await sleep(20);
      assert.equal(await service.stop('SIGTERM'), 0);
    });
  } finally {
    for (const { child } of services) child.kill('SIGKILL');
    await postgres.remove();
  }
});
