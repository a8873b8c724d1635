/**
 * Some tests try many cases of one kind. `npm test` tries a few of them, and `npm run test:long` tries the others.
 * A file that uses this is in the list LONG of scripts/test-rooms.ts.
 */

/** The variable that scripts/test.ts sets for `npm run test:long`. */
export const LONG_VARIABLE = 'TEST_LONG';

/** Returns the cases of `npm test`, or those of `npm run test:long`. */
export const briefOrLong = <T>(brief: T, long: T): T => (process.env[LONG_VARIABLE] === undefined ? brief : long);
