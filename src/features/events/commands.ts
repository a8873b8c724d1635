/** `plantstore events off`: ends the feed of events of a database. */

import { type Command, command } from '../../cli/command-line.ts';
import { DATABASE } from '../../cli/options.ts';
import { tell } from '../../cli/output.ts';
import { withEngine } from '../../stores/open.ts';

/** A time after every event. */
const EVERYTHING = Number.MAX_SAFE_INTEGER;

const off = command({
  name: 'events off',
  summary: 'Turns events off for every process on the database, and removes all events',
  options: { database: DATABASE },
  async run({ database }, { stderr }) {
    const { removeOlder } = await import('./retention.ts');
    const removed = await withEngine(database, 'plants', false, async ({ events, statements }) => {
      await events.turnOff();
      let all = 0;
      for (let store = ''; ; ) {
        const piece = await removeOlder(statements, store, EVERYTHING, EVERYTHING);
        if (piece.store === '') return all;
        store = piece.store;
        all += piece.removed;
      }
    });
    tell(stderr, `Events are off. ${removed === 1 ? '1 event was' : `${removed} events were`} removed.`);
    return 0;
  },
});

export const eventsCommands: readonly Command[] = [off];
