/** Writes versions as entity tags, and reads If-Match and If-None-Match (RFC 9110, 8.8.3 and 13.1). */
import { INT64_MAX } from './schema.ts';

/** One tag in a list of tags. A tag can contain commas, but no quote. */
const TAG = /(?:W\/)?"[^"]*"/g;

/** Returns `*` for any version, or the tags as they were written. */
function readTags(field: string): '*' | readonly string[] {
  return field === '*' ? '*' : (field.match(TAG) ?? []);
}

/** Whether an If-None-Match contains this tag, by weak comparison. */
export function hasTag(field: string | undefined, tag: string): boolean {
  if (field === undefined) return false;
  const tags = readTags(field);
  return tags === '*' || tags.some((other) => other === tag || other === `W/${tag}`);
}

export function entityTag(version: bigint): string {
  return `"${version.toString(36)}"`;
}

interface Conditions {
  readonly 'If-Match'?: string | undefined;
  readonly 'If-None-Match'?: string | undefined;
}

/** The versions for which a write with these fields acts. */
export function versionsFor({ 'If-Match': match, 'If-None-Match': noneMatch }: Conditions) {
  const only = match === undefined ? '*' : readTags(match);
  const except = noneMatch === undefined ? [] : readTags(noneMatch);
  return {
    // By strong comparison: a weak tag never matches (RFC 9110, 13.1.1).
    only: only === '*' ? undefined : versionsOf(only),
    // By weak comparison (13.1.2).
    except: except === '*' ? ('every' as const) : versionsOf(except.map((tag) => tag.replace(/^W\//, ''))),
  };
}

/** A version as `entityTag` writes it: a number in base 36 without leading zeros. */
const VERSION = /^"(0|[1-9a-z][0-9a-z]{0,12})"$/;
/** A double represents every number of so many digits. */
const DIGITS = 10;
const LOW = 36n ** BigInt(DIGITS);

function versionsOf(tags: readonly string[]): readonly bigint[] {
  return tags.flatMap((tag) => {
    const digits = VERSION.exec(tag)?.[1];
    if (digits === undefined) return [];
    // Two parts and not single digits: a field can have a thousand tags, and arithmetic of bigints is slow.
    const low = BigInt(Number.parseInt(digits.slice(-DIGITS), 36));
    if (digits.length <= DIGITS) return [low];
    const version = BigInt(Number.parseInt(digits.slice(0, -DIGITS), 36)) * LOW + low;
    // A number beyond int64 is no version, and no engine could compare it.
    return version <= INT64_MAX ? [version] : [];
  });
}
