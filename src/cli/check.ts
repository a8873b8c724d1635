/** `plantstore check`: whether the database is sound, beside a service that runs on. */
import type { Command, Stdio } from './command.ts';
import { readConfig, UsageError } from './config.ts';
import { openData } from './engine.ts';
import { databaseOptions } from './options.ts';

export const check: Command = {
  name: 'check',
  summary: 'Reads the whole database and tells what is damaged; exit code 1 when something is',
  options: databaseOptions,
  async run(args: readonly string[], stdio: Stdio): Promise<number> {
    const config = readConfig(databaseOptions, args, stdio.env);
    const data = await openData(config.database, false);
    try {
      if (data.check === undefined) throw new UsageError('check is for sqlite:PATH; PostgreSQL has pg_amcheck');
      const faults = data.check();
      for (const fault of faults) stdio.stderr.write(`${fault}\n`);
      stdio.stdout.write(faults.length === 0 ? `${data.location} is sound\n` : `${data.location} is damaged\n`);
      return faults.length === 0 ? 0 : 1;
    } finally {
      await data.close();
    }
  },
};
