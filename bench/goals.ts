/** Owns what the service is held to, and whether the figures of a run show it. */
import { BARE_NODE, EXECUTABLE, NGINX, PLANT_STORE, WITHOUT_STORE } from './contenders.ts';
import { type Figures, isHalf, readsBeside, type Soak } from './figures.ts';
import { number, withSpread } from './format.ts';
import { total } from './process-tree.ts';
import { ratios, type Spread, slope, spread } from './statistics.ts';

export interface Goal {
  readonly number: number;
  readonly says: string;
  readonly found: string;
  /** Undefined where the run did not measure it. */
  readonly met: boolean | undefined;
}

type Evidence = Pick<Goal, 'found' | 'met'>;
type Measured = Figures['sessions'][number];

const OURS = PLANT_STORE.name;
const TEN_MILLION = 10_000_000;
/** What settles in the first minutes is no growth, and no line of a process that collects garbage is quite flat. */
const SETTLED_MINUTES = 2;
const SOAK_MINUTES = 10;
const GROWTH_MB = 5;

/** Ratios are of two measurements of one round; what is judged is the median of the rounds. */
export function goals(figures: Figures): readonly Goal[] {
  const ratio = (workload: string, base: string, baseWorkload = workload) =>
    spread(ratios(costs(figures, OURS, workload), costs(figures, base, baseWorkload)));
  const tail = (workload: string) => {
    const halves = [...byRound(figures, OURS, workload, ({ half }) => half).values()];
    return spread(halves.filter(({ share }) => isHalf(share)).map(({ p50, p999 }) => p999 / p50));
  };
  const reads = (load: 'full' | 'half') => spread(readsBeside(figures, load).map(({ p99 }) => p99));
  const ready = (server: string, stored: number) =>
    spread(figures.ready.find((one) => one.server === server && one.stored === stored)?.milliseconds ?? []);
  const bare = spread(ratios(costs(figures, WITHOUT_STORE.name, 'create'), costs(figures, BARE_NODE.name, 'create')));
  const memory = (of: 'memoryAfter' | 'peakMemory') => figures.tenMillion && spread([figures.tenMillion[of]]);

  const goal = (of: number, says: string, evidence: Evidence): Goal => ({ number: of, says, ...evidence });
  const pipeline = WITHOUT_STORE.name;
  return [
    goal(
      1,
      'A create with sequential ids: CPU at most 1.25 × the pipeline without a store',
      times(1.25, ratio('create', pipeline)),
    ),
    goal(1, "… and at most 2 × nginx's constant", times(2, ratio('create', NGINX.name))),
    goal(
      2,
      'A create with random ids into 1 million plants: at most 1.8 × the pipeline without a store',
      times(1.8, ratio('create-random-1m', pipeline)),
    ),
    goal(2, '… also with ids of the whole int64 range', times(1.8, ratio('create-int64-1m', pipeline))),
    goal(
      2,
      '… into 10 million: at most 1.3 × the cost into 1 million',
      times(1.3, ratio('create-random-10m', OURS, 'create-random-1m')),
    ),
    goal(3, 'The pipeline without a store: at most 1.2 × bare node:http', times(1.2, bare)),
    goal(4, 'A create: a fifth of the CPU of each peer, and more of them a second', againstPeers(figures, 'create')),
    goal(4, '… also with random ids into 1 million plants', againstPeers(figures, 'create-random-1m')),
    goal(5, 'Creates at half load: p99.9 at most 10 × p50', times(10, tail('create'))),
    goal(5, '… also with random ids into 1 million plants', times(10, tail('create-random-1m'))),
    goal(
      5,
      'A get while creates run at full load on a disk whose syncs take 3 ms more: p99 under 2 ms',
      below(2, 'ms', reads('full')),
    ),
    goal(5, '… while they run at half load', below(2, 'ms', reads('half'))),
    goal(6, "A get: at most 1.7 × nginx's constant", times(1.7, ratio('get', NGINX.name))),
    goal(6, "A list of 100: at most 5 × nginx's constant", times(5, ratio('list', NGINX.name, 'get'))),
    goal(
      6,
      '… of 50 to 150 in turn, so that each is read and written anew',
      times(5, ratio('lists', NGINX.name, 'get')),
    ),
    goal(7, 'Memory: under 120 MB after 10 million creates', below(120, 'MB', memory('memoryAfter'))),
    goal(7, '… also at its most during them', below(120, 'MB', memory('peakMemory'))),
    goal(7, '… and no growth over 10 minutes of full load', growth(figures.soak)),
    goal(8, 'Ready, the first 200, within 200 ms from the start of the process', below(200, 'ms', ready(OURS, 0))),
    goal(8, '… with 10 million plants', below(200, 'ms', ready(OURS, TEN_MILLION))),
    goal(8, '… the single executable', below(200, 'ms', ready(EXECUTABLE.name, 0))),
    goal(8, '… the single executable with 10 million plants', below(200, 'ms', ready(EXECUTABLE.name, TEN_MILLION))),
  ];
}

