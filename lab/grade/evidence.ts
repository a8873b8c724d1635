/** Compares findings of runs that triggered a defect with findings of clean runs, which can only be luck. */
import { type Finding, isFailure } from './finding.ts';
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

/** The findings of triggered runs that no clean run has. A failure is among them: `chanceOf` compares its rates. */
export function newFindings(triggered: Group, clean: Group): readonly Finding[] {
  return [...triggered.findings.values()].flatMap(({ finding }) => {
    return isFailure(finding) || !clean.findings.has(finding.text) ? [finding] : [];
  });
}

/**
 * The probability that random findings are at least as good evidence. Only findings that `counts` accepts are looked
 * at.
 *
 * An event is a finding, or "the run has a finding". Fisher's exact test compares the rates of each event. An event
 * that occurs in a clean run is no evidence, unless it is a failure. The smallest result is multiplied by the number of
 * events that are frequent enough for a result below FALSE_SHARE (Tarone, 1990). Events of the same runs are one event.
 */
export function chanceOf(triggered: Group, clean: Group, counts: (finding: Finding) => boolean): number {
  const results = new Map<string, number>();
  const compare = (inTriggered: readonly number[], inClean: readonly number[], byRate: boolean) => {
    const all = inTriggered.length + inClean.length;
    const result = (first: number, second: number) =>
      fisher({ runs: first, of: triggered.size }, { runs: second, of: clean.size });
    if (byRate) results.set('', result(inTriggered.length, inClean.length));
    else if (all <= triggered.size && result(all, 0) <= FALSE_SHARE) {
      results.set(`${inTriggered} ${inClean}`, inClean.length === 0 ? result(all, 0) : 1);
    }
  };
  const any: [Set<number>, Set<number>] = [new Set(), new Set()];
  for (const text of new Set([...triggered.findings.keys(), ...clean.findings.keys()])) {
    const [one, other] = [triggered.findings.get(text), clean.findings.get(text)];
    const finding = one?.finding ?? other?.finding;
    if (finding === undefined || !counts(finding)) continue;
    compare(one?.places ?? [], other?.places ?? [], isFailure(finding));
    for (const place of one?.places ?? []) any[0].add(place);
    for (const place of other?.places ?? []) any[1].add(place);
  }
  const [inTriggered, inClean] = any.map((places) => [...places].sort((a, b) => a - b));
  if (!results.has('')) compare(inTriggered ?? [], inClean ?? [], false);
  return results.size === 0 ? 1 : Math.min(1, results.size * Math.min(...results.values()));
}
