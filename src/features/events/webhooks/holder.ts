/**
 * Makes sure that only one process delivers for a webhook. Each process raises a counter in the database, its beat. A
 * process that has seen the same beat of another for long enough, by its own clock, takes its webhooks. So no two
 * clocks are compared.
 *
 * A process that was only paused may still send a message that another has sent. Messages stay in order even then,
 * since both send each message, one after another, from a position that was reached before. The paused process saves
 * nothing, since taking a webhook raises its revision.
 */
import { newId } from './messages.ts';
import { CHANGES, type WebhookKey, type WebhookRecord, type WebhookRecords } from './records.ts';
import type { WebhookTimes } from './times.ts';

export interface Holder {
  /**
   * Raises the beat and takes free webhooks. Resolves to the webhooks of this process if they may have changed, or if
   * `isUnsure`.
   */
  look(isUnsure: boolean): Promise<readonly WebhookRecord[] | undefined>;
  /** Whether this process can hold webhooks: it has looked, and has a beat. */
  isHolding(): boolean;
  /**
   * Takes a webhook that this process has changed, if it is free. Resolves to the webhook if this process delivers for
   * it. `change`: the number of the change.
   */
  lookAt(webhook: WebhookKey, change: bigint): Promise<WebhookRecord | undefined>;
  /** Leaves the webhooks to other processes. */
  release(): Promise<void>;
}

export function createHolder(records: WebhookRecords, times: Pick<WebhookTimes, 'beat' | 'silence'>): Holder {
  const me = newId();
  /** The beat of each process, and since when this process has seen it. */
  let seen = new Map<string, { readonly beat: bigint; readonly since: number }>();
  let seenChanges: bigint | undefined;

  return {
    async look(isUnsure) {
      const beats = await records.beats().catch((error) => {
        // While the store cannot serve, no process can raise its beat. So each has the whole time again afterwards.
        seen = new Map();
        throw error;
      });
      const changes = beats.get(CHANGES);
      // No webhook was ever created.
      if (changes === undefined) return undefined;
      const time = performance.now();
      const before = seen;
      seen = new Map(
        [...beats].map(([id, beat]) => {
          const known = before.get(id);
          return [id, known?.beat === beat ? known : { beat, since: time }];
        }),
      );
      const ageOf = (id: string) => time - (seen.get(id)?.since ?? Number.NEGATIVE_INFINITY);
      // This is the first look, or another process has taken the webhooks of this process.
      if (!seen.has(me)) seenChanges = undefined;
      if (ageOf(me) >= times.beat) await records.raise(me);
      const silent = [...seen.keys()].filter((id) => id !== me && id !== CHANGES && ageOf(id) > times.silence);
      for (const id of silent) {
        await records.take(id, me);
        await records.forget(id);
        // If the process comes back, it counts as new.
        seen.delete(id);
      }
      if (!isUnsure && changes === seenChanges && silent.length === 0) return undefined;
      await records.take(null, me);
      const held = await records.heldBy(me);
      seenChanges = changes;
      return held;
    },
    isHolding: () => seenChanges !== undefined,
    async lookAt({ store, id }, change) {
      const found = await records.hold(store, id, me);
      // Without a change of another process, the next look needs not read all webhooks.
      if (seenChanges === change - 1n) seenChanges = change;
      return found;
    },
    async release() {
      if (seenChanges === undefined) return;
      await records.take(me, null);
      // If this process is killed before it has raised CHANGES, the others find its beat silent.
      await records.raise(CHANGES);
      await records.forget(me);
    },
  };
}
