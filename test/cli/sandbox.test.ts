/** `plantstore sandbox` beside a running service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeSandbox, waitUntil } from '../features/sandbox/sandbox.ts';
import { createClient, errorOf } from '../harness/client.ts';
import { refusedWith, runHere, serveProcess } from '../harness/process.ts';
import { createPlace } from './place.ts';

test('a service with sandboxes but without a rate limit warns about it at the start', async () => {
  await using place = await createPlace();
  for (const [options, isExpected] of [
    [['--sandboxes', '1'], true],
    [['--sandboxes', '1', '--rate-limit', '50/s'], false],
    [[], false],
  ] as const) {
    const service = await serveProcess(place.on(options));
    await service.stop('SIGTERM');
    assert.equal(service.stdout().includes('--rate-limit is not set'), isExpected, options.join(' '));
  }
});

test('the sandbox of a demo never expires, and the operator cannot end it', async () => {
  const demo = await serveProcess(['--demo']);
  try {
    const database = `sqlite:${/Data: (.+), removed at the end/.exec(demo.stdout())?.[1]}`;
    const listed = await runHere(['sandbox', 'list', '--json', '--database', database]);
    const [first] = JSON.parse(listed.stdout) as [{ id: string; expiresAt?: string }];
    assert.deepEqual([first.id, first.expiresAt], ['demo', undefined]);
    assert.match((await runHere(['sandbox', 'list', '--database', database])).stdout, /^demo .* never +\d+$/m);
    const refused = await runHere(['sandbox', 'delete', 'demo', '--database', database]);
    refusedWith(refused, 1, /the sandbox of a demo cannot be deleted; end the demo instead/);
  } finally {
    await demo.stop('SIGTERM');
  }
});

test('the operator lists sandboxes without their tokens, and ends them by their ids', async () => {
  await using place = await createPlace();
  const service = await serveProcess(place.on(['--sandboxes', '10']));
  try {
    const made = await makeSandbox(createClient(service.url, 'none'), { plants: 'garden' });
    const client = createClient(service.url, made.token);
    const listed = await place.run('sandbox', 'list', '--json');
    const [first] = JSON.parse(listed.stdout) as [{ id: string; expiresAt: string; plants: number }];
    assert.deepEqual([first.id, first.expiresAt], [made.id, made.expiresAt]);
    assert.ok(first.plants > 40);
    const table = await place.run('sandbox', 'list');
    assert.match(table.stdout, new RegExp(`^ID .*\\n${made.id} `));
    for (const { stdout } of [listed, table]) assert.ok(!stdout.includes(made.token));

    assert.equal((await place.run('sandbox', 'delete', made.id)).code, 0);
    await waitUntil(async () => (await client.send('GET', '/plants')).status === 401);
    assert.equal(errorOf(await client.send('GET', '/plants')), 40102);
    const again = await place.run('sandbox', 'delete', made.id);
    refusedWith(again, 1, /no sandbox has this id, or it has expired or was deleted/);
    refusedWith(await runHere(['sandbox', 'delete']), 2, /the id of the sandbox is missing/);
    client.close();
  } finally {
    await service.stop('SIGTERM');
  }
});
