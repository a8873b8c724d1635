/** `plantstore sandbox list | delete`: lets the operator of a service with --sandboxes see and delete sandboxes. */

import { type Command, command, UsageError } from '../../cli/command-line.ts';
import { DATABASE, JSON_SWITCH } from '../../cli/options.ts';
import { columns, jsonText, print, tell } from '../../cli/output.ts';
import { StartupError } from '../../errors.ts';
import { withEngine } from '../../stores/open.ts';

const list = command({
  name: 'sandbox list',
  summary: 'Lists the sandboxes that have not expired',
  options: { database: DATABASE, json: JSON_SWITCH },
  async run({ database, json }, { stdout }) {
    const { sandboxRecords } = await import('./sandbox-records.ts');
    const { isDemo } = await import('./sandbox.ts');
    const found = await withEngine(database, 'read', false, async ({ statements }) => {
      const records = sandboxRecords(statements);
      const live = await records.list(Date.now());
      return Promise.all(
        live.map(async ({ id, createdAt, expiresAt, store }) => ({
          id,
          createdAt: new Date(createdAt).toISOString(),
          expiresAt: isDemo({ expiresAt }) ? undefined : new Date(expiresAt).toISOString(),
          plants: (await records.sizeOf(store)).plants,
        })),
      );
    });
    const rows = found.map(({ id, createdAt, expiresAt, plants }) => {
      return [id, createdAt, expiresAt ?? 'never', String(plants)];
    });
    const table = columns([['ID', 'CREATED', 'EXPIRES', 'PLANTS'], ...rows]);
    await print(stdout, `${json ? jsonText(found) : table}\n`);
    return 0;
  },
});

const remove = command({
  name: 'sandbox delete',
  operand: 'ID',
  summary: 'Deletes a sandbox. A running service then deletes its plants',
  options: { database: DATABASE },
  async run({ database }, { stderr }, id) {
    if (id === undefined) throw new UsageError('the id of the sandbox is missing; plantstore sandbox list shows it');
    const { DEMO_ID } = await import('./sandbox.ts');
    if (id === DEMO_ID) throw new StartupError('the sandbox of a demo cannot be deleted; end the demo instead');
    const { sandboxRecords } = await import('./sandbox-records.ts');
    const isEnded = await withEngine(database, 'plants', false, ({ statements }) =>
      sandboxRecords(statements).end(id, Date.now()),
    );
    if (!isEnded) throw new StartupError('no sandbox has this id, or it has expired or was deleted');
    tell(stderr, 'The sandbox is deleted. Its token stops working within a second.');
    return 0;
  },
});

export const sandboxCommands: readonly Command[] = [list, remove];
