/** Owns what If-Match and If-None-Match name (RFC 9110, 8.8.3 and 13.1); an operation's grammar is the description's. */

/** One tag of a field that holds nothing else: a tag may hold commas, but no quote. */
const TAG = /(?:W\/)?"[^"]*"/g;

/** What a conditional field names: anything there is, or these tags as they were written. */
type Condition = '*' | readonly string[];

export function readCondition(text: string): Condition {
  return text === '*' ? '*' : (text.match(TAG) ?? []);
}

/** Whether an If-None-Match names this tag, by weak comparison. */
export function names(field: string | undefined, tag: string): boolean {
  if (field === undefined) return false;
  const condition = readCondition(field);
  return condition === '*' || condition.some((other) => other === tag || other === `W/${tag}`);
}
