/** `plantstore check`: looks for damage in the whole database. The service may be running. */
import { StartupError, StoreFailure } from '../errors.ts';
import { withEngine } from '../stores/open.ts';
import { printable } from '../util/printable.ts';
import { command } from './command-line.ts';
import { DATABASE } from './options.ts';
import { print, tell } from './output.ts';

export const check = command({
  name: 'check',
  summary: 'Reads the whole database and reports damage (exit code 1)',
  options: { database: DATABASE },
  run: ({ database }, { stdout, stderr }) =>
    withEngine(database, 'read', false, async (engine) => {
      const { problems, holds } = await engine.check().catch((error: unknown) => {
        if (!(error instanceof StoreFailure)) throw error;
        throw new StartupError(`${error.shown}; the check is incomplete`, { cause: error });
      });
      for (const problem of problems) tell(stderr, problem);
      const found = holds === undefined ? `Problems found: ${problems.length}` : `No problems found: ${holds}`;
      const rest = engine.unchecked === undefined ? '' : `Not checked: ${engine.unchecked}\n`;
      await print(stdout, `${found} in ${printable(engine.location)}.\n${rest}`);
      return problems.length === 0 ? 0 : 1;
    }),
});
