/** Keeps webhooks and their attempts in the database, with SQL that both engines understand. */
import type { StoreName } from '../../../plants/plant.ts';
import type { SqlRow, SqlValue, Statements } from '../../../stores/engine.ts';
import type { EventType } from './webhooks.generated.ts';

/** What a client chooses. */
export interface Terms {
  /** Undefined: the webhook delivers to an inbox. */
  readonly url: string | undefined;
  /** The types that are sent. Empty: all. */
  readonly types: readonly EventType[];
  readonly description: string | undefined;
}

/** The token that a webhook ends with. */
export interface Owner {
  /** The id of the credential. */
  readonly credential: string;
  /** When a JWT expires. The end of any other credential must be looked up. */
  readonly endsAt: number | undefined;
}

/** Where a webhook is in the feed: the number of the last event that was delivered. */
export interface Position {
  readonly period: string;
  readonly place: bigint;
}

/** What the attempts have led to. */
export interface Progress extends Position {
  /** Why the webhook sends nothing. */
  readonly disabled: string | undefined;
  /** The failed attempts since the last success, when the first of them was, and when the next attempt is. */
  readonly failures: number;
  readonly failingSince: number | undefined;
  readonly nextAt: number | undefined;
}

/** Times are milliseconds since 1970. */
export interface WebhookRecord extends Terms, Owner, Progress {
  readonly id: string;
  readonly store: StoreName;
  /** The number of the secret. The one before it also signs until `previousUntil`. */
  readonly generation: number;
  readonly previousUntil: number;
  readonly createdAt: number;
  /** Rises with each change by a client. */
  readonly revision: number;
}

/** An attempt as it is stored. Its number follows from its place in the list. */
export interface StoredAttempt {
  readonly at: number;
  readonly message: string;
  readonly type: string;
  readonly status?: number;
  readonly failure?: string;
  readonly milliseconds: number;
  readonly response?: string;
  /** Only of an inbox: what arrived there. */
  readonly arrived?: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    /** Why the message is wrong. */
    readonly reason?: string;
  };
}
export type NumberedAttempt = StoredAttempt & { readonly number: number };

export interface WebhookRecords {
  add(webhook: WebhookRecord): Promise<void>;
  /** The webhooks of a store, oldest first. */
  list(store: StoreName): Promise<readonly WebhookRecord[]>;
  /** The webhook. Undefined: the store has none with this id. This is true of all that follow. */
  find(store: StoreName, id: string): Promise<WebhookRecord | undefined>;
  /** Replaces the terms, and makes the webhook active. */
  replace(store: StoreName, id: string, terms: Terms & Owner): Promise<WebhookRecord | undefined>;
  /** Begins the next generation of the secret. */
  rotate(store: StoreName, id: string, previousUntil: number): Promise<WebhookRecord | undefined>;
  move(store: StoreName, id: string, to: Position): Promise<WebhookRecord | undefined>;
  remove(store: StoreName, id: string): Promise<WebhookRecord | undefined>;
  /** Saves the progress, if the process still holds the webhook and no client has changed it. */
  save(webhook: WebhookRecord, holder: string, progress: Progress): Promise<boolean>;
  /**
   * Stores attempts, and removes those that are no longer kept. Resolves to the number of the last one. Undefined: the
   * webhook was deleted.
   */
  addAttempts(webhook: WebhookRecord, attempts: readonly StoredAttempt[]): Promise<number | undefined>;
  /** The attempts that are kept and have a higher number, oldest first. */
  attempts(webhook: WebhookRecord, after?: number): Promise<readonly NumberedAttempt[]>;

  /** The beats of the processes that deliver, and under CHANGES a number that rises with each change. */
  beats(): Promise<ReadonlyMap<string, bigint>>;
  /** Raises the beat of a process, or CHANGES. */
  raise(id: string): Promise<void>;
  /** Gives the webhooks of one process to another. Null: no process, or one that has no beat. */
  take(from: string | null, to: string | null): Promise<void>;
  heldBy(holder: string): Promise<readonly WebhookRecord[]>;
  /** Forgets a process. If it still delivers, it finds that out with its next beat. */
  forget(holder: string): Promise<void>;
}

