import fc from 'fast-check';

/** Any code point, a half of a pair too: fast-check's own first makes a table of them all, a second's work in each file. */
export const character = fc.nat(0x10ffff).map((codePoint) => String.fromCodePoint(codePoint));
