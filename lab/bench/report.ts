/** The report: every figure with its spread over the rounds, in Markdown tables and charts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { type Bar, chart } from './chart.ts';
import { type Figures, number, type Rounds, spread } from './figures.ts';
import { CONTENDERS, ROOT } from './servers.ts';

/** Prints a line. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Formats the median, with the lowest and the highest in brackets. */
export function shown(values: readonly number[]): string {
  const { median, low, high } = spread(values);
  return values.length < 2 ? number(median) : `${number(median)} (${number(low)}–${number(high)})`;
}

/** Returns a table in Markdown. The columns after the first `left` ones are aligned to the right. */
export function markdown(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  left = head.length,
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i < left ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** Returns a table with a row for each server and a column for each figure. */
export function table(rounds: Rounds, columns: readonly string[]): string {
  const rows = [...rounds].map(([name, list]) => {
    const cells = columns.map((column) => {
      const values = list.flatMap((figures) => figures[column] ?? []);
      return values.length === 0 ? '–' : shown(values);
    });
    return [name, ...cells];
  });
  return markdown(['', ...columns], rows);
}

/** Returns a table of both checkouts' figures, with their ratio in each round. */
export function comparison(ours: readonly Figures[], theirs: readonly Figures[]): string {
  const rows = Object.keys(ours[0] ?? {}).map((name) => {
    const mine = ours.map((figures) => figures[name] as number);
    const other = theirs.map((figures) => figures[name] as number);
    const ratios = mine.map((value, round) => value / (other[round] as number));
    return [name, shown(mine), shown(other), shown(ratios)];
  });
  return markdown(['', 'here', 'there', 'ratio'], rows);
}

export const COLUMNS = [
  'create: CPU µs',
  'create: per second',
  'create: p99 at half load, ms',
  'create at random: CPU µs',
  'get: CPU µs',
  'list: CPU µs',
];

type Ratios = readonly [other: string, column: string, each: readonly number[]];

/** Returns the ratios of a server to each other server, round by round. */
export function ratios(rounds: Rounds, name: string, columns: readonly string[]): readonly Ratios[] {
  const own = rounds.get(name) ?? [];
  return columns.flatMap((column) =>
    [...rounds].flatMap(([other, list]): Ratios[] => {
      const each = own.flatMap(
        (figures, round) => (figures[column] ?? Number.NaN) / (list[round]?.[column] ?? Number.NaN),
      );
      return other === name || each.some(Number.isNaN) ? [] : [[other, column, each]];
    }),
  );
}

/** Returns tables with the figures of each round, and with the ratios of one server to the others. */
export function everyRound(rounds: Rounds, name: string, columns: readonly string[]): string {
  const row = (what: string, of: string, values: readonly number[]) => {
    return [what, of, shown(values), values.map((value) => value.toFixed(2)).join(' ')];
  };
  const figures = columns.flatMap((column) =>
    [...rounds].flatMap(([server, list]) => {
      const values = list.flatMap((one) => one[column] ?? []);
      return values.length === 0 ? [] : [row(column, server, values)];
    }),
  );
  const divided = ratios(rounds, name, columns).map(([other, column, each]) => row(column, `${name} / ${other}`, each));
  return markdown(['', 'server', 'median (range)', 'each round'], [...figures, ...divided]);
}

/** Writes docs/benchmark: the page and its charts. */
export function publish(servers: Rounds, checkout: readonly Figures[], how: string): void {
  const directory = join(ROOT, 'docs/benchmark');
  const bars = (column: string): Bar[] =>
    [...servers].flatMap(([label, list]) => {
      const values = list.flatMap((figures) => figures[column] ?? []);
      return values.length === 0 ? [] : [{ label, value: spread(values), ours: label === 'Plant Store' }];
    });
  writeFileSync(join(directory, 'cpu.svg'), chart('CPU for a create', 'microseconds', bars('create: CPU µs')));
  writeFileSync(join(directory, 'rate.svg'), chart('Creates per second', 'at full load', bars('create: per second')));
  const notes = CONTENDERS.map(({ name, note }) => [name, note]);
  const own = Object.keys(checkout[0] ?? {}).map((name) => [
    name,
    shown(checkout.map((figures) => figures[name] as number)),
  ]);
  const page = `<!-- Made by npm run bench -- --full --write; not to be edited. -->

# Benchmark

${how}
All servers ran side by side in each round. Each figure is the median, with the lowest and the highest in brackets.
[How it is measured](method.md) explains the figures, and how to run the benchmark again.

${machine()}

## Side by side

With 64 connections: creates with ids in order into an empty store, then gets and lists of these plants.

${table(servers, COLUMNS)}

![CPU for a create](cpu.svg)

![Creates per second](rate.svg)

What each server has kept of a write when it responds:

${markdown(['server', 'keeps'], notes)}

## Further figures for Plant Store

${markdown(['', ''], own)}
`;
  writeFileSync(join(directory, 'README.md'), page);
}

/** Replaces a part of a page in docs/benchmark, which has a comment before and after it. */
export function writePart(file: string, part: string, text: string): void {
  const path = join(ROOT, 'docs/benchmark', file);
  const [begin, end] = [`<!-- ${part} -->\n`, `\n<!-- end of ${part} -->`];
  const page = readFileSync(path, 'utf8');
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)];
  if (start === -1 || stop === -1) throw new Error(`${path} has no place for ${part}`);
  writeFileSync(path, `${page.slice(0, start + begin.length)}\n${text}\n${page.slice(stop)}`);
}

/** Returns a sentence for a page. */
export function howMeasured({ rounds, seconds }: { readonly rounds: number; readonly seconds: number }): string {
  const date = new Date().toISOString().slice(0, 10);
  const often = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
  return `Measured at commit ${commit(ROOT)} on ${date}, in ${often} of ${seconds} s.`;
}

/** Returns two lines of a list: the machine, and the versions of the programs. */
export function machine(): string {
  return `- Machine: ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB, \
${type()} ${release()}.
- Versions: Node ${process.versions.node}, SQLite ${process.versions['sqlite']}, ${said('wrk')}, ${said('nginx')}.`;
}

export function commit(root: string): string {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
}

function said(program: 'wrk' | 'nginx'): string {
  // Debian installs nginx in a folder that is only in root's PATH.
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
  const { stdout, stderr } = spawnSync(program, ['-v'], { encoding: 'utf8', env });
  return `${program} ${/(?:wrk |nginx\/)(\S+)/.exec(`${stdout}${stderr}`)?.[1] ?? 'not installed'}`;
}
