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
   * Raises the beat and takes free webhooks. Resolves to the webhooks of this process if another process may have
   * changed or left some, or if `isUnsure`. Otherwise resolves to undefined.
   */
  look(isUnsure: boolean): Promise<readonly WebhookRecord[] | undefined>;
  /**
   * Must be called with the number of each change of a webhook through this process. The process must look at that
   * webhook itself, since `look` does not read all webhooks because of its own changes.
   */
  announced(change: bigint): void;
  /** Whether this process can hold webhooks: it has looked, and has a beat. */
  isHolding(): boolean;
  /**
   * Takes a webhook that this process has changed, if it is free. Resolves to the webhook if this process delivers for
   * it.
   */
  lookAt(webhook: WebhookKey): Promise<WebhookRecord | undefined>;
  /** Leaves the webhooks to other processes. */
  release(): Promise<void>;
}

export function createHolder(records: WebhookRecords, times: Pick<WebhookTimes, 'beat' | 'silence'>): Holder {
  const me = newId();
  /** The beat of each process, and since when this process has seen it. */
  let seen = new Map<string, { readonly beat: bigint; readonly since: number }>();
  let seenChanges: bigint | undefined;
  /** The numbers of the changes through this process that no look has seen yet. */
  let own: bigint[] = [];

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
      const since = seenChanges;
      const ownSince = own.filter((change) => change > (since ?? 0n) && change <= changes);
      const areOwn = since !== undefined && changes - since === BigInt(ownSince.length);
      const mustRead = isUnsure || !areOwn || silent.length > 0;
      if (mustRead) await records.take(null, me);
      const held = mustRead ? await records.heldBy(me) : undefined;
      seenChanges = changes;
      own = own.filter((change) => change > changes);
      return held;
    },
    announced(change) {
      own.push(change);
    },
    isHolding: () => seenChanges !== undefined,
    lookAt: ({ store, id }) => records.hold(store, id, me),
    async release() {
      if (seenChanges === undefined) return;
      await records.take(me, null);
      // If this process is killed before it has raised CHANGES, the others find its beat silent.
      await records.raise(CHANGES);
      await records.forget(me);
    },
  };
}
