/** The service that a run tests: this same program as a process of its own, with one defect or none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isSea } from 'node:sea';
import type { Counts } from '../defects/counts.ts';
import { StartupError } from '../errors.ts';

/** That a tester can reach on purpose, and not by working fast. */
const RATE_LIMIT = '2500/5s';
/** The tester has ended by then, and waits for no response. */
const DRAIN_TIMEOUT = '1s';
/** A service that does not stop by itself is stopped. */
const STOP_MS = 10_000;
/** How much of its log is kept, to say why it ended. */
const LOG_LENGTH = 4_000;

/** What the service sends through its message channel. */
type Message = { readonly url: string } | { readonly counts: Counts };

export interface ServiceUnderTest {
  readonly url: string;
  /** Settles when the process has ended, whoever ended it. */
  readonly ended: Promise<unknown>;
  /** Why it ended, as far as its log says. */
  why(): string;
  /** Resolves to all that it has counted. */
  stop(): Promise<Counts>;
}

/** Throws a StartupError when it does not start. */
export async function startServiceUnderTest(database: string, defect: string): Promise<ServiceUnderTest> {
  const own = isSea() ? [] : [...process.execArgv, process.argv[1] ?? ''];
  const address = ['--host', '127.0.0.1', '--port', '0', '--database', database];
  const rest = ['--rate-limit', RATE_LIMIT, '--drain-timeout', DRAIN_TIMEOUT, '--defect', defect];
  // What the user has set for another service is nothing to this one.
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
  // What it counted last may arrive after its end.
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
