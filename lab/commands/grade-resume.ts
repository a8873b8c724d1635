/** Continues a grading that ended early: takes the runs of its result that the same grading would have. */
import { isDeepStrictEqual } from 'node:util';
import { StartupError } from '../../src/errors.ts';
import { version } from '../../src/util/version.generated.ts';
import type { Grading, Run } from '../grade/grade-tester.ts';
import { planOf } from '../grade/plan.ts';
import type { GradeResult } from './grade-result.ts';

/** Throws a StartupError if the result belongs to another grading. `description` is the SHA-256 of the description. */
export function runsOf(earlier: GradeResult, grading: Omit<Grading, 'output'>, description: string): readonly Run[] {
  const { tester, options, service, environment } = earlier;
  const refuse = (what: string) =>
    new StartupError(`--resume cannot continue the result: it has ${what}; give --json a new file`);
  const compared: readonly (readonly [what: string, before: unknown, now: unknown])[] = [
    ['another command', tester.command, grading.command],
    ['another --findings', tester.findings, grading.verdict],
    ['another --variants', options.variants, grading.variants],
    ['another --plants', options.plants, grading.plants],
    ['another --seeds', options.seeds, grading.seeds],
    // The default depends on --seeds.
    ['another --controls', options.controls, grading.controls],
    ['another --order', options.order, grading.order],
    ['another --timeout', options.timeout, grading.timeout],
    ['another --max-requests', options.maxRequests, grading.maxRequests],
    ['another --max-report', options.maxReport, grading.maxReport],
    ['another version of Plant Store', environment.plantStore, version],
    ['another description', service.description, description],
    ['other defects', earlier.planted, grading.defects.length],
  ];
  const different = compared.find(([, before, now]) => !isDeepStrictEqual(before, now));
  if (different !== undefined) throw refuse(different[0]);
  const planned = new Map(planOf(grading).map((one) => [one.name, one]));
  return earlier.runs.map((run) => {
    const plan = planned.get(run.name);
    if (plan === undefined || (plan.defect?.name ?? null) !== run.defect) throw refuse('other defects');
    // JSON has no dates.
    return { ...run, ...plan, startedAt: new Date(run.startedAt) };
  });
}
