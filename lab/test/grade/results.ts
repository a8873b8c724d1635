/** Results of gradings that never ran. */
import { type GradeResult, resultOf as resultOfGrading } from '../../commands/grade-result.ts';
import { DEFECTS } from '../../defects/index.ts';
import type { Grading, Run } from '../../grade/grade-tester.ts';
import { runWith } from './runs.ts';

export const GRADING: Grading = {
  command: ['my-tester', '{url}'],
  service: { name: 'Plant Store', version: '1.0.0', openapi: '/openapi.json', needsCredential: true },
  defects: DEFECTS,
  variants: undefined,
  plants: undefined,
  controls: 15,
  seeds: 5,
  order: 1,
  jobs: 1,
  timeout: 1_000,
  maxRequests: undefined,
  maxOutput: 1_000,
  maxReport: 1_000,
  verdict: 'junit',
  output: 'output',
};

/** The result of a tester that triggers each defect in each of its rounds. `notices` returns whether it notices it. */
export async function resultOf(
  notices: (place: number, round: number) => boolean,
  { name = 'tester', ...options }: Partial<Grading> & { readonly name?: string } = {},
): Promise<GradeResult> {
  const grading = { ...GRADING, ...options };
  const rounds = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  const runs: Run[] = [
    ...rounds(grading.controls).map((round) => ({ ...runWith(undefined, 0), round })),
    ...grading.defects.flatMap((defect, place) =>
      rounds(grading.seeds).map((round) => {
        const made = runWith(defect.name, 1, ...(notices(place, round) ? ['wrong'] : []));
        const first = { requests: round, milliseconds: 10 * round };
        return { ...made, round, counts: { ...made.counts, first, reached: ['getPlant 200'] } };
      }),
    ),
  ];
  const graded = { runs, halt: undefined };
  return resultOfGrading(grading, { name, version: '1.0' }, graded, new Date().toISOString(), '0'.repeat(64));
}
