/** Runs work with the same key one after another. */
export type RunInOrder = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createQueues(): RunInOrder {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const current = before.then(work, work);
    last.set(key, current);
    try {
      return await current;
    } finally {
      if (last.get(key) === current) last.delete(key);
    }
  };
}
