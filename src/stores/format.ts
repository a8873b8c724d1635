/**
 * Refuses a database of a format that this version cannot use. The format is a number, which counts the steps that made
 * the tables. Format 1 is the format of 1.0.0.
 */
import { StartupError } from '../errors.ts';

/** Throws a StartupError if a newer version wrote the database. `latest`: the format of this version. */
export function refuseNewer(format: number, latest: number): void {
  if (format <= latest) return;
  throw new StartupError(`it was written by a newer version of Plant Store (format ${format}, not ${latest})`);
}

/** Throws a StartupError for a database of the commits before 1.0.0. They counted other formats, from 1 to 4. */
export function refuseDevelopment(format: number): never {
  throw new StartupError(
    `it was written by a development version of Plant Store (format ${format} before 1.0.0). To keep its plants, ` +
      'check out the commit that wrote it, run "npm ci" and "bin/plantstore export plants.ndjson --database URL" ' +
      'there, and import that file into a new database',
  );
}
