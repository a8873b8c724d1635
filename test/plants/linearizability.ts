/** Whether what concurrent clients saw of one plant could have come from one client at a time. */

/** What a plant is at one moment; undefined when there is none. A tag not seen yet fits every tag. */
export type State = { readonly content: string; readonly etag: string | undefined } | undefined;

/** One request's effect on one plant, with the moments it was sent and answered at. */
export interface Event {
  readonly sent: number;
  readonly answered: number;
  /** The state afterwards, or `impossible` when the response cannot be what this state gives. */
  apply(state: State): State | 'impossible';
  readonly label: string;
}

/**
 * Whether there is an order of the events, each at one moment between its sending and its response, in which every one
 * is possible (Wing and Gong, Testing and verifying concurrent objects, 1993). What was tried is remembered by the set
 * of events done and the state, which keeps the search small while few events overlap.
 */
export function isLinearizable(events: readonly Event[]): boolean {
  const failed = new Set<string>();
  const search = (done: bigint, state: State): boolean => {
    if (done === (1n << BigInt(events.length)) - 1n) return true;
    const key = `${done} ${JSON.stringify(state)}`;
    if (failed.has(key)) return false;
    const open = events.flatMap((event, i) => ((done >> BigInt(i)) & 1n ? [] : [{ event, bit: 1n << BigInt(i) }]));
    const firstResponse = Math.min(...open.map(({ event }) => event.answered));
    for (const { event, bit } of open) {
      // An event that was sent after another was answered cannot come before it.
      if (event.sent > firstResponse) continue;
      const next = event.apply(state);
      if (next !== 'impossible' && search(done | bit, next)) return true;
    }
    failed.add(key);
    return false;
  };
  return search(0n, undefined);
}
