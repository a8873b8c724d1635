/**
 * Records what a running service writes, syncs and responds, and rebuilds its files as a power cut could have left them
 * at random moments. Whatever was confirmed before that moment must be in them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createDirectory } from '../../../test/harness/directory.ts';
import { NAMESPACE } from '../../../test/harness/mount.ts';
import { versionsOf } from '../debian.ts';
import { createViolations, runCheck, say } from '../outcome.ts';
import { createDisk, type Disk } from './disk.ts';
import { checkState, type History } from './states.ts';
import { CALLS, type Event, readTrace } from './trace.ts';

/** In each phase of the workload. */
const FULL = { requests: 600, cuts: 280 };
const SHORT = { requests: 100, cuts: 12 };
const PHASES = ['requests', 'an import', 'resets', 'a backup', 'an export', 'a full disk', 'restarts', 'migrations'];
/** The rebuilt files need no disk. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Runs the workload. Resolves to the events in their order and to what the workload did. */
async function record(root: string, seed: number, requests: number, control: string | undefined) {
  const [trace, history] = [`${root}.trace`, `${root}.history`];
  const strace = ['strace', '-f', '--seccomp-bpf', '-y', '-xx', '-s', '10000000', '-o', trace, '-e', `trace=${CALLS}`];
  const workload = [process.execPath, `${import.meta.dirname}/workload.ts`, root, history, `${seed}`, `${requests}`];
  const env = { ...process.env, ...(control === undefined ? {} : { PROOF_CONTROL: control }) };
  mkdirSync(root);
  const { status, stderr } = spawnSync('unshare', [...NAMESPACE, ...strace, ...workload], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the workload ended with ${status}: ${stderr}`);
  return {
    events: await readTrace(trace, root),
    history: JSON.parse(readFileSync(history, 'utf8')) as History,
  };
}

/** Finds when operations were confirmed and phases began, and the changes of files in each phase. */
function timesOf(events: readonly Event[], marks: string) {
  const confirmations = new Map<string, number>();
  const began = new Map<string, number>();
  const changes = new Map<string, number[]>();
  let phase = '';
  for (const [time, event] of events.entries()) {
    if (event.does === 'write' && event.path === marks) {
      phase = event.data.toString().trim();
      if (!began.has(phase)) began.set(phase, time);
    } else if (event.does === 'send') {
      const operation = confirmedBy(event.text);
      if (operation !== undefined && !confirmations.has(operation)) confirmations.set(operation, time);
    } else if (event.does !== 'sync' && event.does !== 'open') {
      const times = changes.get(phase) ?? [];
      times.push(time);
      changes.set(phase, times);
    }
  }
  return {
    confirmed: (operation: string) => confirmations.get(operation) ?? Number.POSITIVE_INFINITY,
    began: (name: string) => began.get(name) ?? Number.POSITIVE_INFINITY,
    changesDuring: (name: string) => changes.get(name) ?? [],
  };
}

/** Returns the operation that sent bytes confirm. A command confirms with its last line. */
function confirmedBy(text: string): string | undefined {
  if (text.startsWith('HTTP/1.1 201 ')) return 'sandbox';
  if (text.startsWith('HTTP/1.1 2')) return /^x-request-id: (\S+)/im.exec(text)?.[1];
  if (text.startsWith('Copied ')) return 'backup';
  if (/^[\d,]+ plants exported/.test(text)) return 'export';
  return /^[\d,]+ created/.test(text) ? 'import' : undefined;
}

/** `positions`: the positions of file descriptors. */
function apply(disk: Disk, event: Event, time: number, positions: Map<string, number>): void {
  if (event.does === 'sync') disk.sync(event.path, event.since);
  if (event.does === 'mkdir') disk.create(event.path, 'folder', time);
  if (event.does === 'remove') disk.remove(event.path, time);
  if (event.does === 'rename' || event.does === 'link') disk[event.does](event.path, event.to, time);
  if (event.does === 'truncate') disk.truncate(event.path, event.length, time);
  if (event.does === 'open') {
    const { path, fd, flags } = event;
    if (flags.includes('O_CREAT') && !disk.has(path)) disk.create(path, 'file', time);
    if (flags.includes('O_TRUNC')) disk.truncate(path, 0, time);
    if (!flags.includes('O_DIRECTORY'))
      positions.set(`${fd} ${path}`, flags.includes('O_APPEND') ? disk.lengthOf(path) : 0);
  }
  if (event.does === 'write') {
    const { path, fd, data } = event;
    const at = event.at ?? positions.get(`${fd} ${path}`) ?? 0;
    disk.write(path, at, data, time);
    if (event.at === undefined) positions.set(`${fd} ${path}`, at + data.length);
  }
}

await runCheck(async ({ short, seed, control, random }) => {
  const { requests, cuts } = short ? SHORT : FULL;
  using directory = createDirectory();
  const root = directory.at('disk');
  const { events, history } = await record(root, seed, requests, control);
  const times = timesOf(events, join(root, 'marks'));
  say(`recorded ${events.length} events`);

  const moments = new Map<number, string>();
  for (const phase of PHASES) {
    const changes = times.changesDuring(phase);
    if (changes.length === 0) throw new Error(`no file changed during ${phase}`);
    for (let n = 0; n < cuts; n++) moments.set(changes[Math.floor(random() * changes.length)] ?? -1, phase);
  }
  const violations = createViolations();
  const disk = createDisk(root);
  const positions = new Map<string, number>();
  const counts: Record<string, number> = { states: 0, 'look-ups': 0 };
  const add = (what: string, count: number) => {
    counts[what] = (counts[what] ?? 0) + count;
  };
  for (const [time, event] of events.entries()) {
    apply(disk, event, time, positions);
    const phase = moments.get(time);
    if (phase === undefined) continue;
    const files = new Map([...disk.cut(random)].map(([path, content]) => [relative(root, path), content]));
    add('look-ups', await checkState({ files, time, phase }, { history, times, memory: MEMORY, violations }));
    add('states', 1);
    add(`states during ${phase}`, 1);
    if (disk.isPending(join(root, 'data/plants.db'))) add('states during checkpoints', 1);
    if ((counts['states'] ?? 0) % 100 === 0) say(`${counts['states']} states`);
  }
  return { counts, versions: versionsOf('strace'), ...violations.result() };
});
