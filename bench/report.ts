/** Owns the report: docs/benchmark/README.md, all of it made from the figures of one run. */
import { type Disk, type Figures, isHalf, readsBeside } from './figures.ts';
import { middle, number, withSpread } from './format.ts';
import { type Goal, goals } from './goals.ts';
import { total } from './process-tree.ts';
import { spread } from './statistics.ts';
import { WORKLOADS } from './workloads.ts';

type Measured = Figures['sessions'][number];

const DISKS: Readonly<Record<Disk, string>> = { usual: '', slow: ', on a disk whose syncs take 3 ms more' };
/** Beyond this part of a core wrk itself may have been what set the rate. */
const LOADER_LIMIT = 0.9;
/** Beyond this part of a core something else was in the way. */
const OTHERS_LIMIT = 0.1;

/** The whole page. `charts` are the names of the pictures beside it. */
export function report(figures: Figures, charts: readonly { readonly file: string; readonly title: string }[]): string {
  const { date, commit, rounds, seconds } = figures;
  return `<!-- Made by \`npm run bench -- --full --write\` from figures.json: not to be edited. -->

# Benchmark

Measured on ${date} at commit ${commit}, rounds: ${rounds}, seconds for each measurement: ${seconds},
with all servers side by side in each round. [How it is measured](method.md) says what the figures mean, what they leave out, and how to run it again.
[figures.json](figures.json) has every single measurement.

${machine(figures)}
${disturbance(figures)}
## Goals

${goalTable(goals(figures))}

${charts.map(({ file, title }) => `![${title}](${file})`).join('\n\n')}

## Servers

${table(
  ['server', 'keeps'],
  figures.servers.map(({ name, note }) => [name, note]),
)}

## Workloads

CPU, rate and memory at full load, latency at half of each server's own full load: medians of the rounds, with the lowest
and the highest in brackets. A dash means that nothing could be measured.

${tables(figures)}
${readsSection(figures)}${readySection(figures)}${memorySection(figures)}${failureSection(figures)}`;
}

/** Every workload that was measured, with a line for each server. */
function tables({ sessions, servers }: Figures): string {
  const parts = WORKLOADS.flatMap(({ name, title }) =>
    (['usual', 'slow'] as const).flatMap((disk) => {
      const here = sessions.filter((one) => one.workload === name && one.disk === disk);
      if (here.length === 0) return [];
      const rows = servers.flatMap((server) => row(here.filter((one) => one.server === server.name)));
      return [`### ${title}${DISKS[disk]}\n\n${table(HEAD, rows)}\n`];
    }),
  );
  const limited = sessions.some(({ full }) => full.loader > LOADER_LIMIT);
  return [...parts, ...(limited ? ['† wrk was busy all the time: the server may be able to do more.\n'] : [])].join(
    '\n',
  );
}

const HEAD = ['server', 'CPU µs a request', 'requests a second', 'p50 ms', 'p99 ms', 'p99.9 ms', 'most memory MB'];

function row(rounds: readonly Measured[]): readonly (readonly string[])[] {
  const [first] = rounds;
  if (first === undefined) return [];
  const of = (value: (one: Measured) => number) => spread(rounds.map(value));
  const halves = rounds.filter(({ half }) => isHalf(half.share));
  const latency = (value: (one: Measured['half']) => number) => middle(spread(halves.map(({ half }) => value(half))));
  const limited = rounds.some(({ full }) => full.loader > LOADER_LIMIT);
  return [
    [
      first.server,
      withSpread(of(({ full }) => total(full.cpu))),
      withSpread(of(({ full }) => full.requestsPerSecond)) + (limited ? ' †' : ''),
      latency(({ p50 }) => p50),
      latency(({ p99 }) => p99),
      latency(({ p999 }) => p999),
      middle(of(({ peakMemory }) => peakMemory)),
    ],
  ];
}

function machine({ machine: { processor, cores, memory, kernel, sync }, versions }: Figures): string {
  const used = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `- Machine: ${processor}, ${cores} cores, ${memory} GB, ${kernel}.
- Disk: appending and syncing 4 KiB takes ${number(sync)} ms (the median).
- Versions: ${used.join(', ')}.`;
}

function disturbance({ sessions }: Figures): string {
  const disturbed = sessions.filter(({ full }) => full.others > OTHERS_LIMIT).length;
  if (disturbed === 0) return '';
  return `- **Disturbed**: in ${disturbed} of ${sessions.length} sessions something else used more than a tenth of a core.\n`;
}

function goalTable(all: readonly Goal[]): string {
  const verdict = ({ met }: Goal) => (met === undefined ? 'not measured' : met ? 'met' : '**not met**');
  return table(
    ['', 'goal', 'measured', ''],
    all.map((one) => [String(one.number), one.says, one.found, verdict(one)]),
  );
}

function readsSection(figures: Figures): string {
  if (figures.reads.length === 0) return '';
  const rows = (['full', 'half'] as const).map((load) => {
    const here = readsBeside(figures, load);
    const of = (value: (one: Figures['reads'][number]) => number) => withSpread(spread(here.map(value)));
    const latencies = [of(({ p50 }) => p50), of(({ p99 }) => p99), of(({ p999 }) => p999)];
    return [load, of((one) => one.createsPerSecond), of((one) => one.getsPerSecond), ...latencies];
  });
  return `### Gets while creates run${DISKS.slow}

Plant Store, with 1 million plants.

${table(['load of creates', 'creates a second', 'gets a second', 'get p50 ms', 'p99 ms', 'p99.9 ms'], rows)}

`;
}

function readySection({ ready }: Figures): string {
  if (ready.length === 0) return '';
  const rows = ready.map((one) => [one.server, one.stored.toLocaleString('en'), withSpread(spread(one.milliseconds))]);
  return `## Start

From the start of the process to its first answer with 200.

${table(['server', 'plants', 'ms'], rows)}

`;
}

function memorySection({ tenMillion, soak }: Figures): string {
  const parts: string[] = [];
  if (tenMillion !== undefined) {
    const { creates, seconds, cpu, peakMemory, memoryAfter } = tenMillion;
    parts.push(`Plant Store, ${creates.toLocaleString('en')} creates with sequential ids into an empty store, at full load, in
${number(seconds)} seconds: ${number(peakMemory)} MB at most, ${number(memoryAfter)} MB at rest afterwards, and ${number(total(cpu))} µs
of CPU per create, including all that was put off.`);
  }
  if (soak !== undefined) {
    const { date, commit, workload, requests, samples } = soak;
    const rows = samples.map(({ minutes, megabytes }) => [minutes.toFixed(1), number(megabytes)]);
    parts.push(`Under the workload “${workload}” at full load (${requests.toLocaleString('en')} requests, measured on ${date} at
commit ${commit}):

${table(['minutes', 'MB'], rows)}`);
  }
  return parts.length === 0 ? '' : `## Memory\n\n${parts.join('\n\n')}\n`;
}

function failureSection({ failures }: Figures): string {
  if (failures.length === 0) return '';
  const rows = failures.map((one) => [
    String(one.round),
    `${one.workload}${DISKS[one.disk]}`,
    one.server,
    one.message.split('\n')[0] ?? '',
  ]);
  return `\n## Failures\n\n${table(['round', 'workload', 'server', 'what happened'], rows)}\n`;
}

/** All but the first column are figures, unless there are only two. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
