/** Reads the findings in the report of a run. */
import { readFileSync } from 'node:fs';
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import type { Finding } from './finding.ts';
import { normalise } from './normalise.ts';
import { readSchemathesis } from './schemathesis.ts';
import { PLANT_STORE, type Vocabulary } from './vocabulary.ts';
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

/** The findings without repetition. Throws an Error if there is no readable report. */
export function readFindings(
  verdict: keyof typeof READERS,
  path: string,
  vocabulary: Vocabulary = PLANT_STORE,
): readonly Finding[] {
  const report = readFileSync(path, 'utf8');
  if (report.trim() === '') throw new Error('it is empty');
  const found = READERS[verdict](report, vocabulary);
  const byText = new Map(found.map((finding) => [finding.text, finding]));
  return [...byText.values()].sort((one, other) => (one.text < other.text ? -1 : 1));
}

/** Reads JUnit XML, as most test runners write it: each failure and error of a test case is a finding. */
function readJunit(report: string, { words, operationIn }: Vocabulary): readonly Finding[] {
  const found: Finding[] = [];
  const visit = (element: XmlElement, suite: string) => {
    const { name = '', classname = '' } = element.attributes;
    for (const child of element.children) {
      if (!(child instanceof XmlElement)) continue;
      if (element.name === 'testcase' && (child.name === 'failure' || child.name === 'error')) {
        const { type = '', message = '' } = child.attributes;
        const place = [suite, classname, name].join(' ');
        const text = message.trim() === '' ? child.text : message;
        const parts = [normalise(place, words, true), child.name, type, normalise(text, words)];
        found.push({ text: parts.filter(Boolean).join(' | '), operation: operationIn(place) });
      } else visit(child, element.name === 'testsuite' ? name : suite);
    }
  };
  const { root } = parseXml(report);
  if (root === null || !['testsuites', 'testsuite'].includes(root.name)) {
    throw new Error(`it is no JUnit XML: its root is ${root?.name}, not testsuites or testsuite`);
  }
  visit(new XmlElement('report', {}, [root]), '');
  return found;
}
