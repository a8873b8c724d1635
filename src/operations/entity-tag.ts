/** A plant's version as an entity tag, and the versions that an If-Match names (RFC 9110, 8.8.3 and 13.1). */
import { readTags } from '../contract/entity-tags.ts';
import type { Precondition } from '../plants/plant-store.ts';

export function entityTag(version: bigint): string {
  return `"${version.toString(36)}"`;
}

/** The versions that an If-Match accepts, by strong comparison: a weak tag never matches. Without the field any does. */
export function expectedVersions(field: string | undefined): Precondition {
  const tags = field === undefined ? '*' : readTags(field);
  if (tags === '*') return undefined;
  return tags.flatMap((tag) => {
    const digits = /^"([0-9a-z]{1,13})"$/.exec(tag)?.[1];
    const version = digits === undefined ? undefined : versionOf(digits);
    // A version is an int64: a greater number names none, and no engine could compare it.
    return version !== undefined && BigInt.asIntN(64, version) === version && entityTag(version) === tag
      ? [version]
      : [];
  });
}

function versionOf(digits: string): bigint {
  let version = 0n;
  for (const digit of digits) version = version * 36n + BigInt(Number.parseInt(digit, 36));
  return version;
}
