/** Keeps webhooks and their attempts in the database, with SQL that both engines understand. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoreName } from '../../../plants/plant.ts';
import type { SqlRow, SqlValue, Statements } from '../../../stores/engine.ts';
import type { Attempt, Delivery, EventType } from './webhooks.generated.ts';

/** The row of a webhook. An absent member is NULL. Times are milliseconds since 1970. */
export interface WebhookRecord {
  readonly store: StoreName;
  readonly id: string;
  /** Absent: the webhook delivers to an inbox. */
  readonly url?: string;
  /** The types that are sent. Empty: all. */
  readonly types: readonly EventType[];
  readonly description?: string;
  /** The id of the credential that the webhook ends with. */
  readonly credential: string;
  /** When a JWT expires. The end of any other credential must be looked up. */
  readonly endsAt?: number | undefined;
  /** Where the webhook is in the feed: the number of the last event that was delivered. */
  readonly period: string;
  readonly place: bigint;
  /** The number of the secret. The one before it also signs until `previousUntil`. */
  readonly generation: number;
  readonly previousUntil: number;
  /** Why the webhook is disabled. */
  readonly reason?: string;
  /** The failed attempts since the last success, when the first of them was, and when the next attempt is. */
  readonly failures: number;
  readonly failingSince?: number;
  readonly nextAt?: number;
  readonly createdAt: number;
  /** Rises when a client changes the webhook, and when a process takes it. */
  readonly revision: number;
}
export type WebhookKey = Pick<WebhookRecord, 'store' | 'id'>;
export type Position = Pick<WebhookRecord, 'period' | 'place'>;
/** What the attempts have led to. */
export type Progress = Position & Pick<WebhookRecord, 'reason' | 'failures' | 'failingSince' | 'nextAt'>;
/** Members with their new values. Undefined: NULL. */
export type Changes = { readonly [Name in keyof WebhookRecord]?: WebhookRecord[Name] | undefined };

/** An attempt as it is stored. Its number follows from its place in the list. */
export interface StoredAttempt extends Omit<Attempt, 'number' | 'at'> {
  readonly at: number;
  /** What arrived, if the webhook delivers to an inbox. */
  readonly arrived?: Pick<Delivery, 'headers' | 'body' | 'verdict' | 'reason'>;
}
export type NumberedAttempt = StoredAttempt & { readonly number: number };

/** Without a webhook of this id in the store, a change resolves to undefined. */
export interface WebhookRecords {
  add(webhook: WebhookRecord): Promise<void>;
  /** The webhooks of a store, oldest first. */
  list(store: StoreName): Promise<readonly WebhookRecord[]>;
  count(store: StoreName): Promise<number>;
  find(store: StoreName, id: string): Promise<WebhookRecord | undefined>;
  change(store: StoreName, id: string, changes: Changes): Promise<WebhookRecord | undefined>;
  /** Begins the next generation of the secret. */
  rotate(store: StoreName, id: string, previousUntil: number): Promise<WebhookRecord | undefined>;
  /** Removes the webhook and its attempts. */
  remove(store: StoreName, id: string): Promise<WebhookRecord | undefined>;
  /** Saves attempts, and also the progress if the webhook still has this revision. Otherwise resolves to false. */
  save(webhook: WebhookRecord, progress: Progress, attempts: readonly StoredAttempt[]): Promise<boolean>;
  /**
   * Stores attempts, and removes those that are no longer kept. Resolves to the number of the last one. Undefined: the
   * webhook was deleted.
   */
  addAttempts(webhook: WebhookKey, attempts: readonly StoredAttempt[]): Promise<number | undefined>;
  /** The attempts that are kept and have a higher number, oldest first. */
  attempts(webhook: WebhookKey, after?: number): Promise<readonly NumberedAttempt[]>;

  /** The beats of the processes that deliver, and under CHANGES a number that rises with each change. */
  beats(): Promise<ReadonlyMap<string, bigint>>;
  /** Raises the beat of a process, or CHANGES. Resolves to its new value. */
  raise(id: string): Promise<bigint>;
  /** Gives the webhooks of one process to another. Null: no process, or one that has no beat. */
  take(from: string | null, to: string | null): Promise<void>;
  /** Takes a webhook that no process has. Resolves to the webhook if `holder` has it and it is not disabled. */
  hold(store: StoreName, id: string, holder: string): Promise<WebhookRecord | undefined>;
  /** The webhooks of a process that are not disabled. */
  heldBy(holder: string): Promise<readonly WebhookRecord[]>;
  /** Forgets a process. If it still delivers, it notices that at its next beat. */
  forget(holder: string): Promise<void>;
}

