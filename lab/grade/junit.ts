/** Reads JUnit XML, as most test runners write it: each failure and error is a finding. */
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import type { Finding } from './finding.ts';
import { normalise } from './normalise.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The status of a failed test case. Some runners write this attribute instead of a `failure`. */
const FAILED_STATUS = /^(?:fail(?:ed|ure)?|error(?:ed)?|broken)$/i;

/**
 * Characters that XML forbids, and characters beyond U+FFFF, such as emoji: with one of these, the parser takes three
 * times the memory. Then parts that only begin a document. The maximum lengths keep the search linear.
 */
const FORBIDDEN = /[^\t\n\r -\ud7ff\ue000-\ufffd]/gu;
const PROLOGUE = /<\?xml\s[^>]{0,200}\?>|<!DOCTYPE\b[^>[]{0,1000}(?:\[[^\]]{0,10000}\])?\s{0,100}>/g;
const REFERENCE = /&(#\d+;|#x[\da-f]+;|[a-z_][\w.-]*;)?/gi;

/** Throws an Error if the report is cut off or is no JUnit XML. */
export function readJunit(report: string, vocabulary: Vocabulary): readonly Finding[] {
  const { root } = parseXml(`<report>${repair(report)}</report>`, { ignoreUndefinedEntities: true });
  const documents = root === null ? [] : elementsIn(root);
  if (!documents.some((one) => ['testsuites', 'testsuite'].includes(nameOf(one)))) {
    const [first] = documents;
    const why = first === undefined ? 'it has no element' : `its root is ${first.name}, not testsuites or testsuite`;
    throw new Error(`it is no JUnit XML: ${why}`);
  }
  return documents.flatMap((one) => findingsIn(one, '', vocabulary));
}

/** Repairs a report. Testers copy what they sent, even forbidden characters. Some append a second document or text. */
function repair(report: string): string {
  return report
    .replaceAll(PROLOGUE, '')
    .replaceAll(FORBIDDEN, '\ufffd')
    .replaceAll(REFERENCE, (_, reference: string | undefined) => {
      if (reference === undefined) return '&amp;';
      if (!reference.startsWith('#')) return `&${reference}`;
      return isAllowed(Number(`0${reference.slice(1, -1)}`)) ? `&${reference.toLowerCase()}` : '\ufffd';
    });
}

function isAllowed(code: number): boolean {
  if (code > 0x10ffff) return false;
  return String.fromCodePoint(code).search(FORBIDDEN) === -1;
}

/** The name without its namespace prefix. */
const nameOf = ({ name }: XmlElement) => name.slice(name.lastIndexOf(':') + 1);

const elementsIn = (element: XmlElement) => element.children.filter((child) => child instanceof XmlElement);

/** `suites`: the names of the suites around the element. */
function findingsIn(element: XmlElement, suites: string, vocabulary: Vocabulary): readonly Finding[] {
  const { words, operationIn } = vocabulary;
  const { name = '', classname = '', status = '', result = '', failures = '', errors = '' } = element.attributes;
  const kind = nameOf(element);
  const make = (...parts: readonly string[]): Finding => {
    const own = `${classname} ${name}`;
    const text = [normalise(`${suites} ${own}`, words, true), ...parts].filter(Boolean).join(' | ');
    return { text, operation: operationIn(own) ?? operationIn(suites) };
  };
  const children = elementsIn(element);
  const around = kind === 'testsuite' ? `${suites} ${name}` : suites;
  const within = children.flatMap((child) => findingsIn(child, around, vocabulary));
  if (!['testcase', 'testsuite', 'testsuites'].includes(kind)) return within;
  const failed = (...names: readonly string[]) => children.filter((child) => names.includes(nameOf(child)));
  const first = failed('failure', 'error');
  // Surefire repeats a failed test. Each further failure is beside the first, but not in every version.
  const own = (first.length > 0 ? first : failed('rerunFailure', 'rerunError')).map((child) => {
    const { type = '', message = '' } = child.attributes;
    return make(nameOf(child), type, normalise(message.trim() === '' ? child.text : message, words));
  });
  const all = [...own, ...within];
  // Newman only counts an exception of a script, also beside failures of tests.
  const shown = [element, ...children].flatMap(elementsIn).map(nameOf);
  const isError =
    kind === 'testsuite' && Number(errors) > 0 && !shown.includes('error') && !shown.includes('testsuite');
  if (all.length > 0) return isError ? [...all, make('failed')] : all;
  const isFailed =
    kind === 'testcase'
      ? FAILED_STATUS.test(status) || FAILED_STATUS.test(result)
      : Number(failures) > 0 || Number(errors) > 0;
  return isFailed ? [make('failed')] : [];
}
