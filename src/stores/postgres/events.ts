/** Turns events on and off in the database. Each session reads the period once, when it opens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailure } from '../../errors.ts';
import type { EventSwitch } from '../engine.ts';
import { type Client, SELECT_PERIOD } from './client.ts';

const SELECT_NOW = 'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS int8)';
/** The name of a period is the time when it began. A restart within it changes nothing. */
const TURN_ON = `INSERT INTO plantstore_meta (key, value)
    VALUES ('events', CAST(CAST(extract(epoch FROM clock_timestamp()) * 1000 AS int8) AS text))
    ON CONFLICT DO NOTHING RETURNING key`;
const TURN_OFF = "DELETE FROM plantstore_meta WHERE key = 'events' RETURNING key";

/** The statements about the sessions of this and other processes on the same tables, except the own session. */
export interface Activity {
  /**
   * Lists these sessions, and whether the user may end them. The number at the end of a session's name identifies its
   * tables.
   */
  readonly select: string;
  /** Ends the sessions that are listed in $1. */
  readonly end: string;
}

export const ON_SERVER: Activity = {
  select: `SELECT CAST(pid AS text) || ' ' || backend_start, pg_has_role(usename, 'USAGE') FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND substring(application_name FROM ' -?[0-9]+$')
        = substring(current_setting('application_name') FROM ' -?[0-9]+$')`,
  end: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE CAST(pid AS text) || ' ' || backend_start = ANY($1) AND pid <> pg_backend_pid()`,
};

const FOREIGN =
  'it has sessions of another user, which this user may not end: stop their processes first, or connect as that user';

/** How long sessions may take to end, in milliseconds. */
const ENDING_MS = 5_000;
const PAUSE_MS = 20;

/**
 * After a change, the sessions that were open before it are ended. Their processes open others, which know the change.
 * A write on an ended session fails as in any outage.
 */
export function postgresEvents(client: Client, { select, end }: Activity): EventSwitch {
  const period = async () => (await client.read(SELECT_PERIOD))[0]?.[0] as string | undefined;
  const change = async (sql: string, turnsOn: boolean) => {
    if (((await period()) !== undefined) === turnsOn) return;
    // Checked before the change. After it, the next start would find nothing to change, and not end these sessions.
    if ((await client.read(select)).some(([, mayEnd]) => mayEnd === false))
      throw new StoreFailure('unreachable', undefined, FOREIGN, true);
    const changed = await client.write((query) => query(sql));
    if (changed.length === 0) return;
    client.renew();
    const before = (await client.read(select)).map(([name]) => name);
    await client.read(end, [before]);
    const deadline = performance.now() + ENDING_MS;
    const isEnded = async () => (await client.read(select)).every(([name]) => !before.includes(name));
    while (!(await isEnded())) {
      if (performance.now() > deadline) throw new StoreFailure('unreachable', new Error('other sessions do not end'));
      await sleep(PAUSE_MS);
    }
  };
  return {
    now: async () => Number((await client.read(SELECT_NOW))[0]?.[0]),
    period,
    turnOn: () => change(TURN_ON, true),
    turnOff: () => change(TURN_OFF, false),
  };
}
