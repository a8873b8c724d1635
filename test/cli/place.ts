/** A database for commands, with a directory beside it. */
import { writeFileSync } from 'node:fs';
import { createDatabase } from '../harness/database.ts';
import { createDirectory } from '../harness/directory.ts';
import { runHere } from '../harness/process.ts';

/** Use with `await using`. */
export async function createPlace() {
  const database = await createDatabase();
  const directory = createDirectory();
  const on = (args: readonly string[]) => [...args, '--database', database.url];
  return {
    directory: directory.path,
    at: directory.at,
    database: database.url,
    /** The arguments of a command on the database. */
    on,
    run: (...args: string[]) => runHere(on(args)),
    write(name: string, content: string | Buffer) {
      writeFileSync(directory.at(name), content);
      return directory.at(name);
    },
    async [Symbol.asyncDispose]() {
      directory[Symbol.dispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