function byRound<T>(figures: Figures, server: string, workload: string, of: (one: Measured) => T) {
  const rounds = figures.sessions.filter(
    (one) => one.server === server && one.workload === workload && one.disk === 'usual',
  );
  return new Map(rounds.map((one) => [one.round, of(one)]));
}

function costs(figures: Figures, server: string, workload: string): ReadonlyMap<number, number> {
  return byRound(figures, server, workload, ({ full }) => total(full.cpu));
}

function times(limit: number, found: Spread | undefined): Evidence {
  return { found: found === undefined ? '–' : `${withSpread(found)} ×`, met: found && found.median <= limit };
}

function below(limit: number, unit: string, found: Spread | undefined): Evidence {
  return { found: found === undefined ? '–' : `${withSpread(found)} ${unit}`, met: found && found.median < limit };
}

function againstPeers(figures: Figures, workload: string): Evidence {
  const own = [OURS, WITHOUT_STORE.name, BARE_NODE.name, NGINX.name];
  const rates = (server: string) => byRound(figures, server, workload, ({ full }) => full.requestsPerSecond);
  const found = figures.servers.flatMap(({ name }) => {
    const cpu = spread(ratios(costs(figures, name, workload), costs(figures, OURS, workload)))?.median;
    const rate = spread(ratios(rates(OURS), rates(name)))?.median;
    return own.includes(name) || cpu === undefined || rate === undefined ? [] : [{ name, cpu, rate }];
  });
  if (found.length === 0) return { found: '–', met: undefined };
  return {
    found: found
      .map(({ name, cpu, rate }) => `${name}: ${number(cpu)} × the CPU, 1/${number(rate)} as many`)
      .join('<br>'),
    met: found.every(({ cpu, rate }) => cpu >= 5 && rate > 1),
  };
}

/** The trend of the memory once it has settled, in MB a minute; undefined of too few minutes. */
export function trendOf({ samples }: Soak): number | undefined {
  const settled = samples.filter(({ minutes }) => minutes > SETTLED_MINUTES);
  if (settled.length < 2) return undefined;
  return slope(settled.map(({ minutes, megabytes }) => ({ x: minutes, y: megabytes })));
}

function growth(soak: Soak | undefined): Evidence {
  const trend = soak && trendOf(soak);
  const last = soak?.samples.at(-1);
  if (trend === undefined || last === undefined || last.minutes < SOAK_MINUTES) return { found: '–', met: undefined };
  const megabytes = trend * SOAK_MINUTES;
  const sign = megabytes < 0 ? '−' : '+';
  return {
    found: `${sign}${number(Math.abs(megabytes))} MB in ${SOAK_MINUTES} minutes, ${number(last.megabytes)} MB at the end`,
    met: megabytes < GROWTH_MB,
  };
}
