/** Reads the findings in the report of a run. Each is a text without random data, so that runs can be compared. */
import { readFileSync } from 'node:fs';
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { readAsset } from '../assets.ts';
import type { Finding } from './finding.ts';

/** How a run is judged: by the exit code of the tester, or by a report in this format. */
export type Verdict = 'exit-code' | 'junit' | 'schemathesis';

/** The endings of the names of reports. Some testers choose the format by the ending. */
export const REPORT_ENDINGS = { 'exit-code': '.report', junit: '.xml', schemathesis: '.ndjson' } as const;

const READERS = { junit: readJunit, schemathesis: readSchemathesis } as const;

/** The findings without repetition. Throws an Error if there is no readable report. */
export function readFindings(verdict: keyof typeof READERS, path: string): readonly Finding[] {
  const found = READERS[verdict](readFileSync(path, 'utf8'));
  const texts = new Set(found.map((parts) => parts.filter(Boolean).join(' | ')));
  return [...texts].sort().map((text) => ({ text }));
}

/** The parts of a finding: the place, the kind and the message. */
type Parts = readonly string[];

/** Reads JUnit XML, as most test runners write it: each failure and error of a test case is a finding. */
function readJunit(text: string): readonly Parts[] {
  const found: Parts[] = [];
  const visit = (element: XmlElement, suite: string) => {
    const { name = '', classname = '' } = element.attributes;
    for (const child of element.children) {
      if (!(child instanceof XmlElement)) continue;
      if (element.name === 'testcase' && (child.name === 'failure' || child.name === 'error')) {
        const { type = '', message = '' } = child.attributes;
        const text = message.trim() === '' ? child.text : message;
        found.push([normalise([suite, classname, name].join(' '), true), child.name, type, normalise(text)]);
      } else visit(child, element.name === 'testsuite' ? name : suite);
    }
  };
  visit(new XmlElement('report', {}, [...parseXml(text).children] as XmlElement[]), '');
  return found;
}

/** An event in a report of Schemathesis 4 (`--report ndjson`), with the members that are read. */
interface SchemathesisEvent {
  readonly recorder?: {
    readonly checks?: Readonly<Record<string, readonly SchemathesisCheck[]>>;
    readonly interactions?: Readonly<Record<string, { readonly response?: { readonly status_code: number } | null }>>;
  };
  readonly label?: string;
  readonly value?: { readonly type: string; readonly message: string };
  readonly exception?: { readonly type: string; readonly message: string };
}

interface SchemathesisCheck {
  readonly name: string;
  readonly failure_info?: {
    readonly failure: { readonly operation: string | null; readonly type: string; readonly message: string };
  } | null;
}

/** Reads one event per line. If the run was cut off, the last line may be incomplete. */
function readSchemathesis(text: string): readonly Parts[] {
  return text.split('\n').flatMap((line, i, lines) => {
    if (line === '') return [];
    try {
      return Object.values(JSON.parse(line) as Record<string, SchemathesisEvent>).flatMap(findingsOfEvent);
    } catch (error) {
      if (i > 0 && i === lines.length - 1) return [];
      throw error;
    }
  });
}

function findingsOfEvent({ recorder, label = '', value, exception }: SchemathesisEvent): readonly Parts[] {
  const error = value?.type === undefined ? exception : value;
  const errors = error === undefined ? [] : [[normalise(label, true), error.type, beginningOf(error.message)]];
  const checks = Object.entries(recorder?.checks ?? {}).flatMap(([id, checks]) => {
    const status = recorder?.interactions?.[id]?.response?.status_code;
    return checks.flatMap(({ name, failure_info }) => {
      if (!failure_info) return [];
      const { operation, type, message } = failure_info.failure;
      return [[normalise(operation ?? '', true), name, type, String(status ?? ''), beginningOf(message)]];
    });
  });
  return [...errors, ...checks];
}

/** The first paragraph without its hint. The rest is the schema, the response, and random data in the hint. */
function beginningOf(message: string): string {
  return normalise(message.trim().split(/\n\s*\n|\nHint: /)[0] ?? '');
}

/** Data that differs between runs although the finding is the same. */
const QUOTED = /"(?:[^"\\\n]|\\.)*"|`[^`\n]*`|(?<!\w)'(?:[^'\\\n]|\\.)*'(?!\w)/g;
const ENCLOSED = /\[[^[\]]*\]|\{[^{}]*\}/g;
/** Ids and tokens, which mix letters and digits. */
const MIXED = /\b(?=\w*\d)(?=\w*[a-z])\w{6,}\b/gi;
/** A number is not part of a word: ST108, for example, is a kind of failure. */
const NUMBER = /(?<!\w)-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
const STATUS = /^[1-5]\d\d$/;
/** In such a line a number of three digits is a status. */
const HAS_STATUS = /status|\bhttp[ /]\d|received/i;
/** Names of members, header fields and types are not random: a different name is a different finding. */
const WORDS = new Set<string>();
JSON.parse(readAsset('description/openapi.served.json').toString(), (key, value) => {
  if (key !== '') WORDS.add(key);
  if (key === 'type') WORDS.add(String(value));
  return value;
});
/** The most characters that are read from a text, and that are kept. */
const [MAX_READ, MAX_KEPT] = [10_000, 300];

/** Removes random data from a text. `isName`: it is the name of a test, where a number such as 404 is a status. */
export function normalise(text: string, isName = false): string {
  const lines = text
    .slice(0, MAX_READ)
    .split('\n')
    .map((line) => {
      const keepsStatus = isName || HAS_STATUS.test(line);
      let shown = line.replaceAll(QUOTED, (quoted) => (WORDS.has(quoted.slice(1, -1)) ? quoted : '"…"'));
      // Nested data is replaced from the inside out.
      for (let before = ''; before !== shown; ) {
        before = shown;
        shown = shown.replaceAll(ENCLOSED, (data) => (isName && /^.\w*.$/.test(data) ? data : '…'));
      }
      return shown
        .replaceAll(MIXED, '#')
        .replaceAll(NUMBER, (number) => (keepsStatus && STATUS.test(number) ? number : '#'))
        .trim();
    });
  return lines.join(' ').replaceAll(/\s+/g, ' ').trim().slice(0, MAX_KEPT);
}
