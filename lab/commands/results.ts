/** Reads a result of a tester, of a client or of a receiver. */
import { parseJson } from '../../src/contract/json.ts';
import { StartupError } from '../../src/errors.ts';
import { candidateOf } from './candidates.ts';
import { type GradeResult, parseResult } from './grade-result.ts';
import { readResultText } from './result-file.ts';
import { parseRecord, type ScenarioRecord } from './scenario-record.ts';

/** The results of testers, or the records of clients, or those of receivers. */
export type Results = { readonly testers: readonly GradeResult[] } | { readonly records: readonly ScenarioRecord[] };

/** Throws a StartupError if a file is no result, or if the results are of different kinds. */
export function readResults(paths: readonly string[]): Results {
  const results = paths.map(readAnyResult);
  const records = results.filter((one): one is ScenarioRecord => 'form' in one);
  const testers = results.filter((one): one is GradeResult => !('form' in one));
  const kinds = new Set([...testers.map(() => 'tester'), ...records.map((one) => candidateOf(one).name)]);
  if (kinds.size > 1) {
    const all = [...kinds].map((kind) => `${kind}s`).join(' and of ');
    throw new StartupError(`the files have results of ${all}; give only results of the same kind`);
  }
  return records.length > 0 ? { records } : { testers };
}

function readAnyResult(path: string): GradeResult | ScenarioRecord {
  const text = readResultText(path);
  const json = parseJson(Buffer.from(text));
  const value = 'value' in json && typeof json.value === 'object' && json.value !== null ? json.value : {};
  return Object.hasOwn(value, 'form') ? parseRecord(path, text) : parseResult(path, text);
}
