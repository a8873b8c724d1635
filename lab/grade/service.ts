/** The service that a run tests: another process, with one defect or none. docs/manifest.md describes the channel. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { StartupError } from '../../src/errors.ts';
import { type Counts, NO_COUNTS } from '../defects/counts.ts';
import { endGroup, explainStart, lastLine, withoutOwnVariables } from './command.ts';
import { readMessages } from './service-messages.ts';

/** The file descriptor of the channel in the service. */
const CHANNEL = 3;
/** How long the service may take to start. */
const START_MS = 30_000;
/** How long the service may take to stop before it is killed. */
const STOP_MS = 10_000;
/** Characters of the log that are kept, to report why the service ended. */
const LOG_LENGTH = 4_000;

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

interface Start {
  readonly command: readonly string[];
  /** The current folder of a service that is not Plant Store. */
  readonly folder: string;
  readonly order: Order;
  /** Gets the counts whenever they change. */
  readonly watch?: (counts: Counts) => void;
  /** Ends a service that has not started yet. */
  readonly stop?: AbortSignal;
}

const notStarted = (why: string) => new StartupError(`the service did not start: ${why}`);

function spawnService(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  try {
    return spawn(program, args, options);
  } catch (error) {
    // Some errors are emitted instead, such as ENOENT.
    throw notStarted(explainStart(program, error));
  }
}

/** Rejects with a StartupError if the service does not start. */
export async function startServiceUnderTest({
  command,
  folder,
  order,
  watch,
  stop = new AbortController().signal,
}: Start): Promise<ServiceUnderTest> {
  const [program = '', ...args] = command;
  // The user's NODE_OPTIONS may name modules of the current folder. Yarn's Plug'n'Play needs them to find this program.
  const isOwn = command.includes(process.argv[1] ?? process.execPath);
  const child = spawnService(program, args, {
    cwd: isOwn ? undefined : folder,
    // Ctrl-C at a terminal ends the tester first.
    detached: true,
    env: { ...withoutOwnVariables(process.env), GRADE_CHANNEL: String(CHANNEL) },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').catch((error) => {
    throw new Error(explainStart(program, error));
  });
  const channel = child.stdio[CHANNEL];
  if (!(channel instanceof Duplex)) throw new Error('Node made no channel');
  const ready = Promise.withResolvers<string>();
  let log = '';
  const how = () => `it ended with ${child.signalCode ?? `exit code ${child.exitCode}`}`;
  const why = () => lastLine(log) || how();
  const refuse = (error: unknown) => ready.reject(notStarted(Error.isError(error) ? error.message : why()));
  ended.then(refuse, refuse);
  const kill = () => {
    endGroup(child, 'SIGKILL');
    // A process that left the group may keep them open.
    channel.destroy();
    child.stderr?.destroy();
  };
  const end = (why: string) => {
    log = why;
    // A later message of the service must not start the run.
    refuse(new Error(why));
    kill();
  };
  const late = AbortSignal.any([stop, AbortSignal.timeout(START_MS)]);
  const cancel = () => end(`it sent no url within ${START_MS / 1_000} s; if the machine is busy, grade again later`);
  late.addEventListener('abort', cancel);
  void ready.promise.catch(() => undefined).then(() => late.removeEventListener('abort', cancel));
  child.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-LOG_LENGTH);
  });
  let counts = NO_COUNTS;
  readMessages(channel, end, (message) => {
    if (message.url !== undefined) ready.resolve(message.url);
    if (message.counts === undefined) return;
    counts = { ...NO_COUNTS, ...message.counts };
    watch?.(counts);
  });
  channel.write(`${JSON.stringify(order)}\n`);
  return {
    url: await ready.promise,
    ended,
    why,
    async stop() {
      channel.end();
      const timer = setTimeout(kill, STOP_MS);
      await ended;
      clearTimeout(timer);
      return counts;
    },
  };
}
