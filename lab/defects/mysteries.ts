/**
 * The defects of the bug hunt. One token is enough to find each of them. docs/guide/bug-hunt.md lists them in another
 * order. The number of a mystery chooses its defect for ever, so the list only grows with a major version.
 */
const MYSTERIES: readonly string[] = [
  'etag-missing',
  'replace-creates',
  'limit-1000-refused',
  'page-skips',
  'error-of-another-status',
  'tag-null-accepted',
  'stale-read',
  'deleted-plant-readable',
  'highest-id-refused',
  'created-201',
  'list-reversed',
  'challenge-missing',
  'refused-create-stored',
  'empty-name-refused',
  'allow-missing',
  'id-as-text',
  'if-match-ignored',
  'list-too-long',
  'fails-at-an-emoji',
  'no-credential-to-delete',
  'location-missing',
  'page-repeats',
  'text-taken-for-an-id',
  'required-member-missing',
  'replay-refused',
  'error-without-number',
  'head-differs-from-get',
  'limit-1001-accepted',
  'replace-keeps-the-tag',
  'tag-null',
  'error-as-plain-text',
  'any-token-accepted',
];

/** The name of the defect with a number. Numbers beyond the list begin it again. */
export function mysteryDefect(number: number): string {
  return MYSTERIES[number % MYSTERIES.length] ?? '';
}
