/** Replaces tokens in a text with `…`, for logs and records. */

/** A token of this service, a token that was cut off, and a JWT. No entity tag has an upper-case letter as in `eyJ`. */
const SECRET_TEXT = /[Pp][Ss][SsTt](?:_|%5[Ff]|\\u005[Ff])(?:[0-9A-Za-z]{36}|[0-9A-Za-z]*$)|eyJ[\w-]{8,}(?:\.[\w-]*)*/g;

export function redactTokens(text: string): string {
  return text.replace(SECRET_TEXT, '…');
}