/** The row that counts the changes of all webhooks. No process has this id. */
export const CHANGES = '';

/** How many attempts of a webhook are kept, and how many bytes of them for all webhooks of a store. */
export const KEPT = 100;
export const KEPT_BYTES = 4_194_304;

const COLUMNS = `id, store, url, types, description, credential, ends_at, period, place, generation, previous_until,
  disabled, failures, failing_since, next_at, created_at, revision`;
const IS_ACTIVE = 'disabled = NULL, failures = 0, failing_since = NULL, next_at = NULL';
const IS_FREE = 'holder IS NULL OR holder NOT IN (SELECT id FROM webhook_holders)';
const ATTEMPTS_OF = 'FROM webhook_attempts WHERE store = $1';
const ADD = `INSERT INTO webhook_attempts (store, webhook, number, at, bytes, attempts)
  SELECT store, id, CAST($3 AS bigint), CAST($4 AS bigint), CAST($5 AS bigint), CAST($6 AS text)
  FROM webhooks WHERE store = $1 AND id = $2 RETURNING number`;
const REMOVE_OLD = `DELETE ${ATTEMPTS_OF} AND (webhook = $2 AND number <= $3 OR (webhook, number) IN (
    SELECT webhook, number FROM (
      SELECT webhook, number, sum(bytes) OVER (ORDER BY at DESC, number DESC, webhook) AS total ${ATTEMPTS_OF}
    ) AS newest WHERE total > ${KEPT_BYTES}
  )) RETURNING number`;

