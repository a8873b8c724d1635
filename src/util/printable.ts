/** Makes other people's text safe to print. A terminal obeys or hides some characters. A line feed can forge a line. */

/**
 * Control characters (C0, DEL and C1, such as U+009B), line and paragraph separators, characters that change the
 * direction of a text, and unpaired surrogates.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const UNSAFE_IN_LINES = /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/** The text in one line: line ends and tabs become spaces, and every other unsafe character becomes U+FFFD. */
export function printable(text: string): string {
  return text.replaceAll(BREAKS, ' ').replaceAll(UNSAFE, '\ufffd');
}

/** The text with its line feeds. Use it only if the author of the text may begin a new line. */
export function printableLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(UNSAFE_IN_LINES, '\ufffd');
}

/** The same JSON, with unsafe characters as escapes. Line feeds between its parts stay. */
export function printableJson(json: string): string {
  return json.replaceAll(UNSAFE_IN_LINES, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Such as `1 run` and `2,000 runs`. */
export function countOf(number: number, what: string): string {
  return `${number.toLocaleString('en-US')} ${what}${number === 1 ? '' : 's'}`;
}
