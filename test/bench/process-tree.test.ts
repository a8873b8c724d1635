import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { cpuOf, peakMemoryOf } from '../../bench/process-tree.ts';

/** So much CPU time is used by each of: the main thread, a thread, a child that goes on, a child that has ended. */
const EACH_US = 200_000;
const BURN = `
  const burn = () => { const { user, system } = process.cpuUsage(); let now;
    do now = process.cpuUsage(); while (now.user + now.system - user - system < ${EACH_US}); };
`;
const CHILD = `${BURN} burn(); process.send('burnt'); process.once('message', () => process.exit());`;
const PARENT = `
  const { spawn } = require('node:child_process'); const { Worker } = require('node:worker_threads');
  const { once } = require('node:events');
  ${BURN}
  (async () => {
    burn();
    await once(new Worker(${JSON.stringify(`${BURN} burn();`)}, { eval: true }), 'exit');
    const start = () => spawn(process.execPath, ['-e', ${JSON.stringify(CHILD)}], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const children = [start(), start()];
    await Promise.all(children.map((child) => once(child, 'message')));
    children[0].send('end');
    await once(children[0], 'exit');
    console.log('burnt');
    process.stdin.once('data', () => { children[1].send('end'); process.exit(); });
  })();
`;

const linux = process.platform === 'linux';

test('what a process costs holds its threads, also ended ones, and its children, also ended ones', {
  skip: !linux,
}, async () => {
  const parent = spawn(process.execPath, ['-e', PARENT], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  const { user, system } = cpuOf(parent.pid as number);
  const memory = peakMemoryOf(parent.pid as number);
  parent.stdin.write('end');
  await once(parent, 'exit');
  // Each process's own time is told in ticks of 10 ms.
  assert.ok(user + system > 4 * EACH_US - 30_000, `${user + system} µs of ${4 * EACH_US}`);
  assert.ok(memory > 40, `${memory} MB of two processes of Node`);
});
