/** `plantstore grade receiver` as a process, with the careful receiver of the guide and with a careless one. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '../../../test/features/sandbox/sandbox.ts';
import { createDirectory } from '../../../test/harness/directory.ts';
import { refusedWith, runCommand } from '../../../test/harness/process.ts';
import { freePort } from '../../grade/receiver/free-port.ts';
import { createDraft, signed } from '../../grade/receiver/message.ts';
import { SCENARIOS } from '../../grade/receiver/scenarios.ts';
import { judge, type Sent } from '../../grade/receiver/verdict.ts';
import { RECEIVER_OUTCOMES } from '../../util/meanings.ts';

const pathOf = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url));
const VARIABLES = ['env', 'PORT={port}', 'WEBHOOK_SECRET={secret}', 'EVENTS={report}'];
const CAREFUL = [...VARIABLES, process.execPath, pathOf('examples/receivers/careful.ts')];
const CARELESS = [process.execPath, pathOf('lab/receivers/careless.ts')];

interface Result {
  readonly plantStoreReceiverGrading: string;
  readonly outcomes: readonly { readonly scenario: string; readonly outcome: string; readonly reason?: string }[];
}

async function grade(command: readonly string[], ...only: readonly string[]) {
  using directory = createDirectory();
  const json = directory.at('receiver.json');
  const files = ['--output', directory.at('output'), '--json', json, '--only', only.join()];
  const { code, stdout, stderr } = await runCommand(['grade', 'receiver', ...files, '--', ...command]);
  assert.ok(existsSync(json), stderr);
  const result = JSON.parse(readFileSync(json, 'utf8')) as Result;
  return { code, stdout, outcomes: Object.fromEntries(result.outcomes.map((one) => [one.scenario, one])) };
}

/** A scenario for each outcome of the careless receiver. */
const WRONG = {
  right: 'verified',
  unsigned: 'ignored',
  'no-json': 'failed',
  'short-signature': 'crashed',
  exact: 'lost',
  'same-time': 'processed twice',
  old: 'accepted a replay',
  'another-format': 'accepted a forgery',
};

test('a careless receiver shows every outcome, and the grading exits with 3', async () => {
  const { code, stdout, outcomes } = await grade(CARELESS, ...Object.keys(WRONG));
  const found = Object.fromEntries(Object.entries(outcomes).map(([name, { outcome }]) => [name, outcome]));
  assert.deepEqual(found, WRONG);
  assert.deepEqual(new Set(Object.values(found)), new Set<string>(RECEIVER_OUTCOMES));
  assert.equal(code, 3);
  assert.match(stdout, /^short-signature +crashed +.*it ended with exit code 1$/m);
  assert.match(stdout, /^accepted a replay +it stored a message whose time was wrong/m);
});

test('the careful receiver is right where a careless one is wrong, and the grading exits with 0', async () => {
  const { code, outcomes, stdout } = await grade(CAREFUL, 'same-time', 'old', 'another-format');
  assert.deepEqual(new Set(Object.values(outcomes).map(({ outcome }) => outcome)), new Set(['verified']), stdout);
  assert.equal(code, 0);
});

for (const command of [
  [process.execPath, 'careful.ts'],
  ['python3', '-B', 'careful.py'],
] as const) {
  const [program, ...args] = command;
  test(`${args.at(-1)} takes the next message after requests that are cut or malformed`, async () => {
    using directory = createDirectory();
    const [port, events] = [await freePort(), directory.at('events.ndjson')];
    const secret = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`;
    const env = { ...process.env, PORT: `${port}`, WEBHOOK_SECRET: secret, EVENTS: events };
    const receiver = spawn(program, args, { cwd: pathOf('examples/receivers'), env });
    /** Sends bytes. Then resets the connection, or waits until the receiver has answered or closed it. */
    const send = async (bytes: string, isCut: boolean) => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => {});
      socket.write(bytes, 'latin1', () => isCut && setTimeout(() => socket.resetAndDestroy(), 50));
      socket.once('data', () => socket.destroy());
      let isSilent = false;
      socket.setTimeout(5_000, () => {
        isSilent = true;
        socket.destroy();
      });
      if (!socket.destroyed) await once(socket, 'close');
      assert.ok(!isSilent, `no answer to ${bytes}`);
    };
    try {
      const head = 'POST / HTTP/1.1\r\nHost: x\r\n';
      await waitUntil(() =>
        send(head, true).then(
          () => true,
          () => false,
        ),
      );
      await send(`${head}Content-Length: 100\r\n\r\n{`, true);
      await send(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{`, true);
      await send(`${head}Content-Length: -1\r\n\r\n{`, false);
      await send(`${head}Content-Length: 1x\r\n\r\n{`, false);
      await send(`${head}webhook-id: a\r\nwebhook-timestamp: \u00b2\r\nContent-Length: 0\r\n\r\n`, false);
      const { headers, body } = signed(createDraft(secret));
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
      assert.equal(response.status, 204);
      assert.equal(readFileSync(events, 'utf8'), `${body}\n`);
    } finally {
      receiver.kill();
    }
  });
}

