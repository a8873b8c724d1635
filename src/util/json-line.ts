/** The line separators of Unicode that JSON leaves as they are. */
const SEPARATORS = /[\u0085\u2028\u2029]/g;

/**
 * Escapes the separators in a JSON text, so that every reader takes it for one line. Python's `splitlines` ends a line
 * at each of them. Node's readline, and `$` in a JavaScript pattern with the flag `m`, end a line at the last two.
 */
export function jsonLine(json: string): string {
  return json.replace(SEPARATORS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
