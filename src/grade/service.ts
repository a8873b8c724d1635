/** The service that a run tests: this program in another process, with one defect or none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isSea } from 'node:sea';
import type { Counts } from '../defects/counts.ts';
import { StartupError } from '../errors.ts';

/** A tester can reach this limit on purpose, but not just because it is fast. */
const RATE_LIMIT = '2500/5s';
/** Short, since the tester has already ended. */
const DRAIN_TIMEOUT = '1s';
/** How long the service may take to stop before it is killed. */
const STOP_MS = 10_000;
/** Characters of the log that are kept, to report why the service ended. */
const LOG_LENGTH = 4_000;

/** A message from the service. */
type Message = { readonly url: string } | { readonly counts: Counts };

export interface ServiceUnderTest {
  readonly url: string;
  /** Settles when the process has ended for any reason. */
  readonly ended: Promise<unknown>;
  /** The last line of the log. */
  why(): string;
  /** Stops the service and resolves to its counts. */
  stop(): Promise<Counts>;
}

/** Rejects with a StartupError if the service does not start. */
export async function startServiceUnderTest(database: string, defect: string): Promise<ServiceUnderTest> {
  const own = isSea() ? [] : [...process.execArgv, process.argv[1] ?? ''];
  const address = ['--host', '127.0.0.1', '--port', '0', '--database', database];
  const rest = ['--rate-limit', RATE_LIMIT, '--drain-timeout', DRAIN_TIMEOUT, '--defect', defect];
  // The user's variables are meant for another service.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLANTSTORE_')));
  const child = spawn(process.execPath, [...own, 'serve', ...address, ...rest], {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let counts: Counts = { candidates: 0, triggered: 0, requests: 0, succeeded: 0, credentials: 0 };
  const ready = Promise.withResolvers<string>();
  child.on('message', (message: Message) => {
    if ('url' in message) ready.resolve(message.url);
    else counts = message.counts;
  });
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-LOG_LENGTH);
  });
  // The last counts may arrive after the end of the process.
  const ended = Promise.all([once(child, 'close'), once(child, 'disconnect')]);
  const why = () => log.trim().split('\n').at(-1) ?? '';
  const refuse = () => ready.reject(new StartupError(`the service with the defect ${defect} did not start: ${why()}`));
  ended.then(refuse, refuse);
  return {
    url: await ready.promise,
    ended,
    why,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(timer);
      return counts;
    },
  };
}
