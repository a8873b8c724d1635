/** Owns reading a JSON body: bytes to text to value, with the source text of its numbers at hand where they matter. */
import { isUtf8 } from 'node:buffer';
import type { Json } from './document.ts';
import type { Source } from './exact.ts';

/** A parsed body that can tell how each of its numbers was written. */
export interface ParsedJson extends Source {
  readonly value: Json;
}

/** A digit before a point or an exponent: without one, no number of the text hides a fraction. */
const FRACTION_OR_EXPONENT = /\d[.eE]/;

/** One expression for a whole string would overflow its stack by millions of escapes: quotes are counted instead. */
const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d[\d.eE+-]*/g;

/** Parses UTF-8 bytes as JSON (RFC 8259). A fault is told in words, ready for a message; a byte order mark is one. */
export function parseJson(bytes: Buffer): ParsedJson | { readonly fault: string } {
  // Buffer.toString and JSON.parse would replace what is not UTF-8 silently.
  if (!isUtf8(bytes)) return { fault: 'it is not UTF-8' };
  const text = bytes.toString('utf8');
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: text.startsWith('\uFEFF') ? 'it begins with a byte order mark' : syntaxFault(text) };
  }
  let sources: Json | undefined;
  return {
    value,
    mayRound: FRACTION_OR_EXPONENT.test(text),
    // Quoting every number keeps its source. A reviver would tell it too, but recurses: deep nesting overflows it.
    text: () => (sources ??= JSON.parse(quoteNumbers(text)) as Json),
  };
}

function quoteNumbers(text: string): string {
  let within = false;
  return text.replace(ESCAPE_QUOTE_OR_NUMBER, (token) => {
    if (token === '"') within = !within;
    return within || token === '"' ? token : `"${token}"`;
  });
}

/** At the end of V8's message: before it, V8 may quote the body, which may hold the same words. */
const POSITION = /at position (\d+)(?: \(line \d+ column \d+\))?$/;
/** The first of two units of UTF-16 that are one character. */
const FIRST_OF_TWO = /[\uD800-\uDBFF]/g;

/** Where the text stops being JSON, without repeating any of it: a body may hold what must not be echoed. */
function syntaxFault(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    const position = POSITION.exec(String(error))?.[1];
    if (position !== undefined) {
      const before = text.slice(0, Number(position)).replace(FIRST_OF_TWO, '');
      return `there is a syntax error at character ${before.length}`;
    }
  }
  return 'it ends too early or has a syntax error';
}
