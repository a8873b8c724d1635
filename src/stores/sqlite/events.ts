/** Turns events on and off in the file. The writer reads the period in every transaction. */
import type { EventSwitch, Statements } from '../engine.ts';
import { SELECT_PERIOD } from './writes.ts';

const SELECT_NOW = "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)";
/** The name of a period is the time when it began. A restart within it changes nothing. */
const TURN_ON = `INSERT INTO meta SELECT 'events', CAST(CAST(unixepoch('subsec') * 1000 AS INTEGER) AS BLOB) WHERE true
   ON CONFLICT DO NOTHING`;
const TURN_OFF = "DELETE FROM meta WHERE key = 'events'";

export function sqliteEvents({ read, write }: Statements): EventSwitch {
  return {
    now: async () => Number((await read(SELECT_NOW))[0]?.[0]),
    period: async () => (await read(SELECT_PERIOD))[0]?.[0] as string | undefined,
    turnOn: async () => void (await write(TURN_ON, [])),
    turnOff: async () => void (await write(TURN_OFF, [])),
  };
}
