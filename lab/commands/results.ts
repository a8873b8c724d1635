/** Reads a result of a tester or of a client. */
import { readFileSync } from 'node:fs';
import { parseJson } from '../../src/contract/json.ts';
import { StartupError } from '../../src/errors.ts';
import { explainReadErrors } from '../../src/util/new-file.ts';
import { type ClientRecord, parseClientRecord } from './client-record.ts';
import { type GradeResult, parseResult } from './grade-result.ts';

/** Throws a StartupError if the file is no result. Reads the file once, since it may be a pipe. */
export function readAnyResult(path: string): GradeResult | ClientRecord {
  const bytes = explainReadErrors(path, () => readFileSync(path));
  const json = parseJson(bytes);
  const value = 'value' in json && typeof json.value === 'object' && json.value !== null ? json.value : {};
  return Object.hasOwn(value, 'form') ? parseClientRecord(path, bytes) : parseResult(path, bytes.toString('utf8'));
}

export const isOfClient = (result: GradeResult | ClientRecord): result is ClientRecord => 'form' in result;
export const isOfTester = (result: GradeResult | ClientRecord): result is GradeResult => !isOfClient(result);

export const mixed = (): StartupError =>
  new StartupError('the files have results of testers and of clients; give only results of the same kind');
