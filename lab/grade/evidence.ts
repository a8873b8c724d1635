/** Compares findings of runs that triggered a defect with findings of clean runs, which can only be luck. */
import { FAILED, type Finding, isFailure, testOf } from './finding.ts';
import { FEWEST_CONTROLS } from './plan.ts';
import { fisher } from './statistics.ts';

/**
 * At most this share of the found defects is false on average. A tester that notices nothing finds a defect with at
 * most this probability.
 */
export const FALSE_SHARE = 0.01;

interface Reported {
  readonly findings: readonly Finding[];
}

/** The findings of a group of runs. `places` are the indexes of the runs that have it. */
export interface Group {
  readonly size: number;
  readonly findings: ReadonlyMap<string, { readonly finding: Finding; readonly places: number[] }>;
}

export function groupOf(runs: readonly Reported[]): Group {
  const findings = new Map<string, { readonly finding: Finding; readonly places: number[] }>();
  runs.forEach((run, place) => {
    for (const finding of run.findings) {
      const entry = findings.get(finding.text) ?? { finding, places: [] };
      entry.places.push(place);
      findings.set(finding.text, entry);
    }
  });
  return { size: runs.length, findings };
}

/**
 * The findings of triggered runs that no clean run has. A failure is among them: `chanceOf` compares its rates. The
 * finding of a single run is left out if its test has random texts.
 */
export function newFindings(triggered: Group, clean: Group): readonly Finding[] {
  const random = randomTests(clean);
  return [...triggered.findings.values()].flatMap(({ finding, places }) => {
    if (isFailure(finding)) return [finding];
    const isRandom = places.length === 1 && random.has(testOf(finding));
    return clean.findings.has(finding.text) || isRandom ? [] : [finding];
  });
}

/**
 * The tests whose next text is probably new even in a clean run. Good (1953) estimates this probability as the share
 * of the texts that occurred only once.
 */
function randomTests(clean: Group): ReadonlySet<string> {
  const tests = Map.groupBy(clean.findings.values(), ({ finding }) => testOf(finding));
  const random = [...tests].filter(([, entries]) => {
    const single = entries.filter(({ places }) => places.length === 1).flatMap(({ places }) => places);
    const all = entries.flatMap(({ places }) => places);
    return new Set(single).size >= FEWEST_CONTROLS && single.length > all.length / 2;
  });
  return new Set(random.map(([test]) => test));
}

/**
 * The probability that random findings are at least as good evidence. Only findings that `counts` accepts are looked
 * at.
 *
 * An event is a finding, "the run has a finding of this test", or "the run has a finding". Fisher's exact test compares
 * the rates of each event. An event that occurs in a clean run is no evidence, unless it is a failure. The smallest
 * result is multiplied by the number of events that are frequent enough for a result below FALSE_SHARE (Tarone, 1990).
 * Events of the same runs are one event.
 */
export function chanceOf(triggered: Group, clean: Group, counts: (finding: Finding) => boolean): number {
  const results = new Map<string, number>();
  const [inTriggered, inClean] = [eventsIn(triggered, counts), eventsIn(clean, counts)];
  for (const event of new Set([...inTriggered.keys(), ...inClean.keys()])) {
    const [one, other] = [inTriggered.get(event) ?? NONE, inClean.get(event) ?? NONE];
    const all = one.size + other.size;
    const result = (first: number, second: number) =>
      fisher({ runs: first, of: triggered.size }, { runs: second, of: clean.size });
    if (event === FAILED.text) results.set('', result(one.size, other.size));
    else if (all <= triggered.size && result(all, 0) <= FALSE_SHARE) {
      results.set(`${inOrder(one)} ${inOrder(other)}`, other.size === 0 ? result(all, 0) : 1);
    }
  }
  return results.size === 0 ? 1 : Math.min(1, results.size * Math.min(...results.values()));
}

const NONE: ReadonlySet<number> = new Set();
const inOrder = (runs: ReadonlySet<number>) => [...runs].sort((a, b) => a - b);

/** The events of a group, each with the indexes of its runs. A failure is an event of its own. */
function eventsIn({ findings }: Group, counts: (finding: Finding) => boolean): ReadonlyMap<string, Set<number>> {
  const events = new Map<string, Set<number>>();
  for (const { finding, places } of findings.values()) {
    if (!counts(finding)) continue;
    for (const event of isFailure(finding) ? [finding.text] : [finding.text, testOf(finding), '']) {
      const runs = events.get(event) ?? new Set();
      for (const place of places) runs.add(place);
      events.set(event, runs);
    }
  }
  return events;
}
