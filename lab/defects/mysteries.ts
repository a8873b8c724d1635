/**
 * The defects of the bug hunt. One token is enough to find each of them. docs/guide/bug-hunt.md lists them in another
 * order. The number of a mystery chooses its defect for ever, so the list only grows with a major version.
 */
const MYSTERIES: readonly string[] = [
  'strong-etag-missing',
  'replace-creates',
  'valid-limit-refused',
  'page-skips',
  'error-of-another-status',
  'text-of-another-type-accepted',
  'stale-read',
  'deleted-plant-readable',
  'valid-id-refused',
  'success-status-undeclared',
  'list-reversed',
  'challenge-missing',
  'refused-create-stored',
  'valid-text-refused',
  'allow-missing',
  'member-of-another-type',
  'if-match-ignored',
  'list-too-long',
  'fails-at-a-valid-text',
  'no-credential-for-an-operation',
  'location-missing',
  'page-repeats',
  'id-of-another-type-accepted',
  'required-member-missing',
  'replay-refused',
  'error-member-missing',
  'head-differs-from-get',
  'limit-too-high-accepted',
  'replace-keeps-the-tag',
  'absent-tag-returned',
  'error-not-json',
  'any-token-accepted',
];

/** The name of the defect with a number. Numbers beyond the list begin it again. */
export function mysteryDefect(number: number): string {
  return MYSTERIES[number % MYSTERIES.length] ?? '';
}
