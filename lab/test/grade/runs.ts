/** Runs of a tester that never ran. */
import { NO_COUNTS } from '../../defects/counts.ts';
import { DEFECTS } from '../../defects/index.ts';
import type { Finding } from '../../grade/finding.ts';
import type { Run } from '../../grade/grade-tester.ts';

let made = 0;

/** A run with the defect of this name, or a control. */
export function runWith(name: string | undefined, triggered: number, ...findings: (Finding | string)[]): Run {
  made += 1;
  return {
    name: `run-${made}`,
    defect: DEFECTS.find((defect) => defect.name === name),
    round: 1,
    seed: made,
    startedAt: new Date(),
    milliseconds: 1,
    exitCode: 0,
    signal: null,
    stoppedBy: undefined,
    testerMilliseconds: 1,
    findings: findings.map((finding) => (typeof finding === 'string' ? { text: finding } : finding)),
    unread: undefined,
    counts: { ...NO_COUNTS, candidates: triggered, triggered, requests: 10, succeeded: 5, credentials: 10 },
    output: '',
  };
}

export const runs = (count: number, ...rest: Parameters<typeof runWith>): readonly Run[] =>
  Array.from({ length: count }, () => runWith(...rest));
