/** Owns the bulk writer: many plants a statement, by the same statement and the same rules as the creates of callers. */
import { firstVersion } from '../../plants/plant.ts';
import { type PlantColumns, plantAt } from '../../plants/plant-columns.ts';
import { type BulkOutcome, type BulkWriter, markKey } from '../data.ts';
import { openClient } from './client.ts';
import type { Server } from './database.ts';
import { rowOf } from './plants.ts';
import type { Statement } from './session.ts';
import { createAll } from './writes.ts';

/** Plants of one statement: some 50 ms, for which a create of the same id has to wait. */
const BATCH = 5_000;

const SELECT_MARK: Statement = { name: 'mark-select', text: 'SELECT value FROM plantstore_meta WHERE key = $1' };
const UPSERT_MARK: Statement = {
  name: 'mark-upsert',
  text: `INSERT INTO plantstore_meta (key, value) VALUES ($1, $2)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
};
const REMOVE_MARK: Statement = { name: 'mark-remove', text: 'DELETE FROM plantstore_meta WHERE key = $1' };

/** `bound`: the longest that one statement may take, its repetitions after conflicts included, in milliseconds. */
export function openBulkWriter(server: Server, store: string, bound: number, random: () => number): BulkWriter {
  const runner = openClient(server.config, { connections: 1, maxWaiting: 1, timeout: bound, random });

  const write = async (plants: PlantColumns): Promise<BulkOutcome> => {
    const taken: number[] = [];
    let stored = 0;
    for (let from = 0; from < plants.length; from += BATCH) {
      const length = Math.min(BATCH, plants.length - from);
      const rows = Array.from({ length }, (_, i) => rowOf(store, plantAt(plants, from + i), firstVersion(random)));
      const outcomes = await runner.write((query) => createAll(query, rows));
      outcomes.forEach((outcome, i) => {
        if (outcome === 'created') stored++;
        if (outcome === 'taken') taken.push(from + i);
      });
    }
    return { stored, taken };
  };

  return {
    mark: async (key) => (await runner.read(SELECT_MARK, [markKey(key)])).rows[0]?.[0] as string | undefined,
    async write(plants, mark) {
      const outcome = await write(plants);
      if (mark !== undefined) await runner.write((query) => query(UPSERT_MARK, [markKey(mark.key), mark.state]));
      return outcome;
    },
    async forget(key) {
      await runner.write((query) => query(REMOVE_MARK, [markKey(key)]));
    },
    close: () => runner.close(),
  };
}
