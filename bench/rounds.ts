/** Owns the order of a run: round by round, in each every workload, in each every server, one beside the other. */
import type { Choices } from './choices.ts';
import { type Contender, EXECUTABLE, isInstalled, PLANT_STORE } from './contenders.ts';
import { CACHE } from './databases.ts';
import type { Case, Disk, Figures } from './figures.ts';
import { describeCommit, describeMachine, describeVersions } from './machine.ts';
import { measureReads } from './reads.ts';
import { measureReady, measureReadyOn } from './ready.ts';
import { runSession } from './session.ts';
import { slowSyncEnv } from './slow-sync.ts';
import { measureTenMillion } from './ten-million.ts';
import { serves } from './workloads.ts';

const TEN_MILLION = 10_000_000;
const READS = 'gets while creates run';

/** Tells of every step as it goes. What fails is among the failures; the rest goes on. */
export async function measureAll(choices: Choices, say: (text: string) => void): Promise<Omit<Figures, 'soak'>> {
  const { rounds, seconds, workloads, extras } = choices;
  const contenders = choices.contenders.filter(isInstalled);
  for (const { name } of choices.contenders.filter((one) => !isInstalled(one))) say(`${name} is not installed`);
  const times = { warmUp: Math.min(2, seconds), full: seconds, half: seconds };
  const slow = slowSyncEnv();
  if (slow === undefined) say('the disk cannot be slowed: that takes Linux and a C compiler');
  const environments: Readonly<Record<Disk, Readonly<Record<string, string>> | undefined>> = { usual: {}, slow };

  const failures: Figures['failures'][number][] = [];
  async function attempt<T>(which: Case, measure: () => Promise<T>): Promise<readonly T[]> {
    say(`round ${which.round}, ${which.disk} disk, ${which.workload}: ${which.server}`);
    try {
      return [await measure()];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      say(`failed: ${message}`);
      failures.push({ ...which, message });
      return [];
    }
  }

  const sessions: Figures['sessions'][number][] = [];
  const reads: Figures['reads'][number][] = [];
  const ready: Figures['ready'][number][] = [];
  let tenMillion: Figures['tenMillion'];
  for (let round = 1; round <= rounds; round++) {
    for (const workload of workloads) {
      for (const disk of choices.disks) {
        const env = environments[disk];
        if (env === undefined || (disk === 'slow' && !workload.slowDisk)) continue;
        for (const contender of contenders.filter(
          (one) => serves(one, workload) && (disk === 'usual' || one.durable),
        )) {
          const which = { round, disk, workload: workload.name, server: contender.name };
          const found = await attempt(which, () => runSession(contender, workload, env, times));
          sessions.push(...found.map((session) => ({ ...which, ...session })));
        }
      }
    }
    if (slow !== undefined && extras.includes('reads')) {
      const which = { round, disk: 'slow', workload: READS, server: PLANT_STORE.name } as const;
      reads.push(...(await attempt(which, () => measureReads(round, seconds, slow))).flat());
    }
  }
  const once = (workload: string, { name }: Contender) =>
    ({ round: 1, disk: 'usual', workload, server: name }) as const;
  if (extras.includes('ready')) {
    for (const contender of [...contenders, EXECUTABLE].filter(isInstalled)) {
      ready.push(...(await attempt(once('ready', contender), () => measureReady(contender))));
    }
  }
  if (extras.includes('ready-10m')) {
    ready.push(...(await attempt(once('ready', PLANT_STORE), () => measureReadyOn(TEN_MILLION))).flat());
  }
  if (extras.includes('ten-million')) {
    [tenMillion] = await attempt(once('ten million creates', PLANT_STORE), () => measureTenMillion(say));
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: describeCommit(),
    machine: describeMachine(CACHE),
    versions: describeVersions(),
    rounds,
    seconds,
    servers: contenders.map(({ name, note, durable }) => ({ name, note, durable })),
    sessions,
    failures,
    reads,
    ready,
    tenMillion,
  };
}
