/**
 * Classifies errors by SQLSTATE, never by their text (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
import pg from 'pg';
import { StoreFailure } from '../../errors.ts';

/** The connection was lost. The statement under way may have been committed. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

const DISK_FULL = '53100';
/**
 * Errors that the operator must fix: insufficient_privilege, undefined_table, undefined_column, no key to conflict
 * with.
 */
const OPERATORS: Readonly<Record<string, string>> = {
  '42501': 'its user needs SELECT, INSERT, UPDATE and DELETE on the tables',
  '42P01': 'its tables are gone, or its user may not use their schema',
  '42703': 'its tables lack a column or their primary key, as during a restore',
  '42P10': 'its tables lack a column or their primary key, as during a restore',
};
/** Integrity constraints, too long index entries and raised exceptions. The service's own rules accepted the row. */
const REFUSED_ROW = /^(23|54000|P0)/;
const ADDITION = 'a constraint, index or trigger that was added to its tables refuses a row';
/** serialization_failure and deadlock_detected. The statement was rolled back and can be repeated. */
const CONFLICT = /^(40001|40P01)$/;
/** Errors of two sessions that create the same table: unique_violation, duplicates, "tuple concurrently updated". */
const CREATION_RACE = /^(23505|42P07|42710|XX000|40001|40P01)$/;
/**
 * Connection exceptions (except 08006: a node of a cluster lost another node), statements prepared for columns of
 * another type (0A000), read-only, time-outs of a transaction or a session, prepared statements that a pooler mixed up
 * (26000, 42P05), and a server or a database that shuts down.
 */
const ENDS = /^(08(?!006)|0A000|25006|25P03|25P04|26000|42P05|57P)/;
/** Connections, changed credentials, unknown results (40003), the server's resources, its operator, disk and data. */
const UNAVAILABLE = /^(08|28|40|53|55|57|58|XX)/;

export function sqlState(error: unknown): string {
  return (error instanceof pg.DatabaseError && error.code) || '';
}

export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlState(error));
}

export function isCreationRace(error: unknown): boolean {
  return CREATION_RACE.test(sqlState(error));
}

/**
 * Whether the connection is useless after this error. An error without SQLSTATE comes from the connection. The severity
 * cannot be used, since pg reports it in the server's language (lc_messages).
 */
export function endsConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state === '' || ENDS.test(state);
}

/** Whether a new session might succeed. A session keeps the role and the search_path that it began with. */
export function mayBeOutdated(error: unknown): boolean {
  return sqlState(error) in OPERATORS;
}

/** Returns a StoreFailure for an error of the server or the connection. Any other error is returned as it is. */
export function translate(error: unknown): unknown {
  const state = sqlState(error);
  if (state === DISK_FULL) return new StoreFailure('out_of_space', error);
  const lack = OPERATORS[state] ?? (REFUSED_ROW.test(state) ? ADDITION : undefined);
  if (lack !== undefined) return new StoreFailure('unreachable', error, `the store refuses the command: ${lack}`, true);
  if (error instanceof ConnectionLost || UNAVAILABLE.test(state)) return new StoreFailure('unreachable', error);
  return error;
}
