/** Reads a lesson of the guide and runs its commands in order, as a learner does in one terminal. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { marked } from 'marked';

/** The address of the service in the lessons. */
const ADDRESS = 'http://127.0.0.1:8080';

/** Starts the service. Commands that begin like this are not run here, because the test starts the service. */
export const START = 'npm ci\nnpm start -- --demo';

/** Parts of the output that differ from run to run. */
const VOLATILE: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/^Date: .+$/gm, 'Date: …'],
  [/^X-Request-Id: .+$/gm, 'X-Request-Id: …'],
  [/^(ETag: )?"\w+"$/gm, '$1"…"'],
  [/after=[\w-]{32}/g, 'after=…'],
  // The client generator prints the size and the path of its file.
  [/\d+ bytes\) at \S+\//g, '… bytes) at …/'],
];

/** A command, and the output below it in the lesson. `http` is the output of curl -i, which may lack header fields. */
export interface LessonStep {
  readonly command: string;
  readonly shown: { readonly format: 'http' | 'json' | 'text'; readonly text: string } | undefined;
}

export interface Lesson {
  readonly steps: readonly LessonStep[];
  /** The programs that the reader saves, by the file names in their first lines. */
  readonly files: ReadonlyMap<string, string>;
}

/** `isShared` chooses the text for readers who share a service, as the guide does. */
export function readLesson(path: string, isShared = false): Lesson {
  const steps: LessonStep[] = [];
  const files = new Map<string, string>();
  let command: string | undefined;
  const add = (shown: LessonStep['shown']) => {
    if (command !== undefined && !command.startsWith(START)) steps.push({ command, shown });
    command = undefined;
  };
  const lesson = readFileSync(path, 'utf8');
  for (const token of marked.lexer(isShared ? forShared(lesson) : lesson)) {
    if (token.type !== 'code') continue;
    const { lang, text } = token;
    if (lang === 'http' || lang === 'json' || lang === 'text') {
      assert.ok(command !== undefined, `${path} shows what no command printed: ${text}`);
      add({ format: lang, text });
      continue;
    }
    add(undefined);
    const [, name] = /^\/\/ ([\w-]+\.(?:mjs|ts))\n/.exec(text) ?? [];
    if (lang === 'sh') command = text;
    else if (name !== undefined && !files.has(name)) files.set(name, text);
    else assert.fail(`${path} has a block that no rule covers: ${text}`);
  }
  add(undefined);
  return { steps, files };
}

/** The service has a base URL, so the fields Location and Link contain it. */
function forShared(lesson: string): string {
  return lesson
    .replaceAll(/<!-- own -->.*?<!-- \/own -->/gs, '')
    .replaceAll(/<!-- shared\n(.*?)-->/gs, '$1')
    .replaceAll(/^(Location: |Link: <)(?=\/)/gm, `$1${ADDRESS}`);
}

/**
 * Runs all commands of a lesson in one shell, in a new folder, and returns the output of each. The address and the
 * token are filled in as guide.js does.
 */
export async function runLesson(
  { steps, files }: Lesson,
  folder: string,
  url: string,
  token = 'demo',
): Promise<readonly string[]> {
  const here = (text: string) =>
    text
      .replaceAll(ADDRESS, url)
      .replaceAll('Bearer demo', `Bearer ${token}`)
      .replaceAll("bearer('demo')", `bearer('${token}')`);
  const work = join(folder, 'work');
  mkdirSync(work, { recursive: true });
  // npx finds the packages of the lessons here, without a network.
  symlinkSync(resolve('node_modules'), join(work, 'node_modules'));
  symlinkSync(resolve('bin'), join(work, 'bin'));
  for (const [name, code] of files) writeFileSync(join(work, name), here(code));
  // Without these options curl writes its progress into the output, since the output is not a terminal.
  writeFileSync(join(folder, '.curlrc'), 'silent\nshow-error\n');
  const output = (index: number) => join(folder, `output-${index}`);
  const script = steps.map(({ command }, index) => `{\n${here(command)}\n} >'${output(index)}' 2>&1`);
  const path = [join(work, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']].join(':');
  const shell = spawn('bash', ['-c', script.join('\n')], {
    cwd: work,
    stdio: 'ignore',
    env: {
      PATH: path,
      HOME: folder,
      CURL_HOME: folder,
      npm_config_offline: 'true',
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    },
  });
  await once(shell, 'close');
  return steps.map((_, index) => readFileSync(output(index), 'utf8').replaceAll(url, ADDRESS));
}

/** Compares the output of a command with the output in the lesson. */
export function assertShown({ command, shown }: LessonStep, printed = ''): void {
  if (shown?.format !== 'http') {
    assert.equal(stable(printed), stable(shown?.text ?? ''), command);
    return;
  }
  const [head, body] = parts(stable(printed));
  const [shownHead, shownBody] = parts(stable(shown.text));
  assert.equal(head[0], shownHead[0], command);
  for (const field of shownHead) assert.ok(head.includes(field), `${command}\n${field}\nis not in\n${head.join('\n')}`);
  assert.equal(body, shownBody, command);
}

function stable(text: string): string {
  const masked = VOLATILE.reduce((rest, [pattern, mask]) => rest.replaceAll(pattern, mask), text.replaceAll('\r', ''));
  return masked.replaceAll(/ +$/gm, '').replaceAll(/^\n+|\n+$/g, '');
}

/** Splits a response into the lines of its head and its body. */
function parts(response: string): readonly [head: readonly string[], body: string] {
  const [head = '', ...body] = response.split('\n\n');
  return [head.split('\n'), body.join('\n\n')];
}
