/** What If-Match and If-None-Match name (RFC 9110, 8.8.3 and 13.1); their syntax is the description's. */

/** One tag of a field that holds nothing else: a tag may hold commas, but no quote. */
const TAG = /(?:W\/)?"[^"]*"/g;

/** Any version there is, or these tags as they were written. */
export function readTags(field: string): '*' | readonly string[] {
  return field === '*' ? '*' : (field.match(TAG) ?? []);
}

/** Whether an If-None-Match names this tag, by weak comparison. */
export function namesTag(field: string | undefined, tag: string): boolean {
  if (field === undefined) return false;
  const tags = readTags(field);
  return tags === '*' || tags.some((other) => other === tag || other === `W/${tag}`);
}
