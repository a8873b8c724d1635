/** The report of a receiver: one line of JSON for each message that it has stored, with the id of the message. */
import { parseJson } from '../../../src/contract/json.ts';
import { object, text } from '../../../src/contract/schema.ts';
import { decodeReport } from '../../util/decode-report.ts';
import { readReportFile } from '../report-file.ts';

/** A larger report is not read. */
const MAX_BYTES = 4_194_304;
/** A line of the report. Its other members are for readers. */
const Line = object({ id: text({ rule: 'a text' }) });

export interface Report {
  /** The ids of the stored messages, in their order. */
  readonly stored: readonly string[];
  /** What is wrong with the report. Undefined: nothing. */
  readonly problem: string | undefined;
}

export function readReport(path: string): Report {
  let report: string;
  try {
    report = decodeReport(readReportFile(path, MAX_BYTES));
  } catch (error) {
    return { stored: [], problem: `the report cannot be read: ${Error.isError(error) ? error.message : error}` };
  }
  const problems: string[] = [];
  const stored = report.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const json = parseJson(Buffer.from(line));
    const errors = 'error' in json ? ['it is not valid JSON'] : [];
    const read = 'error' in json ? undefined : Line.read(json.value, json.written, '', errors);
    if (errors.length === 0 && read !== undefined) return [read.id];
    problems.push(`line ${i + 1} of the report: ${errors[0]}`);
    return [];
  });
  return { stored, problem: problems[0] };
}