test('a receiver that refuses every message is right nowhere', async () => {
  const refusing = "require('http').createServer((_, r) => r.writeHead(401).end()).listen(process.env.PLANTSTORE_PORT)";
  const { outcomes } = await grade([process.execPath, '-e', refusing], 'unsigned');
  assert.equal(outcomes['unsigned']?.outcome, 'lost');
  assert.equal(outcomes['unsigned']?.reason, 'answered 401, 401');
});

test('a receiver that does not listen has no result, and the error contains the reason', async () => {
  using directory = createDirectory();
  const output = directory.at('output');
  const args = ['grade', 'receiver', '--output', output, '--only', 'right', 'unsigned', '--jobs', '1'];
  const ended = await runCommand([...args, '--', 'sh', '-c', 'echo no such module >&2; exit 3']);
  assert.equal(ended.code, 1);
  assert.match(
    ended.stderr,
    /no result: the receiver could not be reached: it ended with exit code 3; the last line .* is "no such module"/,
  );
  assert.doesNotMatch(ended.stderr, /unsigned/);
  const silent = await runCommand([...args, '--timeout', '100ms', '--', 'sleep', '60']);
  assert.match(silent.stderr, /it did not listen on port \d+ of 127\.0\.0\.1; the command printed nothing/);
});

test('an unknown scenario, a missing command and a file that is no result are refused', async () => {
  using directory = createDirectory();
  writeFileSync(directory.at('mine.json'), '{"mine":1}');
  const run = (...args: readonly string[]) =>
    runCommand(['grade', 'receiver', '--output', directory.at('output'), ...args]);
  refusedWith(await run('--only', 'unsignd', '--', 'true'), 2, /no such scenario \(did you mean unsigned\?\)/);
  refusedWith(await run(), 2, /the command that runs the receiver is missing/);
  refusedWith(await run('--', './nothing'), 2, /cannot be started: .\/nothing: no such program/);
  for (const path of ['hooks', '/hooks?key=1'])
    refusedWith(await run('--path', path, '--', 'true'), 2, /--path: it must be a path without a query, such as \/web/);
  refusedWith(await run('--json', directory.at('mine.json'), '--', 'true'), 1, /mine\.json already exists/);
});

test('each scenario has its own name, and --list prints them all', async () => {
  assert.equal(new Set(SCENARIOS.map(({ name }) => name)).size, SCENARIOS.length);
  const { code, stdout } = await runCommand(['grade', 'receiver', '--list']);
  assert.equal(code, 0);
  for (const { name } of SCENARIOS) assert.ok(stdout.includes(`\n${name} `), name);
});

test('the verdict depends on what was stored, and on the answers', () => {
  const faulty: Sent = { ids: ['a', 'b'], right: 'accepted a forgery', answers: [401] };
  assert.equal(judge(faulty, ['c']), 'verified');
  assert.equal(judge(faulty, ['b']), 'accepted a forgery');
  assert.equal(judge({ ...faulty, answers: [204] }, []), 'ignored');
  for (const answer of [500, 302, undefined]) assert.equal(judge({ ...faulty, answers: [answer] }, []), 'failed');
  assert.equal(judge({ ...faulty, answers: [undefined], mayClose: true }, []), 'verified');
  const right: Sent = { ids: ['a'], right: 'stored', answers: [503, 204] };
  assert.equal(judge(right, ['a']), 'verified');
  assert.equal(judge({ ...right, answers: [204, 409] }, ['a']), 'lost');
  assert.equal(judge(right, ['a', 'a']), 'processed twice');
  assert.equal(judge(right, []), 'lost');
  assert.equal(judge({ ...right, answers: [503] }, ['a']), 'lost');
  assert.equal(judge({ ...right, right: 'acknowledged' }, []), 'verified');
  assert.equal(judge({ ...right, right: 'acknowledged', answers: [400] }, []), 'lost');
});
