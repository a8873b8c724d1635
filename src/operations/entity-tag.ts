/** Owns entity tags: a plant's version as one, and which tags a condition names (RFC 9110, 8.8.3 and 13.1). */
import { readCondition } from '../contract/condition.ts';
import { INT64_MAX } from '../contract/integer.ts';
import type { Precondition } from '../plants/plant-store.ts';

export function entityTag(version: bigint): string {
  return `"${version.toString(36)}"`;
}

/** The versions that an If-Match accepts, by strong comparison: a weak tag never matches. Without the field any does. */
export function expectedVersions(field: string | undefined): Precondition {
  const condition = field === undefined ? '*' : readCondition(field);
  if (condition === '*') return undefined;
  return condition.flatMap((tag) => {
    const digits = /^"([0-9a-z]{1,13})"$/.exec(tag)?.[1];
    const version = digits === undefined ? undefined : versionOf(digits);
    // A version is an int64: a greater number names none, and no engine could compare it.
    return version !== undefined && version <= INT64_MAX && entityTag(version) === tag ? [version] : [];
  });
}

function versionOf(digits: string): bigint {
  let version = 0n;
  for (const digit of digits) version = version * 36n + BigInt(Number.parseInt(digit, 36));
  return version;
}
