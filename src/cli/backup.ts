/** `plantstore backup`: copies the whole database, with its tokens, and checks the copy. The service may be running. */
import { resolve } from 'node:path';
import { withEngine } from '../stores/open.ts';
import { checkPath } from '../stores/sqlite/path.ts';
import { printable } from '../util/printable.ts';
import { command, readValue, UsageError } from './command-line.ts';
import { DATABASE, FORCE } from './options.ts';
import { print } from './output.ts';

export const backup = command({
  name: 'backup',
  operand: 'DEST',
  summary: 'Copies the database to a new file and checks the copy, even while the service runs',
  options: { database: DATABASE, force: FORCE },
  async run({ database, force }, { stdout }, destination) {
    if (destination === undefined)
      throw new UsageError('the name of the new file is missing; see plantstore backup --help');
    // The copy is a new database, whose name follows the same rules as that of `--database`.
    readValue('DEST', destination, checkPath);
    const path = resolve(destination);
    const location = await withEngine(database, 'read', false, async (engine) => {
      if (engine.backup === undefined) {
        throw new UsageError('backup copies only SQLite files; for PostgreSQL use pg_dump or pg_basebackup');
      }
      await engine.backup(path, force);
      return engine.location;
    });
    await print(stdout, `${printable(`Copied ${location} to ${path} and checked the copy.`)}\n`);
    return 0;
  },
});