export function webhookRecords({ read, write }: Statements): WebhookRecords {
  const select = async (rest: string, ...values: readonly SqlValue[]) =>
    (await read(`SELECT ${COLUMNS} FROM webhooks WHERE ${rest}`, values)).map(recordOf);
  const find = async (store: StoreName, id: string) => (await select('store = $1 AND id = $2', store, id))[0];
  const change = async (sql: string, ...values: readonly SqlValue[]) => {
    const [row] = await write(`${sql} WHERE store = $1 AND id = $2 RETURNING ${COLUMNS}`, values);
    return row && recordOf(row);
  };
  const set = (what: string, ...values: readonly SqlValue[]) =>
    change(`UPDATE webhooks SET ${what}, revision = revision + 1`, ...values);

  return {
    async add(webhook) {
      const { id, store, url = null, types, description = null, credential, endsAt = null, period, place } = webhook;
      const { generation, previousUntil, createdAt } = webhook;
      const sql = `INSERT INTO webhooks (${COLUMNS}, attempts)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, NULL, 0, NULL, NULL, $12, 0, 0) RETURNING id`;
      const values = [id, store, url, types.join(' '), description, credential, endsAt, period, Number(place)];
      await write(sql, [...values, generation, previousUntil, createdAt]);
    },
    list: (store) => select('store = $1 ORDER BY created_at, id', store),
    find,
    replace: (store, id, { url = null, types, description = null, credential, endsAt = null }) =>
      set(
        `url = $3, types = $4, description = $5, credential = $6, ends_at = $7, ${IS_ACTIVE}`,
        ...[store, id, url, types.join(' '), description, credential, endsAt],
      ),
    rotate: (store, id, previousUntil) =>
      set('generation = generation + 1, previous_until = $3', store, id, previousUntil),
    move: (store, id, { period, place }) =>
      set(
        'period = $3, place = $4, failures = 0, failing_since = NULL, next_at = NULL',
        ...[store, id, period, Number(place)],
      ),
    // The database removes the attempts of the webhook too.
    remove: (store, id) => change('DELETE FROM webhooks', store, id),
    async save({ store, id, revision }, holder, progress) {
      const { period, place, disabled = null, failures, failingSince = null, nextAt = null } = progress;
      const sql = `UPDATE webhooks SET period = $5, place = $6, disabled = $7, failures = $8, failing_since = $9,
        next_at = $10 WHERE store = $1 AND id = $2 AND holder = $3 AND revision = $4 RETURNING id`;
      const values = [store, id, holder, revision, period, Number(place), disabled, failures];
      return (await write(sql, [...values, failingSince, nextAt])).length > 0;
    },
    async addAttempts({ store, id }, attempts) {
      const kept = attempts.slice(-KEPT);
      const count = 'UPDATE webhooks SET attempts = attempts + $3 WHERE store = $1 AND id = $2 RETURNING attempts';
      const [counted] = await write(count, [store, id, attempts.length]);
      if (counted === undefined) return undefined;
      const last = Number(counted[0]);
      const text = JSON.stringify(kept);
      try {
        await write(ADD, [store, id, last, kept.at(-1)?.at ?? 0, Buffer.byteLength(text), text]);
      } catch (error) {
        // PostgreSQL refuses the attempts if the webhook is deleted at this moment. SQLite adds none.
        if ((await find(store, id)) !== undefined) throw error;
      }
      await write(REMOVE_OLD, [store, id, last - KEPT]);
      return last;
    },
    async attempts({ store, id }, after = 0) {
      const sql = `SELECT number, attempts ${ATTEMPTS_OF} AND webhook = $2 AND number > $3 ORDER BY number`;
      const attempts = (await read(sql, [store, id, after])).flatMap(attemptsOf);
      return attempts.slice(-KEPT).filter(({ number }) => number > after);
    },

    async beats() {
      const rows = await read('SELECT id, beat FROM webhook_holders');
      return new Map(rows.map(([id, beat]) => [String(id), BigInt(beat as bigint)]));
    },
    async raise(id) {
      const sql = `INSERT INTO webhook_holders AS holders (id, beat) VALUES ($1, 1)
        ON CONFLICT (id) DO UPDATE SET beat = holders.beat + 1 RETURNING beat`;
      await write(sql, [id]);
    },
    async take(from, to) {
      const [which, ...values] = from === null ? [IS_FREE] : ['holder = $2', from];
      await write(`UPDATE webhooks SET holder = $1 WHERE ${which} RETURNING id`, [to, ...values]);
    },
    heldBy: (holder) => select('holder = $1 AND disabled IS NULL', holder),
    async forget(holder) {
      await write('DELETE FROM webhook_holders WHERE id = $1 RETURNING id', [holder]);
    },
  };
}

/** A column that may be NULL. */
const numberOf = (value: unknown) => (value == null ? undefined : Number(value));
const textOf = (value: unknown) => (value == null ? undefined : String(value));

function recordOf(row: SqlRow): WebhookRecord {
  const [id, store, url, types, description, credential, endsAt, period, place, generation, previousUntil] = row;
  const [disabled, failures, failingSince, nextAt, createdAt, revision] = row.slice(11);
  return {
    id: String(id),
    store: String(store),
    url: textOf(url),
    types: String(types).split(' ').filter(Boolean) as EventType[],
    description: textOf(description),
    credential: String(credential),
    endsAt: numberOf(endsAt),
    period: String(period),
    place: BigInt(place as bigint),
    generation: Number(generation),
    previousUntil: Number(previousUntil),
    disabled: textOf(disabled),
    failures: Number(failures),
    failingSince: numberOf(failingSince),
    nextAt: numberOf(nextAt),
    createdAt: Number(createdAt),
    revision: Number(revision),
  };
}

function attemptsOf([last, text]: SqlRow): readonly NumberedAttempt[] {
  const attempts: readonly StoredAttempt[] = JSON.parse(String(text));
  return attempts.map((attempt, i) => ({ ...attempt, number: Number(last) - attempts.length + 1 + i }));
}
