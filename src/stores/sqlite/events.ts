/** Turns events on and off in the file. The writer reads the period in every transaction. */
import type { DatabaseSync } from 'node:sqlite';
import type { EventSwitch } from '../engine.ts';
import { translateErrors } from './failures.ts';
import { type Result, SELECT_PERIOD, type Write } from './writes.ts';

/** The name of a period is the time when it began. A restart within it changes nothing. */
const TURN_ON = `INSERT INTO meta SELECT 'events', CAST(CAST(unixepoch('subsec') * 1000 AS INTEGER) AS BLOB) WHERE true
   ON CONFLICT DO NOTHING RETURNING key`;
const TURN_OFF = "DELETE FROM meta WHERE key = 'events' RETURNING key";

export function sqliteEvents(database: DatabaseSync, commit: (write: Write) => Promise<Result>): EventSwitch {
  const select = database.prepare(SELECT_PERIOD);
  select.setReturnArrays(true);
  return {
    period: () => translateErrors(() => (select.get() as unknown as readonly [string] | undefined)?.[0]),
    turnOn: async () => void (await commit(['run', TURN_ON, []])),
    turnOff: async () => void (await commit(['run', TURN_OFF, []])),
  };
}
