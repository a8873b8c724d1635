/** What signals do to a running service, besides the stop in shutdown.test.ts. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, truncateSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDirectory } from '../harness/directory.ts';
import { PLANTSTORE, serveProcess } from '../harness/process.ts';

const OPERATING = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
const DEMO = ['--demo', '--log-level', 'error'];

/** Sends a signal and resolves when the service has answered two requests after it. */
async function signal({ child, url }: Awaited<ReturnType<typeof serveProcess>>, name: NodeJS.Signals): Promise<void> {
  child.kill(name);
  for (let count = 0; count < 2; count++) assert.equal((await fetch(`${url}/readyz`)).status, 200);
}

for (const name of ['SIGUSR2', 'SIGQUIT', 'SIGALRM', 'SIGUSR1', 'SIGPIPE', 'SIGWINCH'] as const) {
  const row = OPERATING.split('\n').find((line) => line.startsWith('|') && line.includes(name)) ?? '';
  const ends = /\bends? it immediately/.test(row);

  test(`${name} ${ends ? 'ends the service immediately' : 'does nothing'}, as the guide says`, async () => {
    await using service = await serveProcess(DEMO);
    if (!ends) await signal(service, name);
    assert.equal(await service.stop(ends ? name : 'SIGTERM'), ends ? null : 0);
  });
}

test('SIGUSR1, a habit from log rotation, opens no debugger', async () => {
  await using service = await serveProcess(DEMO);
  await signal(service, 'SIGUSR1');
  assert.equal(await service.stop('SIGTERM'), 0);
  assert.equal(service.stderr(), '');
});

test('under nohup the service survives the end of its terminal, and SIGTERM still stops it', async () => {
  await using service = await serveProcess(DEMO, {}, { command: ['nohup', PLANTSTORE] });
  await signal(service, 'SIGHUP');
  assert.equal(await service.stop('SIGTERM'), 0);
});

test('without nohup SIGHUP stops the service', async () => {
  await using service = await serveProcess(DEMO);
  assert.equal(await service.stop('SIGHUP'), 0);
});

test('the documented start in a session of its own writes a log that copytruncate can rotate', {
  skip: process.platform !== 'linux' && 'only Linux has setsid',
}, async () => {
  const [, line] = /`(setsid plantstore [^`]+)`/.exec(OPERATING) ?? [];
  using directory = createDirectory();
  symlinkSync(PLANTSTORE, directory.at('plantstore'));
  const log = directory.at('plantstore.log');
  const PATH = `${directory.path}:${process.env['PATH']}`;
  const env = { ...process.env, PATH, PORT: '0', PLANTSTORE_TOKEN: 'not-a-secret-key', PLANTSTORE_ACCESS_LOG: 'true' };
  const pid = Number(execFileSync('sh', ['-c', `${line} echo $!`], { cwd: directory.path, env, encoding: 'utf8' }));
  try {
    const logged = async (text: RegExp) => {
      for (;;) {
        const found = text.exec(readFileSync(log, 'utf8'));
        if (found !== null) return found[0];
        await sleep(20);
      }
    };
    const url = await logged(/(?<="url":")[^"]+/);
    truncateSync(log);
    await fetch(`${url}/readyz`);
    await logged(/"msg":"request"/);
    assert.equal(readFileSync(log, 'latin1')[0], '{');
  } finally {
    process.kill(pid, 'SIGKILL');
  }
});
