/** The names that a store may have: plain enough for logs, file names and JWT claims. */

const SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const STORE_NAME_RULE = '1 to 64 characters of A-Z a-z 0-9 . _ -, the first a letter or a digit';

export function isStoreName(text: unknown): text is string {
  return typeof text === 'string' && SHAPE.test(text);
}
