/** `plantstore check`: whether the database is sound, while the service runs on. */
import { StartupError, StoreFailure } from '../errors.ts';
import { openForCommand } from '../stores/open.ts';
import type { Command } from './command.ts';
import { readConfig } from './config.ts';
import { databaseOptions } from './options.ts';
import { print } from './output.ts';

export const check: Command = {
  name: 'check',
  summary: 'Reads the whole database and reports what is damaged; exits with 1 if anything is',
  options: databaseOptions,
  async run(args, stdio) {
    const config = readConfig(databaseOptions, args, stdio.env);
    const engine = await openForCommand(config.database, 'read', false);
    try {
      const faults = await engine.check();
      for (const fault of faults) stdio.stderr.write(`${fault}\n`);
      const rest = engine.unchecked === undefined ? '' : `, as far as its rows tell: ${engine.unchecked}`;
      await print(stdio.stdout, `${engine.location} is ${faults.length === 0 ? 'sound' : 'damaged'}${rest}\n`);
      return faults.length === 0 ? 0 : 1;
    } catch (error) {
      if (error instanceof StoreFailure) {
        throw new StartupError(`${error.message}; not everything was read`, { cause: error });
      }
      throw error;
    } finally {
      await engine.close();
    }
  },
};
