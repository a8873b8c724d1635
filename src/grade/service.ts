/** The service that a run tests: another process, with one defect or none. docs/manifest.md describes the channel. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Duplex } from 'node:stream';
import { type Counts, NO_COUNTS } from '../defects/counts.ts';
import { StartupError } from '../errors.ts';
import { endGroup, withoutOwnVariables } from './command.ts';

/** The file descriptor of the channel in the service. */
const CHANNEL = 3;
/** How long the service may take to stop before it is killed. */
const STOP_MS = 10_000;
/** Characters of the log that are kept, to report why the service ended. */
const LOG_LENGTH = 4_000;

/** A message from the service. */
type Message = { readonly url: string } | { readonly counts: Counts };

/** The first message to the service. Only this message names the defect, so the tester cannot read it. */
interface Order {
  /** Null for a clean service. */
  readonly defect: string | null;
  /** The seed of the variants of the defects. Null for the published defects. */
  readonly variants: number | null;
}

export interface ServiceUnderTest {
  readonly url: string;
  /** Settles when the process has ended for any reason. */
  readonly ended: Promise<unknown>;
  /** The last line of the log. */
  why(): string;
  /** Stops the service and resolves to its counts. */
  stop(): Promise<Counts>;
}

/** `watch` gets the counts whenever they change. Rejects with a StartupError if the service does not start. */
export async function startServiceUnderTest(
  command: readonly string[],
  order: Order,
  watch: (counts: Counts) => void,
): Promise<ServiceUnderTest> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    // Ctrl-C at a terminal ends the tester first.
    detached: true,
    env: { ...withoutOwnVariables(process.env), GRADE_CHANNEL: String(CHANNEL) },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const ready = Promise.withResolvers<string>();
  let log = '';
  const why = () => log.trim().split('\n').at(-1) ?? '';
  const refuse = (error: unknown) =>
    ready.reject(new StartupError(`the service did not start: ${error instanceof Error ? error.message : why()}`));
  ended.then(refuse, refuse);
  child.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-LOG_LENGTH);
  });
  const channel = child.stdio[CHANNEL];
  if (!(channel instanceof Duplex)) throw new StartupError(`cannot start ${program}: ${await ready.promise}`);
  channel.on('error', () => undefined);
  let counts = NO_COUNTS;
  createInterface({ input: channel }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    if ('url' in message) ready.resolve(message.url);
    else {
      counts = message.counts;
      watch(counts);
    }
  });
  channel.write(`${JSON.stringify(order)}\n`);
  return {
    url: await ready.promise,
    ended,
    why,
    async stop() {
      channel.end();
      const timer = setTimeout(() => endGroup(child, 'SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(timer);
      return counts;
    },
  };
}
