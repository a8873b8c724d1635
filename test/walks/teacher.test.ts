/** A teacher tries every command of the lessons before the class, and compares the outputs. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { after, describe, test } from 'node:test';
import { assertShown, readLesson, runLesson, START } from '../docs/lesson.ts';
import { createDirectory } from '../harness/directory.ts';
import { serveProcess } from '../harness/process.ts';
import { walk } from './walk.ts';

const { at, [Symbol.dispose]: removeAll } = createDirectory();
after(removeAll);

const LESSONS = globSync('docs/guide/lesson-*.md').sort();
const WITH_COMMANDS = [...LESSONS, 'docs/guide/why-200-and-400.md'].map((path) => ({ path, ...readLesson(path) }));

async function startDemo(...args: string[]) {
  const { url, stop } = await serveProcess(['--demo', ...args], { TMPDIR: at('.') });
  return { url, [Symbol.asyncDispose]: async () => assert.equal(await stop('SIGTERM'), 0) };
}

test('the first of seven lessons starts the demo, and the others link to it', () => {
  assert.equal(LESSONS.length, 7);
  for (const [index, path] of LESSONS.entries()) {
    const text = readFileSync(path, 'utf8');
    assert.ok(text.startsWith(`# Lesson ${index + 1}: `), path);
    assert.match(text, /^## Exercises\n.*<summary>Solutions<\/summary>/ms, path);
    assert.ok(text.includes(index === 0 ? `\`\`\`sh\n${START}\n\`\`\`` : '[a demo](lesson-1-first-request.md)'), path);
  }
});

walk('a teacher does all lessons', 60, async (step) => {
  await using demo = await step('start the demo', () => startDemo());
  for (const lesson of WITH_COMMANDS) {
    const printed = await runLesson(lesson, at(`after-others-${basename(lesson.path)}`), demo.url);
    for (const [index, one] of lesson.steps.entries()) {
      await step(`${lesson.path}: ${one.command}`, () => assertShown(one, printed[index]));
    }
  }
});

describe('without the earlier lessons', { concurrency: 3 }, () => {
  for (const lesson of WITH_COMMANDS) {
    test(`${basename(lesson.path)} works`, async () => {
      await using demo = await startDemo();
      const printed = await runLesson(lesson, at(`alone-${basename(lesson.path)}`), demo.url);
      for (const [index, step] of lesson.steps.entries()) assertShown(step, printed[index]);
    });
  }
});

test('the bug hunt finds the defect of its number, which the same commands do not show on a correct service', async () => {
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
