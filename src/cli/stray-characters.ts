/** Finds characters that are in the value of an option by mistake: line ends, blanks around it, and quotes. */

/** Control characters, line separators, and characters that change the direction of a text. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
/** A blank, or a character without width, such as a byte order mark. */
const BLANK = /[\s\p{Cf}]/u;
const QUOTED = /^(["'`]).*\1$/;

/**
 * Returns the reason to refuse a value, or undefined. Such a value would be a different name or path from the one that
 * the user sees. The reason never repeats the value, which may be secret, nor the character, which a terminal may obey.
 */
export function describeStray(value: string): string | undefined {
  const characters = [...value];
  const [first = '', last = ''] = [characters[0], characters.at(-1)];
  if (BLANK.test(last)) return `it ends with ${nameOf(last)}; remove it`;
  if (BLANK.test(first)) return `it begins with ${nameOf(first)}; remove it`;
  const control = CONTROL.exec(value)?.[0];
  if (control !== undefined) return `it contains ${nameOf(control)}; remove it`;
  // Node replaces what it cannot decode, so the value would name another file.
  if (value.includes('\ufffd') || !value.isWellFormed()) return 'it is not UTF-8; write it in UTF-8';
  if (value.length > 1 && QUOTED.test(value)) {
    return 'it is in quotes, which are part of the value here; remove them (docker --env-file keeps quotes)';
  }
  return undefined;
}

const NAMES: Readonly<Record<string, string>> = { '\n': 'a line feed', '\r': 'a carriage return', '\t': 'a tab' };

/** For example `a line feed (U+000A)`. */
function nameOf(character: string): string {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  const kind = CONTROL.test(character) ? 'a control character' : 'a blank';
  return `${NAMES[character] ?? kind} (U+${code})`;
}
