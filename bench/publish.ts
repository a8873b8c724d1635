/** Owns docs/benchmark: what a run found, as figures, as a page and as charts. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type Bar, chart } from './chart.ts';
import { BARE_NODE, NGINX, PLANT_STORE, WITHOUT_STORE } from './contenders.ts';
import type { Figures } from './figures.ts';
import { total } from './process-tree.ts';
import { report } from './report.ts';
import { spread } from './statistics.ts';

type Measured = Figures['sessions'][number];

const DOCS = new URL('../docs/benchmark/', import.meta.url);
const CHARTS = [
  {
    file: 'cpu.svg',
    title: 'CPU for a create',
    unit: 'µs, sequential ids',
    of: ({ full }: Measured) => total(full.cpu),
  },
  {
    file: 'rate.svg',
    title: 'Creates a second',
    unit: 'sequential ids, 64 connections',
    of: ({ full }: Measured) => full.requestsPerSecond,
  },
] as const;

export function publish(figures: Figures): void {
  mkdirSync(DOCS, { recursive: true });
  writeFileSync(new URL('figures.json', DOCS), `${JSON.stringify(figures, null, 2)}\n`);
  for (const [file, content] of Object.entries(pages(figures))) writeFileSync(new URL(file, DOCS), content);
}

/** The page and its charts: what `npm run generate` makes of the figures too, and finds altered. */
export function pages(figures: Figures): Readonly<Record<string, string>> {
  const charts = CHARTS.map((one) => ({ ...one, bars: barsOf(figures, one.of) })).filter(({ bars }) => bars.length > 0);
  const drawn = charts.map(({ file, title, unit, bars }) => [file, chart(title, unit, bars)]);
  return { ...Object.fromEntries(drawn), 'README.md': report(figures, charts) };
}

/** What was published last; undefined when nothing was. */
export function published(): Figures | undefined {
  try {
    return JSON.parse(readFileSync(new URL('figures.json', DOCS), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Of the servers that others write, those that keep what they answer: the rest answers another question. */
function barsOf({ servers, sessions }: Figures, of: (one: Measured) => number): readonly Bar[] {
  const own = [NGINX, BARE_NODE, WITHOUT_STORE].map(({ name }) => name);
  return servers.flatMap(({ name, durable }) => {
    if (!durable && !own.includes(name)) return [];
    const rounds = sessions.filter((one) => one.server === name && one.workload === 'create' && one.disk === 'usual');
    const value = spread(rounds.map(of));
    const label = durable ? name : `${name} (keeps nothing)`;
    return value === undefined ? [] : [{ label, value, ours: name === PLANT_STORE.name }];
  });
}
