/** Reads JSON text: its value, and how its numbers are written where a double may not hold them. */
import { isUtf8 } from 'node:buffer';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export interface ParsedJson {
  readonly value: Json;
  /** The same value with every number as its source text; undefined where each double is exact. */
  readonly written: Json | undefined;
}

/** What is wrong, and where the parser tells it, from 1; columns are characters (code points). */
export interface JsonError {
  readonly error: string;
  readonly place?: { readonly line: number; readonly column: number };
}

/** A digit before a point or an exponent, or an integer beyond 9e15: the first that a double does not hold is 2^53 + 1. */
const MAY_ROUND = /\d[.eE]|\d{17}|9\d{15}/;
/** Tokens, not whole strings: one expression for a string would overflow its stack by millions of escapes. */
const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d[\d.eE+-]*/g;

/** Parses UTF-8 bytes as JSON (RFC 8259); a byte order mark is an error. Errors are told in words, ready for a message. */
export function parseJson(bytes: Buffer): ParsedJson | JsonError {
  // Buffer.toString and JSON.parse would replace what is not UTF-8 silently.
  if (!isUtf8(bytes)) return { error: 'it is not UTF-8' };
  const text = bytes.toString('utf8');
  try {
    return { value: JSON.parse(text), written: MAY_ROUND.test(text) ? JSON.parse(quoteNumbers(text)) : undefined };
  } catch (error) {
    return text.startsWith('\uFEFF') ? { error: 'it begins with a byte order mark' } : syntaxError(text, error);
  }
}

/** A reviver would tell the source text too, but it recurses: deep nesting overflows it. */
function quoteNumbers(text: string): string {
  let isWithinString = false;
  return text.replace(ESCAPE_QUOTE_OR_NUMBER, (token) => {
    if (token === '"') isWithinString = !isWithinString;
    return isWithinString || token === '"' ? token : `"${token}"`;
  });
}

/** Both at the end of V8's message: before it, V8 may quote the body, which may hold the same words. */
const CUT_OFF = /: Unexpected end of JSON input$/;
const POSITION = /at position (\d+)(?: \(line \d+ column \d+\))?$/;
/** The first of two UTF-16 units that are one character. */
const HIGH_SURROGATE = /[\uD800-\uDBFF]/g;

/** Where the text stops being JSON, without repeating any of it: a body may hold what must not be echoed. */
function syntaxError(text: string, error: unknown): JsonError {
  const message = String(error);
  const isCutOff = CUT_OFF.test(message);
  const problem = isCutOff ? 'it ends too early' : 'there is a syntax error';
  const position = isCutOff ? text.length : POSITION.exec(message)?.[1];
  // V8 does not tell the position of a token that it did not expect.
  if (position === undefined) return { error: problem };
  const lines = text.slice(0, Number(position)).replace(HIGH_SURROGATE, '').split('\n');
  return { error: problem, place: { line: lines.length, column: (lines.at(-1) ?? '').length + 1 } };
}
