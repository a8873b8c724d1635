/** A teacher tries every command of the lessons before the class, and compares the outputs. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { after, describe, test } from 'node:test';
import { freePort } from '../../lab/grade/receiver/free-port.ts';
import { assertShown, readLesson, runLesson, START } from '../docs/lesson.ts';
import { createDirectory } from '../harness/directory.ts';
import { briefOrLong } from '../harness/long.ts';
import { serveProcess } from '../harness/process.ts';
import { walk } from './walk.ts';

const { at, [Symbol.dispose]: removeAll } = createDirectory();
after(removeAll);

const LESSONS = globSync('docs/guide/lesson-*.md').sort();
const WITH_COMMANDS = [...LESSONS, 'docs/guide/why-200-and-400.md'].map((path) => ({ path, ...readLesson(path) }));

const startDemo = (...args: string[]) => start('--demo', ...args);

async function start(...args: string[]) {
  const { url, stop } = await serveProcess(args, { TMPDIR: at('.') });
  return { url, [Symbol.asyncDispose]: async () => assert.equal(await stop('SIGTERM'), 0) };
}

test('the first of nine lessons starts the demo, and the others link to it', () => {
  assert.equal(LESSONS.length, 9);
  for (const [index, path] of LESSONS.entries()) {
    const text = readFileSync(path, 'utf8');
    assert.ok(text.startsWith(`# Lesson ${index + 1}: `), path);
    assert.match(text, /^## Exercises\n.*<summary>Solutions<\/summary>/ms, path);
    assert.ok(text.includes(index === 0 ? `\`\`\`sh\n${START}\n\`\`\`` : '[a demo](lesson-1-first-request.md)'), path);
  }
});

walk('a teacher does all lessons', 71, async (step) => {
  await using demo = await step('start the demo', () => startDemo());
  for (const lesson of WITH_COMMANDS) {
    const printed = await runLesson(lesson, at(`after-others-${basename(lesson.path)}`), demo.url);
    for (const [index, one] of lesson.steps.entries()) {
      await step(`${lesson.path}: ${one.command}`, () => assertShown(one, printed[index]));
    }
  }
});

describe('without the earlier lessons', { concurrency: 3 }, () => {
  for (const lesson of briefOrLong(WITH_COMMANDS.slice(-1), WITH_COMMANDS.slice(0, -1))) {
    test(`${basename(lesson.path)} works`, async () => {
      await using demo = await startDemo();
      const printed = await runLesson(lesson, at(`alone-${basename(lesson.path)}`), demo.url);
      for (const [index, step] of lesson.steps.entries()) assertShown(step, printed[index]);
    });
  }
});

test('pupils of a class do all lessons on one server, and see what its guide shows', async () => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const limits = ['--sandboxes', '200', '--sandbox-ttl', '4h', '--rate-limit', '300/1m', '--webhooks'];
  const where = ['--port', String(port), '--base-url', base, '--database', 'temporary'];
  await using _server = await start(...where, ...limits);
  for (const { path } of WITH_COMMANDS) {
    const lesson = readLesson(path, true);
    const headers = { 'Content-Type': 'application/json' };
    const created = await fetch(`${base}/sandboxes`, { method: 'POST', headers, body: '{"plants":"garden"}' });
    const { token } = JSON.parse(await created.text()) as { readonly token: string };
    const printed = await runLesson(lesson, at(`class-${basename(path)}`), base, token);
    for (const [index, step] of lesson.steps.entries()) assertShown(step, printed[index]);
  }
});

test('the bug hunt finds the defect of its number, which its commands do not show on a correct service', async () => {
  const lesson = readLesson('docs/guide/bug-hunt.md');
  const text = readFileSync('docs/guide/bug-hunt.md', 'utf8');
  const [, number = ''] = /^npm start -- --demo --mystery (\d+)$/m.exec(text) ?? [];
  await using wrong = await startDemo('--mystery', number);
  const printed = await runLesson(lesson, at('hunt'), wrong.url);
  for (const [index, step] of lesson.steps.entries()) assertShown(step, printed[index]);
  await using correct = await startDemo();
  const right = await runLesson(lesson, at('no-hunt'), correct.url);
  assert.match(right[2] ?? '', /^HTTP\/1\.1 404 /);
});
