/** Reads JSON text: its value, and the source text of its numbers if a double may not represent one of them. */
import { isUtf8 } from 'node:buffer';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export interface ParsedJson {
  readonly value: Json;
  /** The same value with every number as its source text. Undefined if every number is exact as a double. */
  readonly written: Json | undefined;
}

/** The error, and its place if V8 reports one. Lines and columns start at 1. Columns count code points. */
export interface JsonError {
  readonly error: string;
  readonly place?: { readonly line: number; readonly column: number };
}

/** A digit before a point or an exponent, or an integer over 9e15. The first inexact integer is 2^53 + 1. */
const MAY_ROUND = /\d[.eE]|\d{17}|9\d{15}/;
/** Matches single tokens. An expression for a whole string would overflow its stack at millions of escapes. */
const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d[\d.eE+-]*/g;

/** Parses UTF-8 bytes as JSON (RFC 8259). A byte order mark is an error. The text of an error fits into a message. */
export function parseJson(bytes: Buffer): ParsedJson | JsonError {
  // Buffer.toString and JSON.parse would silently replace bytes that are not UTF-8.
  if (!isUtf8(bytes)) return { error: 'it is not UTF-8' };
  const text = bytes.toString('utf8');
  try {
    return { value: JSON.parse(text), written: MAY_ROUND.test(text) ? JSON.parse(quoteNumbers(text)) : undefined };
  } catch (error) {
    return text.startsWith('\uFEFF') ? { error: 'it begins with a byte order mark' } : syntaxError(text, error);
  }
}

/** Puts every number in quotes. A reviver also gets the source text, but deep nesting overflows its stack. */
function quoteNumbers(text: string): string {
  let isWithinString = false;
  return text.replace(ESCAPE_QUOTE_OR_NUMBER, (token) => {
    if (token === '"') isWithinString = !isWithinString;
    return isWithinString || token === '"' ? token : `"${token}"`;
  });
}

/** Both match only the end of V8's message, since the quoted body before it may contain the same words. */
const CUT_OFF = /: Unexpected end of JSON input$/;
const POSITION = /at position (\d+)(?: \(line \d+ column \d+\))?$/;
/** The first of two UTF-16 units that form one character. */
const HIGH_SURROGATE = /[\uD800-\uDBFF]/g;

/** Describes a syntax error without repeating any of the text, since a body may contain a secret. */
function syntaxError(text: string, error: unknown): JsonError {
  const message = String(error);
  const isCutOff = CUT_OFF.test(message);
  const problem = isCutOff ? 'it ends too early' : 'there is a syntax error';
  const position = isCutOff ? text.length : POSITION.exec(message)?.[1];
  // V8 does not report the position of an unexpected token.
  if (position === undefined) return { error: problem };
  const lines = text.slice(0, Number(position)).replace(HIGH_SURROGATE, '').split('\n');
  return { error: problem, place: { line: lines.length, column: (lines.at(-1) ?? '').length + 1 } };
}
