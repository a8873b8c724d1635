/** Owns entity tags: a plant's version as one, and the fields that name them (RFC 9110, 8.8.3 and 13.1). */
import { INT64_MAX } from '../contract/integer.ts';
import { Problem } from '../errors.ts';

/** One tag: optionally weak, any visible character but the quote, and obs-text. */
const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const LIST = new RegExp(String.raw`^(?:[ \t]*,)*[ \t]*${TAG}(?:[ \t]*,(?:[ \t]*${TAG})?)*[ \t]*$`);

export function entityTag(version: bigint): string {
  return `"${version.toString(36)}"`;
}

/** What a conditional field names: anything there is, or these tags as they were written. */
export type Condition = '*' | readonly string[];

/** Reads If-Match or If-None-Match. */
export function readCondition(field: 'If-Match' | 'If-None-Match', text: string): Condition | Problem<40006> {
  if (text.trim() === '*') return '*';
  if (!LIST.test(text)) {
    return new Problem(40006, `${field} must be * or a list of entity tags, such as "a1", "b2".`);
  }
  return text.match(new RegExp(TAG, 'g')) ?? [];
}

/** The versions that an If-Match accepts, by strong comparison: a weak tag never matches. */
export function expectedVersions(condition: Condition): readonly bigint[] | undefined {
  if (condition === '*') return undefined;
  return condition.flatMap((tag) => {
    const digits = /^"([0-9a-z]{1,13})"$/.exec(tag)?.[1];
    const version = digits === undefined ? undefined : versionOf(digits);
    // A version is an int64: a greater number names none, and no engine could compare it.
    return version !== undefined && version <= INT64_MAX && entityTag(version) === tag ? [version] : [];
  });
}

/** Whether an If-None-Match names this tag, by weak comparison. */
export function names(condition: Condition, tag: string): boolean {
  return condition === '*' || condition.some((other) => other === tag || other === `W/${tag}`);
}

function versionOf(digits: string): bigint {
  let version = 0n;
  for (const digit of digits) version = version * 36n + BigInt(Number.parseInt(digit, 36));
  return version;
}
