import fc from 'fast-check';

/** Any code point, also a lone surrogate. fast-check's own arbitrary takes a second in each file to build its table. */
export const character = fc.nat(0x10ffff).map((codePoint) => String.fromCodePoint(codePoint));
