/** The report: every figure with its spread over the rounds, as Markdown tables and as charts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { type Bar, chart } from './chart.ts';
import { type Figures, number, spread } from './figures.ts';
import { CONTENDERS, ROOT } from './servers.ts';

/** What was measured in each round, by server. */
export type Rounds = ReadonlyMap<string, readonly Figures[]>;

function shown(values: readonly number[]): string {
  const { median, low, high } = spread(values);
  return values.length < 2 ? number(median) : `${number(median)} (${number(low)}–${number(high)})`;
}

/** A table with a row for each server and a column for each figure. */
export function table(rounds: Rounds, columns: readonly string[]): string {
  const rows = [...rounds].map(([name, list]) => {
    const cells = columns.map((column) => {
      const values = list.flatMap((figures) => figures[column] ?? []);
      return values.length === 0 ? '–' : shown(values);
    });
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  const head = `| ${['', ...columns].join(' | ')} |`;
  return [head, `|${' --- |'.repeat(columns.length + 1)}`, ...rows].join('\n');
}

/** Every figure of one checkout beside those of another, and the ratio round by round. */
export function comparison(ours: readonly Figures[], theirs: readonly Figures[]): string {
  const rows = Object.keys(ours[0] ?? {}).map((name) => {
    const mine = ours.map((figures) => figures[name] as number);
    const other = theirs.map((figures) => figures[name] as number);
    const ratios = mine.map((value, round) => value / (other[round] as number));
    return `| ${[name, shown(mine), shown(other), shown(ratios)].join(' | ')} |`;
  });
  return ['|  | here | there | ratio |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

export const COLUMNS = [
  'create: CPU µs',
  'create: a second',
  'create: p99 at half load, ms',
  'get: CPU µs',
  'list: CPU µs',
];

/** Writes docs/benchmark: the page and its charts. */
export function publish(servers: Rounds, checkout: readonly Figures[], how: string): void {
  const directory = join(ROOT, 'docs/benchmark');
  const bars = (column: string): Bar[] =>
    [...servers].flatMap(([label, list]) => {
      const values = list.flatMap((figures) => figures[column] ?? []);
      return values.length === 0 ? [] : [{ label, value: spread(values), ours: label === 'Plant Store' }];
    });
  writeFileSync(join(directory, 'cpu.svg'), chart('CPU for a create', 'microseconds', bars('create: CPU µs')));
  writeFileSync(join(directory, 'rate.svg'), chart('Creates a second', 'at full load', bars('create: a second')));
  const notes = CONTENDERS.map(({ name, note }) => `| ${name} | ${note} |`);
  const own = Object.keys(checkout[0] ?? {}).map(
    (name) => `| ${name} | ${shown(checkout.map((figures) => figures[name] as number))} |`,
  );
  const page = `<!-- Made by npm run bench -- --full --write; not to be edited. -->

# Benchmark

${how} Each figure is the median of the rounds, with the lowest and the highest in brackets.
[How it is measured](method.md) says what the figures mean and how to run it again.

- Machine: ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB, ${type()} ${release()}.
- Versions: Node ${process.versions.node}, SQLite ${process.versions['sqlite']}, ${said('wrk')}, ${said('nginx')}.

## Side by side

64 connections; ids in order into an empty store; gets and lists of what was created.

${table(servers, COLUMNS)}

![CPU for a create](cpu.svg)

![Creates a second](rate.svg)

What each keeps of a write before it responds:

| server | keeps |
| --- | --- |
${notes.join('\n')}

## Plant Store alone

| | |
| --- | --- |
${own.join('\n')}
`;
  writeFileSync(join(directory, 'README.md'), page);
}

export function commit(root: string): string {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
}

function said(program: 'wrk' | 'nginx'): string {
  // Debian keeps nginx where only root looks.
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
  const { stdout, stderr } = spawnSync(program, ['-v'], { encoding: 'utf8', env });
  return `${program} ${/(?:wrk |nginx\/)(\S+)/.exec(`${stdout}${stderr}`)?.[1] ?? 'not installed'}`;
}
