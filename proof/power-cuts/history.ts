/** What the workload did, for the check of the states that power cuts leave. */

/** The states of one thing, one after another. Each begins with an operation, by its request id. */
export type States = readonly (readonly [operation: string, content: string | null])[];

export interface History {
  /** The plants of the store `default`, by id. No content: deleted. */
  readonly plants: Readonly<Record<string, States>>;
  /** The plants of a sandbox, which a reset changes as a whole. */
  readonly sandbox: { readonly id: string; readonly states: States };
}

export type Content = readonly [name: string, tag: string | null];
export const contentOf = ({ name, tag }: { readonly name: string; readonly tag?: string | undefined }): string =>
  JSON.stringify([name, tag ?? null] satisfies Content);

/** Returns the content of a store, independent of the order. */
export const contentsOf = (plants: Iterable<readonly [id: string, content: string]>): string =>
  JSON.stringify([...plants].sort(([a], [b]) => a.localeCompare(b)));

/**
 * Returns the contents that are right if everything may have happened that was sent, and everything must have happened
 * that was confirmed, where `confirmed` returns the time of a confirmation. The state is of one moment between the two
 * times. Undefined content: there was nothing yet.
 */
export function allowed(
  states: States,
  [from, to]: readonly [number, number],
  confirmed: (operation: string) => number,
): readonly (string | null)[] {
  const lastBefore = (time: number) => states.findLastIndex(([operation]) => confirmed(operation) <= time);
  const first = lastBefore(from);
  const contents = states.slice(Math.max(first, 0), lastBefore(to) + 2).map(([, content]) => content);
  return first < 0 ? [null, ...contents] : contents;
}
