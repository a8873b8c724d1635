/** Replaces tokens in a text with `…`, for logs and records. */

/** A token of this service, a token that was cut off, and a JWT. No entity tag has an upper-case letter as in `eyJ`. */
const SECRET_TEXT = /(?i:ps[st](?:_|%5f|\\u005f))(?:[0-9A-Za-z]{36}|[0-9A-Za-z]*$)|eyJ[\w-]{8,}(?:\.[\w-]*)*/g;

export function redactTokens(text: string): string {
  return text.replace(SECRET_TEXT, '…');
}
