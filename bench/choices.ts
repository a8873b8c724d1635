/** Owns what of the benchmark is run: read from the command line and the environment. */
import { parseArgs } from 'node:util';
import { CONTENDERS, type Contender, slugOf } from './contenders.ts';
import type { Disk } from './figures.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

export interface Choices {
  readonly rounds: number;
  /** How long one measurement takes. */
  readonly seconds: number;
  readonly workloads: readonly Workload[];
  readonly contenders: readonly Contender[];
  readonly disks: readonly Disk[];
  readonly extras: readonly Extra[];
  /** Whether docs/benchmark is written. */
  readonly write: boolean;
}

const DISKS = ['usual', 'slow'] as const;
/** What is measured of Plant Store alone, beside the workloads. */
const EXTRAS = ['reads', 'ready', 'ready-10m', 'ten-million'] as const;
type Extra = (typeof EXTRAS)[number];

/** As much as shows in a minute that everything runs. */
const SHORT = ['create', 'create-random-1m', 'get', 'list', 'ready'];
const SHORT_SERVERS = ['nginx', 'bare-node', 'without-a-store', 'plant-store'];

export const USAGE = `npm run bench -- [--full] [--only NAME,…] [--servers NAME,…] [--disk usual,slow] [--write]

  --full     everything: the table in docs/benchmark, in an hour or so
  --only     of ${[...WORKLOADS.map(({ name }) => name), ...EXTRAS].join(', ')}
  --servers  of ${CONTENDERS.map(slugOf).join(', ')}; a part of a name will do
  --disk     usual: as it is; slow: every sync takes 3 ms more
  --write    writes docs/benchmark

  BENCH_ROUNDS (1, full: 3) and BENCH_SECONDS (1, full: 3) say how often and how long.
`;

/** Throws a TypeError with one line for what is wrong. */
export function readChoices(args: readonly string[], env: NodeJS.ProcessEnv): Choices {
  const { values } = parseArgs({
    args: [...args],
    options: {
      full: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      only: { type: 'string' },
      servers: { type: 'string' },
      disk: { type: 'string' },
    },
  });
  const { full } = values;
  const everything = [...WORKLOADS.map(({ name }) => name), ...EXTRAS];
  const only = listOf(values.only) ?? (full ? everything : SHORT);
  const servers = listOf(values.servers) ?? (full ? [''] : SHORT_SERVERS);
  const disks = listOf(values.disk) ?? (full ? DISKS : ['usual']);
  for (const name of only) if (!everything.includes(name)) throw new TypeError(`there is no ${name} to measure`);
  for (const name of servers) if (!CONTENDERS.some(named(name))) throw new TypeError(`there is no server ${name}`);
  for (const name of disks) if (!DISKS.some((disk) => disk === name)) throw new TypeError(`there is no disk ${name}`);
  return {
    rounds: numberOf(env, 'BENCH_ROUNDS', full ? 3 : 1),
    seconds: numberOf(env, 'BENCH_SECONDS', full ? 3 : 1),
    workloads: WORKLOADS.filter(({ name }) => only.includes(name)),
    contenders: CONTENDERS.filter((contender) => servers.some((name) => named(name)(contender))),
    disks: DISKS.filter((disk) => disks.includes(disk)),
    extras: EXTRAS.filter((name) => only.includes(name)),
    write: values.write,
  };
}

/** A whole name means that server alone, a part of it all that have it. */
function named(name: string): (contender: Contender) => boolean {
  const whole = CONTENDERS.some((contender) => slugOf(contender) === name);
  return (contender) => (whole ? slugOf(contender) === name : slugOf(contender).includes(name));
}

function listOf(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((one) => one.trim());
}

/** wrk takes whole seconds alone. */
function numberOf(env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const value = Number(env[name] ?? otherwise);
  if (!Number.isInteger(value) || value < 1) throw new TypeError(`${name} must be a whole number from 1 on`);
  return value;
}
