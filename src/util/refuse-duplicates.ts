import { StartupError } from '../errors.ts';

/** Throws a StartupError if two parts have the same name. The second part would silently replace the first. */
export function refuseDuplicates(what: string, names: Iterable<string>): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new StartupError(`two ${what} have the name ${name}`);
    seen.add(name);
  }
}