/** The row that counts the changes of all webhooks. No process has this id. */
export const CHANGES = '';

/** How many attempts of a webhook are kept, and how many bytes of them. */
export const KEPT = 100;
const KEPT_BYTES = 409_600;

/** The members of a webhook, and how the value of each column is read. */
const READERS = {
  store: String,
  id: String,
  url: String,
  types: (value: unknown) => String(value).split(' ').filter(Boolean) as EventType[],
  description: String,
  credential: String,
  endsAt: Number,
  period: String,
  place: (value: unknown) => BigInt(value as bigint),
  generation: Number,
  previousUntil: Number,
  reason: String,
  failures: Number,
  failingSince: Number,
  nextAt: Number,
  createdAt: Number,
  revision: Number,
} satisfies { readonly [Name in keyof WebhookRecord]-?: (value: unknown) => WebhookRecord[Name] };
const MEMBERS = Object.keys(READERS) as readonly (keyof WebhookRecord)[];
const PROGRESS = ['period', 'place', 'reason', 'failures', 'failingSince', 'nextAt'] as const;

const columnOf = (member: string) => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const COLUMNS = MEMBERS.map(columnOf).join(', ');
/** The assignments of an UPDATE. `first`: the number of its first value. */
const assign = (members: readonly string[], first: number) =>
  members.map((member, i) => `${columnOf(member)} = $${first + i}`).join(', ');

const THIS = 'store = $1 AND id = $2';
const NEXT_REVISION = 'revision = revision + 1';
/** A process may hold many webhooks. Other requests come between the pages of them. */
const HELD_PAGE = 200;
const HELD = `holder = $1 AND reason IS NULL AND (store, id) > ($2, $3) ORDER BY store, id LIMIT ${HELD_PAGE}`;
const IS_FREE = 'holder IS NULL OR holder NOT IN (SELECT id FROM webhook_holders)';
const ATTEMPTS_OF = 'FROM webhook_attempts WHERE store = $1 AND webhook = $2';
/** What a webhook has counted so far. Its last attempts are always kept. */
const counted = (column: 'number' | 'total') => `coalesce((SELECT max(${column}) ${ATTEMPTS_OF}), 0)`;
/** Adds nothing if the webhook was deleted, or another process adds attempts of the webhook at the same moment. */
const ADD_ATTEMPTS = `INSERT INTO webhook_attempts (store, webhook, number, total, attempts)
  SELECT store, id, ${counted('number')} + CAST($3 AS bigint), ${counted('total')} + CAST($4 AS bigint),
    CAST($5 AS text)
  FROM webhooks WHERE ${THIS} ON CONFLICT DO NOTHING RETURNING number`;
/** `total` also counts the bytes of its row. A row stays only if all of it is among the last bytes. */
const REMOVE_OLD = `DELETE ${ATTEMPTS_OF} AND number < ${counted('number')}
  AND (number <= ${counted('number')} - ${KEPT}
    OR total - octet_length(attempts) < ${counted('total')} - ${KEPT_BYTES})`;

