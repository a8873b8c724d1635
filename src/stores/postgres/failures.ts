/** Translates errors by their SQLSTATE, never by their text (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
import pg from 'pg';
import { StoreFailure } from '../../errors.ts';

/** The connection went away: what was under way may have been committed all the same. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

const DISK_FULL = '53100';
const INCOMPLETE = 'its tables lack a column or their primary key, as during a restore';
/**
 * insufficient_privilege, undefined_table, undefined_column and, for a missing key, invalid_column_reference: the operator's
 * to set right, and no error of this code.
 */
const OPERATORS: Readonly<Record<string, string>> = {
  '42501': 'its user needs SELECT, INSERT, UPDATE and DELETE on the tables',
  '42P01': 'its tables are gone, or its user may not use their schema',
  '42703': INCOMPLETE,
  '42P10': INCOMPLETE,
};
/**
 * Integrity constraints, program_limit_exceeded (an index entry that is too long) and raised exceptions: what an operator
 * added to the tables, since the service's own rules let the row pass.
 */
const REFUSED_ROW = /^(23|54000|P0)/;
const ADDITION = 'a constraint, index or trigger that was added to its tables refuses a row';
/** serialization_failure and deadlock_detected: rolled back for certain, and meant to be repeated. */
const CONFLICTS = new Set(['40001', '40P01']);
/**
 * What two processes that create the same table at once may meet: unique_violation, duplicate_table, duplicate_object, and
 * internal_error ("tuple concurrently updated").
 */
const RACES = new Set(['23505', '42P07', '42710', 'XX000', ...CONFLICTS]);
/**
 * Connection exceptions, statements prepared for columns of another type (0A000), read-only, time-outs of a transaction or
 * a session, prepared statements that a pooler gave to another (26000) or had of another (42P05), a server or a database
 * that goes away.
 */
const ENDS = /^(08|0A000|25006|25P03|25P04|26000|42P05|57P)/;
/**
 * The server cannot serve now: connection exceptions, credentials changed under way, unknown outcomes (40003), its
 * resources and operators, its disk, its data.
 */
const UNAVAILABLE = /^(08|28|40|53|55|57|58|XX)/;

/** The SQLSTATE of a server's error; undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(sqlState(error) ?? '');
}

export function isCreationRace(error: unknown): boolean {
  return RACES.has(sqlState(error) ?? '');
}

/**
 * Whether the server ends the connection with this error, or it is of no more use: its prepared statements fit the tables
 * no more, or the server has become a read-only standby. The severity does not tell: pg gives it in the server's language
 * (lc_messages).
 */
export function endsConnection(error: unknown): boolean {
  // Without a code it is pg's own error about bytes that no server sends.
  return error instanceof pg.DatabaseError && (error.code === undefined || ENDS.test(error.code));
}

/**
 * Whether a session that began since might be served: one keeps its role, even where that was dropped and made anew, and
 * the search_path that its role or database had when it began.
 */
export function mayBeOutdated(error: unknown): boolean {
  return OPERATORS[sqlState(error) ?? ''] !== undefined;
}

/** A StoreFailure for what the server or the connection says, or the error itself, which is then one of this code. */
export function translate(error: unknown): unknown {
  if (error instanceof ConnectionLost) return new StoreFailure('unreachable', error);
  const state = sqlState(error);
  if (state === DISK_FULL) return new StoreFailure('out-of-space', error);
  const lack = OPERATORS[state ?? ''] ?? (REFUSED_ROW.test(state ?? '') ? ADDITION : undefined);
  if (lack !== undefined) return new StoreFailure('unreachable', error, `the store refuses the command: ${lack}`, true);
  if (state !== undefined && UNAVAILABLE.test(state)) return new StoreFailure('unreachable', error);
  return error;
}
