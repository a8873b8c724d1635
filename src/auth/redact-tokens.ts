/** Replaces tokens in a text with `…`, for logs, records and messages. */

/** Any of these characters, as it is, percent-encoded, or as an escape of JSON. `codes` is a pattern of their codes. */
const encodable = (characters: string, codes: string) => `(?:${characters}|(?:%|\\\\u00)${codes})`;
const [P, S, ST, LINE] = [
  encodable('[Pp]', '[57]0'),
  encodable('[Ss]', '[57]3'),
  encodable('[SsTt]', '[57][34]'),
  encodable('_', '5[Ff]'),
];
const BODY = encodable('[0-9A-Za-z]', '(?:3\\d|[4-7][0-9A-Fa-f])');
const EYJ = `${encodable('e', '65')}${encodable('y', '79')}${encodable('J', '4[Aa]')}`;

/**
 * A token of this service, a token that was cut off at the end of a line, and a JWT. No entity tag has an upper-case
 * letter as in `eyJ`.
 */
const SECRET_TEXT = new RegExp(
  `${P}${S}${ST}${LINE}(?:${BODY}{36}|${BODY}*(?:$|(?=…)))|${EYJ}(?:${BODY}|[_-]){8,}(?:\\.(?:${BODY}|[_-])*)*`,
  'gm',
);

export function redactTokens(text: string): string {
  return text.replace(SECRET_TEXT, '…');
}