export function webhookRecords({ read, write }: Statements): WebhookRecords {
  const select = async (rest: string, ...values: readonly SqlValue[]) =>
    (await read(`SELECT ${COLUMNS} FROM webhooks WHERE ${rest}`, values)).map(recordOf);
  const find = async (store: StoreName, id: string) => (await select(THIS, store, id))[0];
  const change = async (sql: string, ...values: readonly SqlValue[]) => {
    const [row] = await write(`${sql} WHERE ${THIS} RETURNING ${COLUMNS}`, values);
    return row && recordOf(row);
  };
  const addAttempts: WebhookRecords['addAttempts'] = async ({ store, id }, attempts) => {
    const text = lastOf(attempts);
    const values = [store, id, attempts.length, Buffer.byteLength(text), text];
    const add = () =>
      write(ADD_ATTEMPTS, values).catch(async (error) => {
        // PostgreSQL refuses the attempts if the webhook is deleted at this moment.
        if ((await find(store, id)) !== undefined) throw error;
        return [];
      });
    for (;;) {
      // Begun together, so that they can share a commit.
      const [[added]] = await Promise.all([add(), write(REMOVE_OLD, [store, id])]);
      if (added !== undefined) return Number(added[0]);
      if ((await find(store, id)) === undefined) return undefined;
    }
  };

  return {
    async add(webhook) {
      const values = MEMBERS.map((member) => toColumn(webhook[member]));
      const places = values.map((_, i) => `$${i + 1}`).join(', ');
      await write(`INSERT INTO webhooks (${COLUMNS}) VALUES (${places})`, values);
    },
    list: (store) => select('store = $1 ORDER BY created_at, id', store),
    async count(store) {
      const [row] = await read('SELECT count(*) FROM webhooks WHERE store = $1', [store]);
      return Number(row?.[0]);
    },
    find,
    change(store, id, changes) {
      const sql = `UPDATE webhooks SET ${assign(Object.keys(changes), 3)}, ${NEXT_REVISION}`;
      return change(sql, store, id, ...Object.values(changes).map(toColumn));
    },
    rotate(store, id, previousUntil) {
      const sql = `UPDATE webhooks SET generation = generation + 1, previous_until = $3, ${NEXT_REVISION}`;
      return change(sql, store, id, previousUntil);
    },
    // The database removes the attempts with the webhook.
    remove: (store, id) => change('DELETE FROM webhooks', store, id),
    async save(webhook, progress, attempts) {
      const { store, id, url, revision } = webhook;
      const sql = `UPDATE webhooks SET ${assign(PROGRESS, 4)} WHERE ${THIS} AND revision = $3 RETURNING id`;
      const values = PROGRESS.map((member) => toColumn(progress[member]));
      // The attempts were made, whatever a client has changed meanwhile.
      const added = attempts.length > 0 && addAttempts(webhook, attempts);
      // An inbox has no other copy of its messages. Without them, its position must stay.
      if (url === undefined) await added;
      const [saved] = await Promise.all([write(sql, [store, id, revision, ...values]), added]);
      return saved.length > 0;
    },
    addAttempts,
    async attempts({ store, id }, after = 0) {
      const sql = `SELECT number, attempts ${ATTEMPTS_OF} AND number > $3 ORDER BY number`;
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
      const [row] = await write(sql, [id]);
      return BigInt(row?.[0] as bigint);
    },
    async take(from, to) {
      const [which, ...values] = from === null ? [IS_FREE] : ['holder = $2', from];
      await write(`UPDATE webhooks SET holder = $1, ${NEXT_REVISION} WHERE ${which}`, [to, ...values]);
    },
    async hold(store, id, holder) {
      const take = `UPDATE webhooks SET holder = $3, ${NEXT_REVISION} WHERE ${THIS} AND holder IS NULL`;
      await write(take, [store, id, holder]);
      return (await select(`${THIS} AND holder = $3 AND reason IS NULL`, store, id, holder))[0];
    },
    async heldBy(holder) {
      const held: WebhookRecord[] = [];
      for (;;) {
        const { store, id } = held.at(-1) ?? { store: '', id: '' };
        const page = await select(HELD, holder, store, id);
        held.push(...page);
        if (page.length < HELD_PAGE) return held;
        await nextTurn();
      }
    },
    async forget(holder) {
      await write('DELETE FROM webhook_holders WHERE id = $1', [holder]);
    },
  };
}

function recordOf(row: SqlRow): WebhookRecord {
  const members = MEMBERS.flatMap((member, i) => (row[i] === null ? [] : [[member, READERS[member](row[i])]]));
  return Object.fromEntries(members);
}

function toColumn(value: WebhookRecord[keyof WebhookRecord]): SqlValue {
  if (typeof value === 'object') return value.join(' ');
  return typeof value === 'bigint' ? Number(value) : (value ?? null);
}

/** The last attempts, as JSON of about `KEPT_BYTES`, but at least one attempt. Earlier ones only count. */
function lastOf(attempts: readonly StoredAttempt[]): string {
  const texts = attempts.slice(-KEPT).map((attempt) => JSON.stringify(attempt));
  let bytes = 0;
  const over = texts.findLastIndex((text) => {
    bytes += Buffer.byteLength(text) + 1;
    return bytes > KEPT_BYTES;
  });
  return `[${texts.slice(Math.min(over + 1, texts.length - 1)).join()}]`;
}

function attemptsOf([last, text]: SqlRow): readonly NumberedAttempt[] {
  const attempts: readonly StoredAttempt[] = JSON.parse(String(text));
  return attempts.map((attempt, i) => ({ ...attempt, number: Number(last) - attempts.length + 1 + i }));
}
