/** Removes from a text what differs between runs although the finding is the same. */
import { replaceEnclosed } from './enclosed.ts';

/** A colour of a terminal. A report in XML has another character in place of the first one; pytest writes #x1B. */
const COLOUR = /(?:\p{Cc}|\ufffd|#x1B)\[[\d;]*m/giu;
/**
 * Two texts that a runner compares, line by line. Python adds lines that mark the differing characters. The lines of an
 * object are indented further and do not match, so that the names of its members count.
 */
const DIFFERENCE = /^(?:[ \t]*- ?(?! ).*\n(?:[ \t]*\? .*\n)?)+(?:[ \t]*\+ ?(?! ).*(?:\n[ \t]*\? .*)?(?:\n|$))+/gm;
/** Python writes `b` in front of bytes. */
const QUOTED = /"(?:[^"\\\n]|\\.)*"|`[^`\n]*`|(?<!\w)b?'(?:[^'\\\n]|\\.)*'(?!\w)/g;
/** The number of a line of code, behind the word or behind the name of a file. */
const LINE = /\bline:? ?\d+|(?<=\.[a-z]{1,4}):\d+(?::\d+)?\b/gi;
/** A group of a UUID may be a word such as `ab12`, which neither MIXED nor NUMBER replaces. */
const UUID = /[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}/gi;
/** The T between a date and a time would make one word of the day and the hour. */
const DATE_TIME = /(?<=-\d\d)T(?=\d\d:)/g;
/** A time as Go and Rust write it, such as 904.5ms or 1m2.5s: the units depend on its length. */
const DURATION = /\b(?:\d+(?:\.\d+)?(?:h|ms?|[nuµ]?s))+(?!\w)/g;
/** The service's X-Request-Id: some runners print all header fields of a response. */
const REQUEST_ID = /\b[\da-f]{12}-[\da-z]+\b/g;
/** pytest leaves it out, unless the compared texts contain certain quotation marks. */
const BEFORE_ASSERT = /\bAssertionError: (?=assert )/g;
/** Cursors and tokens in base64url, which has hyphens. In a shorter text, a hyphen separates words. */
const BASE64 = /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{20,}/g;
/** Ids and tokens, which mix letters and digits. */
const MIXED = /\b(?=\w*\d)(?=\w*[a-z])\w{6,}\b/gi;
/** A number is not part of a word: ST108, for example, is a kind of failure. */
const NUMBER = /(?<!\w)-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
const STATUS = /^[1-5]\d\d$/;
/** A number with a unit is no status. */
const UNIT = /^(?:[a-z]| ?(?:milli|micro|nano)?(?:seconds?|bytes?|characters?)\b| m?s\b)/i;
/** Most numbers that are compared by order are times, as in "expected 523 to be below 200". */
const ORDER =
  /(?:\b(?:is|not|value)|be) ?(?:below|above|less|lower|greater|at ?most|at ?least|within|[<>]=? )|expected: [<>]=? /i;
/** What stands before a status, or behind it. */
const WORD =
  /\b(?:status|code|https?(?:\/[\d.]+)?|(?:expect|receiv|return|respon)\w*|got|was|is|be|equals?|to|that|not|actual)/;
const BEFORE = new RegExp(String.raw`(?:${WORD.source}\W{1,4}|[!=]==? ?|(?:\[|\bin \()(?:\d+, )*)$`, 'i');
const BEHIND = /^(?: ?[!=]==? | (?:not )?in [[(](?:[1-5]\d\d(?:, )?)+[\])])/;
/** How many characters before a number are looked at. */
const LOOK_BEHIND = 60;
/** The most characters that are read from a text, and that are kept. */
const [MAX_READ, MAX_KEPT] = [10_000, 600];

/**
 * Removes numbers, ids, quoted values and data, except `words` and statuses. The lines are sorted, since some testers
 * write them in a random order. `isName`: the text is the name of a test, where a number such as 404 is a status.
 */
export function normalise(text: string, words: ReadonlySet<string>, isName = false): string {
  const read = text.slice(0, MAX_READ);
  const isOrdered = !isName && ORDER.test(read);
  const lines = read
    .replaceAll(COLOUR, '')
    .replaceAll(UUID, '#')
    .replaceAll(REQUEST_ID, '#')
    .replaceAll(DATE_TIME, ' ')
    .replaceAll(DURATION, '#s')
    .replaceAll(BEFORE_ASSERT, '')
    .replaceAll(DIFFERENCE, '- … + …\n')
    .split('\n')
    .map((line) => {
      let shown = line.replaceAll(QUOTED, (quoted) => (words.has(quoted.slice(1, -1)) ? quoted : '"…"'));
      shown = replaceEnclosed(shown, (data) => (isName && /^.\w*.$/.test(data) ? data : namesIn(data)));
      if (!isName) shown = shown.replaceAll(LINE, 'line #').replaceAll(BASE64, '#').replaceAll(MIXED, '#');
      const keep = (number: string, at: number) => {
        const [before, behind] = [shown.slice(Math.max(0, at - LOOK_BEHIND), at), shown.slice(at + number.length)];
        const isMeant = isName || (!isOrdered && !UNIT.test(behind) && (BEFORE.test(before) || BEHIND.test(behind)));
        return isMeant && STATUS.test(number) ? number : '#';
      };
      return shown.replaceAll(NUMBER, keep).replaceAll(/\s+/g, ' ').trim();
    });
  return [...new Set(lines)].sort().join(' ').trim().slice(0, MAX_KEPT);
}

/** Replaces data. A list that contains only names or only statuses is kept, sorted: Python's sets have no order. */
function namesIn(data: string): string {
  const items = data.slice(1, -1).split(/, ?/);
  const isKept = items.every((item) => STATUS.test(item) || (/^(["'`])[\w-]+\1$/.test(item) && item !== '"…"'));
  return isKept ? `[${items.sort().join(', ')}]` : '…';
}
