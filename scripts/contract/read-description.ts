import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Reads a description. Throws an error with its path if it is no YAML. Integers become bigints. */
export function readDescription(path: string) {
  try {
    return parse(readFileSync(path, 'utf8'), { intAsBigInt: true });
  } catch (error) {
    throw new Error(`${path} cannot be read: ${Error.isError(error) ? error.message : error}`, { cause: error });
  }
}
