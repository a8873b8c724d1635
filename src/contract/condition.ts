/** Owns the grammar of If-Match and If-None-Match, which HTTP itself defines (RFC 9110, 8.8.3 and 13.1). */

/** One tag: optionally weak, any visible character but the quote, and obs-text. */
const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const TAGS = new RegExp(TAG, 'g');
const LIST = new RegExp(String.raw`^(?:[ \t]*,)*[ \t]*${TAG}(?:[ \t]*,(?:[ \t]*${TAG})?)*[ \t]*$`);

/** What a conditional field names: anything there is, or these tags as they were written. */
export type Condition = '*' | readonly string[];

/** What is wrong with a conditional field, or undefined; of another parameter nothing is. */
export function conditionFault(place: string, name: string, text: string): string | undefined {
  if (place !== 'header' || !/^if-(?:none-)?match$/i.test(name)) return undefined;
  return text.trim() === '*' || LIST.test(text)
    ? undefined
    : `${name} must be * or a list of entity tags, such as "a1", "b2"`;
}

/** Reads a field that has no fault. */
export function readCondition(text: string): Condition {
  return text.trim() === '*' ? '*' : (text.match(TAGS) ?? []);
}
