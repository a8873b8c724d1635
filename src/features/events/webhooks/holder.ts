/**
 * Makes sure that only one process delivers for a webhook. Each process raises a counter in the database, its beat. A
 * process that has seen the same beat of another for long enough, by its own clock, takes its webhooks. So no two
 * clocks are compared.
 *
 * A process that was only paused may still send a message that another has sent. Messages stay in order even then,
 * since both send each message, one after another, from a position that was reached before.
 */
import { newId } from './messages.ts';
import { CHANGES, type WebhookRecord, type WebhookRecords } from './records.ts';

/** Milliseconds. */
export interface HolderTimes {
  /** How often a process raises its beat. */
  readonly beat: number;
  /** How long the beat of a process stays the same before another process takes its webhooks. */
  readonly silence: number;
}

export interface Holder {
  /** The id of this process. Another id, once another process has taken the webhooks of this one. */
  readonly id: string;
  /**
   * Raises the beat and takes free webhooks. Resolves to the webhooks of this process if they may have changed, or if
   * `isUnsure`.
   */
  look(isUnsure: boolean): Promise<readonly WebhookRecord[] | undefined>;
  /** Leaves the webhooks to other processes. */
  release(): Promise<void>;
}

export function createHolder(records: WebhookRecords, times: HolderTimes): Holder {
  const others = new Map<string, { readonly beat: bigint; readonly since: number }>();
  let me = newId();
  /** When this process last raised its beat. Undefined: its beat is not in the database. */
  let beaten: number | undefined;
  let seenChanges: bigint | undefined;

  const raise = async () => {
    await records.raise(me);
    beaten = performance.now();
  };
  /** The other processes that have ended. */
  const silentOnes = (beats: ReadonlyMap<string, bigint>) => {
    for (const id of others.keys()) if (!beats.has(id)) others.delete(id);
    const time = performance.now();
    return [...beats].flatMap(([id, beat]) => {
      if (id === me || id === CHANGES) return [];
      const seen = others.get(id);
      if (seen?.beat === beat) return time - seen.since < times.silence ? [] : [id];
      others.set(id, { beat, since: time });
      return [];
    });
  };

  return {
    get id() {
      return me;
    },
    async look(isUnsure) {
      const beats = await records.beats();
      const changes = beats.get(CHANGES);
      // No webhook was ever created.
      if (changes === undefined) return undefined;
      if (beaten !== undefined && !beats.has(me)) {
        me = newId();
        [beaten, seenChanges] = [undefined, undefined];
      }
      if (beaten === undefined || performance.now() - beaten >= times.beat) await raise();
      const silent = silentOnes(beats);
      for (const id of silent) {
        await records.take(id, me);
        await records.forget(id);
      }
      if (!isUnsure && changes === seenChanges && silent.length === 0) return undefined;
      await records.take(null, me);
      const held = await records.heldBy(me);
      seenChanges = changes;
      return held;
    },
    async release() {
      if (beaten === undefined) return;
      await records.take(me, null);
      // If this process is killed before it has raised CHANGES, the others find its beat silent.
      await records.raise(CHANGES);
      await records.forget(me);
    },
  };
}
