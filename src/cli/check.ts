/** `plantstore check`: whether the database is sound, while the service runs on. */
import { StartupError, StoreFailure } from '../errors.ts';
import type { Command } from './command.ts';
import { readConfig } from './config.ts';
import { openData } from './engine.ts';
import { databaseOptions } from './options.ts';
import { print } from './output.ts';

export const check: Command = {
  name: 'check',
  summary: 'Reads the whole database and reports what is damaged; exits with 1 if anything is',
  options: databaseOptions,
  async run(args, stdio) {
    const config = readConfig(databaseOptions, args, stdio.env);
    const data = await openData(config.database, false);
    try {
      const faults = await data.check();
      for (const fault of faults) stdio.stderr.write(`${fault}\n`);
      const rest = data.unchecked === undefined ? '' : `, as far as its rows tell: ${data.unchecked}`;
      await print(stdio.stdout, `${data.location} is ${faults.length === 0 ? 'sound' : 'damaged'}${rest}\n`);
      return faults.length === 0 ? 0 : 1;
    } catch (error) {
      if (error instanceof StoreFailure) {
        throw new StartupError(`${error.message}; not everything was read`, { cause: error });
      }
      throw error;
    } finally {
      await data.close();
    }
  },
};
