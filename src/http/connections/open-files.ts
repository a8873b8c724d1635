/** Keeps open files free for the service itself, since each connection of a client is one. */
import { readFileSync } from 'node:fs';

/** Files for the database, the log, PostgreSQL, the issuer of JWTs and the receivers of webhooks. */
const RESERVED = 256;

/** How many connections clients may have: `wanted`, or fewer if the system's limit of open files is too low. */
export function connectionsWithinFiles(wanted: number): number {
  const limit = openFileLimit();
  return Math.min(wanted, Math.max(limit - RESERVED, Math.floor(limit / 2)));
}

/** The limit of this process. Infinity where it is unknown: only Linux has this file, and it may be forbidden. */
export function openFileLimit(): number {
  try {
    const [, limit = Infinity] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return Number(limit);
  } catch {
    return Infinity;
  }
}
