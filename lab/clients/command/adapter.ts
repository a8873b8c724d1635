/** Does the tasks of `plantstore grade client` with curl or wget: adapter.ts curl|wget [OPTION…]. No repetitions. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

const { PLANTSTORE_TASKS = '', PLANTSTORE_REPORT = '', PLANTSTORE_TIMEOUT_MS } = process.env;
const seconds = String(Number(PLANTSTORE_TIMEOUT_MS) / 1000);
const [program = 'curl', ...options] = process.argv.slice(2);

interface Task {
  readonly task: number;
  readonly kind: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The final response, or the reason why there is none. `head` has the header fields. */
type Result = { readonly status: number; readonly body: string; readonly head: string } | { readonly error: string };

const fieldsOf = ({ headers }: Task) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** One process for all tasks, so that they can share a connection. */
function runCurl(tasks: readonly Task[]): readonly Result[] {
  const args = tasks.flatMap((task, i) => [
    ...(i > 0 ? ['--next'] : []),
    ...['--silent', '--max-time', seconds, ...options],
    ...['--request', task.method, '--dump-header', `head-${i}`, '--output', `body-${i}`],
    ...['--write-out', '%{exitcode} %{http_code} %{errormsg}\n', ...fieldsOf(task).flatMap((one) => ['--header', one])],
    ...(task.body === undefined ? [] : ['--data-binary', task.body]),
    task.url,
  ]);
  const lines = spawnSync('curl', args, { encoding: 'utf8' }).stdout.trim().split('\n');
  return tasks.map((_, i) => {
    const [exitCode, status, ...message] = (lines[i] ?? '').split(' ');
    if (exitCode !== '0') return { error: message.join(' ') };
    return { status: Number(status), body: readIfThere(`body-${i}`), head: readIfThere(`head-${i}`) };
  });
}

/** Its exit code is 8 if the server responded with an error. */
const SERVER_ERROR = 8;

function runWget(task: Task, i: number): Result {
  const args = [
    ...['--no-verbose', '--server-response', `--timeout=${seconds}`, '--content-on-error', ...options],
    ...[`--method=${task.method}`, `--output-document=body-${i}`, ...fieldsOf(task).map((one) => `--header=${one}`)],
    ...(task.body === undefined ? [] : [`--body-data=${task.body}`]),
    task.url,
  ];
  const { status: exitCode, stderr } = spawnSync('wget', args, { encoding: 'utf8' });
  const status = [...stderr.matchAll(/^ +HTTP\/1\.1 (\d{3})/gm)].at(-1)?.[1];
  if (status === undefined || (exitCode !== 0 && exitCode !== SERVER_ERROR)) return { error: stderr.slice(-1000) };
  return { status: Number(status), body: readIfThere(`body-${i}`), head: stderr };
}

const run = (tasks: readonly Task[]) => (program === 'curl' ? runCurl(tasks) : tasks.map(runWget));

/** Reads the pages after the first. The ids stay exact, as texts. */
function list(task: Task, first: Result): object {
  const plants: unknown[] = [];
  for (let result: Result | undefined = first; result !== undefined; ) {
    if ('error' in result || result.status !== 200) return result;
    const page = result.body.replaceAll(/"id":\s*(-?\d+)/g, '"id":"$1"');
    try {
      plants.push(...(JSON.parse(page) as readonly unknown[]));
    } catch (error) {
      return { error: String(error) };
    }
    const next = /^ *Link: <([^>]*)>; rel="next"/im.exec(result.head)?.[1];
    result = next === undefined ? undefined : run([{ ...task, url: new URL(next, task.url).href }])[0];
  }
  return { status: 200, plants };
}

const tasks = readFileSync(PLANTSTORE_TASKS, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Task);
const results = run(tasks);
for (const [i, task] of tasks.entries()) {
  const result = results[i] ?? { error: 'the command has not run' };
  const report = task.kind === 'list' ? list(task, result) : result;
  appendFileSync(PLANTSTORE_REPORT, `${JSON.stringify({ task: task.task, ...report })}\n`);
}
