/** `plantstore backup`: a verified copy of the whole database, tokens included, while the service runs on. */
import { resolve } from 'node:path';
import { openForCommand } from '../stores/open.ts';
import type { Command } from './command.ts';
import { readCommandLine, UsageError } from './config.ts';
import { databaseOptions } from './options.ts';
import { print } from './output.ts';

export const backup: Command = {
  name: 'backup',
  operands: 'DEST',
  summary: 'Copies the database to a new file, checked and on stable storage, even while the service runs',
  options: databaseOptions,
  async run(args, stdio) {
    const { config, operands } = readCommandLine(databaseOptions, args, stdio.env, 1);
    const [destination] = operands;
    if (destination === undefined) throw new UsageError('backup needs the name of a new file');
    const engine = await openForCommand(config.database, 'read', false);
    try {
      if (engine.backup === undefined)
        throw new UsageError('backup is for sqlite:PATH; for PostgreSQL take pg_dump or pg_basebackup');
      await engine.backup(resolve(destination));
    } finally {
      await engine.close();
    }
    await print(stdio.stdout, `${resolve(destination)} holds ${engine.location}, checked\n`);
    return 0;
  },
};
