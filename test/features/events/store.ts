/** A store for the model of the feed. */
import { createCursors, EVENT_LISTS } from '../../../src/plants/cursor.ts';
import type { TestService } from '../../harness/service.ts';
import type { Real } from './model.ts';

export async function enterStore(service: TestService, store: string): Promise<Real> {
  const { events, cursorKey } = service.engine;
  const { encode } = createCursors(cursorKey, EVENT_LISTS);
  const period = BigInt((await events.period()) ?? 0);
  const writer = await service.as({ store, scopes: ['plants:write'] });
  return {
    client: await service.as({ store }),
    restart: service.restart,
    tags: new Map(),
    wrong: new Map([
      ['A'.repeat(40), 40006],
      [encode(`not-${store}`, period, 0n), 40006],
      // Newer than every event.
      [encode(store, period, 2n ** 63n - 1n), 40006],
      // From before events were turned off.
      [encode(store, 1n, 0n), 41000],
    ]),
    writer: writer.token,
    async remove(number) {
      // A restart replaces the engine.
      await service.engine.statements.write('DELETE FROM events WHERE store = $1 AND number <= $2', [store, number]);
    },
  };
}

/** Removes the plants and the events of a store. Its next event gets the number 1. */
export async function clear({ engine: { plants } }: TestService, store: string): Promise<void> {
  await plants.remove(store);
}
