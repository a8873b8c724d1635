/** `plantstore backup`: a verified copy of the whole database, tokens included, while the service runs on. */
import { resolve } from 'node:path';
import { withEngine } from '../stores/open.ts';
import { command, UsageError } from './command-line.ts';
import { backupOptions } from './options.ts';
import { print } from './output.ts';

export const backup = command({
  name: 'backup',
  operand: 'DEST',
  summary: 'Copies the database to a new file, checked and on stable storage, even while the service runs',
  options: backupOptions,
  async run({ database, force }, { stdout }, destination) {
    if (destination === undefined) throw new UsageError('backup needs the name of a new file');
    const path = resolve(destination);
    const location = await withEngine(database, 'read', false, async (engine) => {
      if (engine.backup === undefined) {
        throw new UsageError('backup copies a SQLite file; for PostgreSQL use pg_dump or pg_basebackup');
      }
      await engine.backup(path, force);
      return engine.location;
    });
    await print(stdout, `Copied ${location} to ${path} and checked the copy.\n`);
    return 0;
  },
});
