/** Reads the findings in the report of a run. */

import { decodeReport } from '../util/decode-report.ts';
import type { Finding } from './finding.ts';
import { readJunit } from './junit.ts';
import { readReportFile } from './report-file.ts';
import { readSchemathesis } from './schemathesis.ts';
import type { Vocabulary } from './vocabulary.ts';
import { readWfc } from './wfc.ts';

/** How a run is judged: by the exit code of the tester, or by a report in this format. */
export type Verdict = 'exit-code' | 'junit' | 'schemathesis' | 'wfc';

/** The endings of the names of reports. Some testers choose the format by the ending. */
export const REPORT_ENDINGS = {
  'exit-code': '.report',
  junit: '.xml',
  schemathesis: '.ndjson',
  wfc: '.json',
} as const;

const READERS = { junit: readJunit, schemathesis: readSchemathesis, wfc: readWfc } as const;

/** The findings without repetition. Throws an Error if there is no readable report of at most `most` bytes. */
export function readFindings(
  verdict: keyof typeof READERS,
  path: string,
  most: number,
  vocabulary: Vocabulary,
): readonly Finding[] {
  const report = decodeReport(readReportFile(path, most, '--max-report allows a longer one'));
  if (report.trim() === '') throw new Error('it is empty');
  const found = READERS[verdict](report, vocabulary);
  const byText = new Map(found.map((finding) => [finding.text, finding]));
  return [...byText.values()].sort((one, other) => (one.text < other.text ? -1 : 1));
}
