/** Owns the tables of figures, in Markdown. */
import { cost, type Disk, type Figures } from './figures.ts';
import { isHalf } from './session.ts';
import { type Spread, spread } from './statistics.ts';
import { WORKLOADS } from './workloads.ts';

type Measured = Figures['sessions'][number];

const DISKS: Readonly<Record<Disk, string>> = { usual: '', slow: ', on a disk whose syncs take 3 ms more' };

/** Every workload that was measured, with a line for each server. */
export function tables({ sessions, servers }: Figures): string {
  return WORKLOADS.flatMap(({ name, title }) =>
    (['usual', 'slow'] as const).flatMap((disk) => {
      const here = sessions.filter((one) => one.workload === name && one.disk === disk);
      if (here.length === 0) return [];
      const rows = servers.flatMap((server) => row(here.filter((one) => one.server === server.name)));
      return [`### ${title}${DISKS[disk]}`, '', ...HEAD, ...rows, ''];
    }),
  ).join('\n');
}

const HEAD = [
  '| server | CPU µs a request | requests a second | p50 ms | p99 ms | p99.9 ms | most memory MB |',
  '| --- | --: | --: | --: | --: | --: | --: |',
];

function row(rounds: readonly Measured[]): readonly string[] {
  const [first] = rounds;
  if (first === undefined) return [];
  const of = (value: (one: Measured) => number) => spread(rounds.map(value));
  const halves = rounds.filter(({ half }) => isHalf(half.share));
  const latency = (value: (one: Measured['half']) => number) => spread(halves.map(({ half }) => value(half)));
  const cells = [
    first.server,
    withSpread(of(({ full }) => cost(full))),
    withSpread(of(({ full }) => full.requestsPerSecond)),
    middle(latency(({ p50 }) => p50)),
    middle(latency(({ p99 }) => p99)),
    middle(latency(({ p999 }) => p999)),
    middle(of(({ peakMemory }) => peakMemory)),
  ];
  return [`| ${cells.join(' | ')} |`];
}

export function withSpread(values: Spread | undefined): string {
  if (values === undefined) return '–';
  const { median, low, high } = values;
  return `${number(median)} (${number(low)}–${number(high)})`;
}

function middle(values: Spread | undefined): string {
  return values === undefined ? '–' : number(values.median);
}

/** As many digits as mean something. */
export function number(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
