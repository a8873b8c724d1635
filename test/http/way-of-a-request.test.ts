/** How many files of the service a POST /plants passes, by the coverage of V8 in both of its threads. */
import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import { test } from 'node:test';
import { createLogger } from '../../src/observe/log.ts';
import { createDirectory } from '../harness/directory.ts';
import { startWith } from '../harness/service.ts';

const SRC = new URL('../../src/', import.meta.url).href;
const MAX_FILES = 28;
/** A timer may run during a request, but not during each of so many. */
const REQUESTS = 20;
const TOKEN = 'pst_a-token-of-the-configuration';

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/** Runs a command of V8's inspector in a thread. */
type Inspect = (method: string, parameters?: object) => Promise<unknown>;

/** Inspects the main thread and, from its start, the thread of the writer. */
async function inspectThreads() {
  const session = new Session();
  session.connect();
  const waiting = new Map<number, (result: unknown) => void>();
  const threads: Inspect[] = [(method, parameters) => session.post(method, parameters)];
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message);
    waiting.get(id)?.(result);
  });
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    threads.push(async (method, parameters = {}) => {
      const id = waiting.size + 1;
      const { promise, resolve } = Promise.withResolvers<unknown>();
      waiting.set(id, resolve);
      const message = JSON.stringify({ id, method, params: parameters });
      await session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
      return promise;
    });
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return { threads, close: () => session.disconnect() };
}

/** The files of the service of which a function ran since the last call. */
async function filesThatRan(threads: readonly Inspect[]): Promise<ReadonlySet<string>> {
  const coverages = await Promise.all(threads.map((inspect) => inspect('Profiler.takePreciseCoverage')));
  const scripts = coverages.flatMap((coverage) => (coverage as Coverage).result);
  const ran = scripts.filter(
    ({ url, functions }) => url.startsWith(SRC) && functions.some(({ ranges: [whole] }) => (whole?.count ?? 0) > 0),
  );
  return new Set(ran.map(({ url }) => url.slice(SRC.length)));
}

test(`a POST /plants passes at most ${MAX_FILES} files, and service.ts is none of them`, async () => {
  using directory = createDirectory();
  const { threads, close } = await inspectThreads();
  const config = { database: `sqlite:${directory.at('plants.db')}`, token: TOKEN };
  const service = await startWith(config, createLogger('silent', process.stderr));
  const create = async (id: number) => {
    // A new connection each time: a client's first request passes more files than its next ones.
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', connection: 'close' };
    const body = JSON.stringify({ id, name: 'Fern', tag: 'indoor' });
    const response = await fetch(`${service.url}/plants`, { method: 'POST', headers, body });
    assert.equal(response.status, 200, await response.text());
  };
  try {
    await create(0);
    for (const inspect of threads) {
      await inspect('Profiler.enable');
      await inspect('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    }
    assert.equal(threads.length, 2);
    let passed: ReadonlySet<string> | undefined;
    for (let id = 1; id <= REQUESTS; id++) {
      await filesThatRan(threads);
      await create(id);
      const files = await filesThatRan(threads);
      passed = passed?.intersection(files) ?? files;
    }
    const list = [...(passed ?? [])].sort();
    for (const file of ['operations/create-plant.ts', 'stores/sqlite/writes.ts']) assert.ok(list.includes(file), file);
    assert.ok(!list.includes('service.ts'), 'a function of service.ts runs in each request');
    assert.ok(list.length <= MAX_FILES, `${list.length} files:\n${list.join('\n')}`);
  } finally {
    await service.close();
    close();
  }
});
