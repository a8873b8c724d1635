/** Owns the order of a run: round by round, in each every workload, in each every server, one beside the other. */
import type { Choices } from './choices.ts';
import { EXECUTABLE, isInstalled, PLANT_STORE } from './contenders.ts';
import { CACHE } from './databases.ts';
import type { Case, Figures, Reads, Ready, TenMillion } from './figures.ts';
import { describeCommit, describeMachine, describeVersions } from './machine.ts';
import { measureReads } from './reads.ts';
import { measureReady, measureReadyOn } from './ready.ts';
import { runSession, type Session } from './session.ts';
import { slowSyncEnv } from './slow-sync.ts';
import { measureTenMillion } from './ten-million.ts';
import { serves } from './workloads.ts';

/** What one run collects. */
interface Found {
  readonly sessions: (Case & Session)[];
  readonly reads: Reads[];
  readonly ready: Ready[];
  tenMillion: TenMillion | undefined;
}

interface Step extends Case {
  measure(found: Found): Promise<void>;
}

const WARM_UP_SECONDS = 2;
const TEN_MILLION = 10_000_000;

/** Tells of every step as it goes. What fails is among the failures; the rest goes on. */
export async function measureAll(choices: Choices, say: (text: string) => void): Promise<Omit<Figures, 'soak'>> {
  for (const { name } of choices.contenders.filter((one) => !isInstalled(one))) say(`${name} is not installed`);
  const installed = { ...choices, contenders: choices.contenders.filter(isInstalled) };
  const found: Found = { sessions: [], reads: [], ready: [], tenMillion: undefined };
  const failures: Figures['failures'][number][] = [];
  const steps = [...rounds(installed, say), ...once(installed, say)];
  for (const [i, { measure, ...which }] of steps.entries()) {
    say(`${i + 1} of ${steps.length}: round ${which.round}, ${which.workload}, ${which.disk} disk, ${which.server}`);
    try {
      await measure(found);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      say(`it failed: ${message}`);
      failures.push({ ...which, message });
    }
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: describeCommit(),
    machine: describeMachine(CACHE),
    versions: describeVersions(),
    rounds: choices.rounds,
    seconds: choices.seconds,
    servers: installed.contenders.map(({ name, note, durable }) => ({ name, note, durable })),
    failures,
    ...found,
  };
}

function rounds({ rounds, ...choices }: Choices, say: (text: string) => void): readonly Step[] {
  const slow = slowSyncEnv();
  if (slow === undefined) say('the disk cannot be slowed: that takes Linux and a C compiler');
  const disks = { usual: {}, slow };
  const times = { warmUp: Math.min(WARM_UP_SECONDS, choices.seconds), full: choices.seconds, half: choices.seconds };

  const steps: Step[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const workload of choices.workloads) {
      for (const disk of choices.disks) {
        const env = disks[disk];
        if (env === undefined || (disk === 'slow' && !workload.slowDisk)) continue;
        for (const contender of choices.contenders) {
          // A server that syncs nothing is not slowed by a slow disk.
          if (!serves(contender, workload) || (disk === 'slow' && !contender.durable)) continue;
          const which: Case = { round, disk, workload: workload.name, server: contender.name };
          const measure = async ({ sessions }: Found) => {
            sessions.push({ ...which, ...(await runSession(contender, workload, env, times)) });
          };
          steps.push({ ...which, measure });
        }
      }
    }
    if (slow === undefined || !choices.extras.includes('reads')) continue;
    const measure = async ({ reads }: Found) => {
      reads.push(...(await measureReads(round, choices.seconds, slow)));
    };
    steps.push({ round, disk: 'slow', workload: 'gets while creates run', server: PLANT_STORE.name, measure });
  }
  return steps;
}

/** What is measured once: a start is repeated by itself, and ten million creates are enough. */
function once({ extras, contenders }: Choices, say: (text: string) => void): readonly Step[] {
  const step = (workload: string, server: string, measure: Step['measure']): Step => ({
    ...{ round: 1, disk: 'usual', workload, server },
    measure,
  });
  const steps: Step[] = [];
  if (extras.includes('ready')) {
    for (const contender of [...contenders, EXECUTABLE]) {
      const measure = async ({ ready }: Found) => void ready.push(await measureReady(contender));
      steps.push(step('a start', contender.name, measure));
    }
  }
  if (extras.includes('ready-10m')) {
    const measure = async ({ ready }: Found) => void ready.push(...(await measureReadyOn(TEN_MILLION)));
    steps.push(step('a start on 10 million plants', PLANT_STORE.name, measure));
  }
  if (extras.includes('ten-million')) {
    const measure = async (found: Found) => {
      found.tenMillion = await measureTenMillion(say);
    };
    steps.push(step('10 million creates', PLANT_STORE.name, measure));
  }
  return steps;
}
