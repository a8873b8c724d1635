/** What a tester found in a run, from its report: each finding as a text that other random data does not change. */
import { readFileSync } from 'node:fs';
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { readAsset } from '../assets.ts';

/** By what a run is judged: the exit code of the tester, or the findings in a report of this format. */
export type Verdict = 'exit-code' | 'junit' | 'schemathesis';

/** The one finding by the exit code. */
export const FAILED = 'the command failed';

/** How the name of a report ends: some testers choose the format by it. */
export const REPORT_ENDINGS = { 'exit-code': '.report', junit: '.xml', schemathesis: '.ndjson' } as const;

const READERS = { junit: readJunit, schemathesis: readSchemathesis } as const;

/** Each once. Throws an Error where there is no report that can be read. */
export function readFindings(verdict: keyof typeof READERS, path: string): readonly string[] {
  const found = READERS[verdict](readFileSync(path, 'utf8'));
  return [...new Set(found.map((finding) => finding.filter(Boolean).join(' | ')))].sort();
}

/** A finding: where, of what kind, and what is said of it. */
type Finding = readonly string[];

/** As most test runners write it: every failure and error of a test case. */
function readJunit(text: string): readonly Finding[] {
  const found: Finding[] = [];
  const visit = (element: XmlElement, suite: string) => {
    const { name = '', classname = '' } = element.attributes;
    for (const child of element.children) {
      if (!(child instanceof XmlElement)) continue;
      if (element.name === 'testcase' && (child.name === 'failure' || child.name === 'error')) {
        const { type = '', message = '' } = child.attributes;
        const said = message.trim() === '' ? child.text : message;
        found.push([normalised([suite, classname, name].join(' '), true), child.name, type, normalised(said)]);
      } else visit(child, element.name === 'testsuite' ? name : suite);
    }
  };
  visit(new XmlElement('report', {}, [...parseXml(text).children] as XmlElement[]), '');
  return found;
}

/** Those members of an event that are read, of a report by `--report ndjson` of Schemathesis 4. */
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

/** A line an event. Of a run that was cut off the last line may be, too. */
function readSchemathesis(text: string): readonly Finding[] {
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

function findingsOfEvent({ recorder, label = '', value, exception }: SchemathesisEvent): readonly Finding[] {
  const error = value?.type === undefined ? exception : value;
  const errors = error === undefined ? [] : [[normalised(label, true), error.type, beginningOf(error.message)]];
  const checks = Object.entries(recorder?.checks ?? {}).flatMap(([id, checks]) => {
    const status = recorder?.interactions?.[id]?.response?.status_code;
    return checks.flatMap(({ name, failure_info }) => {
      if (!failure_info) return [];
      const { operation, type, message } = failure_info.failure;
      return [[normalised(operation ?? '', true), name, type, String(status ?? ''), beginningOf(message)]];
    });
  });
  return [...errors, ...checks];
}

/** The first paragraph, without a hint: behind it are the schema and the response, and a hint lists random data. */
function beginningOf(message: string): string {
  return normalised(message.trim().split(/\n\s*\n|\nHint: /)[0] ?? '');
}

/** What differs from run to run though the finding is the same. */
const QUOTED = /"(?:[^"\\\n]|\\.)*"|`[^`\n]*`|(?<!\w)'(?:[^'\\\n]|\\.)*'(?!\w)/g;
const ENCLOSED = /\[[^[\]]*\]|\{[^{}]*\}/g;
/** Ids and tokens, which mix letters and digits. */
const MIXED = /\b(?=\w*\d)(?=\w*[a-z])\w{6,}\b/gi;
/** Not within a word: ST108 says what kind of failure it is. */
const NUMBER = /(?<!\w)-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
const STATUS = /^[1-5]\d\d$/;
/** A number of three digits is a status where a line speaks of one. */
const SPEAKS_OF_STATUS = /status|\bhttp[ /]\d|received/i;
/** The names of members, header fields, types and the like are not random: another name is another finding. */
const WORDS = new Set<string>();
JSON.parse(readAsset('description/openapi.served.json').toString(), (key, value) => {
  if (key !== '') WORDS.add(key);
  if (key === 'type') WORDS.add(String(value));
  return value;
});
/** Characters that are read of a text, and kept of it. */
const [READ, KEPT] = [10_000, 300];

/** A text without its random data. `isName`: of a test, where a number such as 404 is a status. */
export function normalised(text: string, isName = false): string {
  const lines = text
    .slice(0, READ)
    .split('\n')
    .map((line) => {
      const keepsStatus = isName || SPEAKS_OF_STATUS.test(line);
      let shown = line.replaceAll(QUOTED, (quoted) => (WORDS.has(quoted.slice(1, -1)) ? quoted : '"…"'));
      // From the inside out.
      for (let before = ''; before !== shown; ) {
        before = shown;
        shown = shown.replaceAll(ENCLOSED, (data) => (isName && /^.\w*.$/.test(data) ? data : '…'));
      }
      return shown
        .replaceAll(MIXED, '#')
        .replaceAll(NUMBER, (number) => (keepsStatus && STATUS.test(number) ? number : '#'))
        .trim();
    });
  return lines.join(' ').replaceAll(/\s+/g, ' ').trim().slice(0, KEPT);
}
