/** Looks up values by their keys: one query at a time, each for many keys. So a flood of unknown keys costs little. */

/** The most keys that one query looks up. */
export const LOOKED_UP_TOGETHER = 50;

/** `find` resolves to the values that exist, in any order. `keyOf` returns the key of a value. */
export function createLookUp<Value>(
  find: (keys: readonly string[]) => Promise<readonly Value[]>,
  keyOf: (value: Value) => string,
): (key: string) => Promise<Value | undefined> {
  /** The keys that the next queries look up. */
  const waiting = new Map<string, PromiseWithResolvers<Value | undefined>>();
  let isRunning = false;

  const lookUpNext = async () => {
    const next = new Map(waiting.entries().take(LOOKED_UP_TOGETHER));
    for (const key of next.keys()) waiting.delete(key);
    try {
      const found = new Map((await find([...next.keys()])).map((value) => [keyOf(value), value]));
      for (const [key, { resolve }] of next) resolve(found.get(key));
    } catch (error) {
      // The store failed. The others would wait just as long for the same failure.
      for (const { reject } of [...next.values(), ...waiting.values()]) reject(error);
      waiting.clear();
    }
  };
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    while (waiting.size > 0) await lookUpNext();
    isRunning = false;
  };

  return (key) => {
    const result = waiting.get(key) ?? Promise.withResolvers<Value | undefined>();
    waiting.set(key, result);
    void run();
    return result.promise;
  };
}
