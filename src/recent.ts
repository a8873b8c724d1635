/** Owns a bounded cache of recently used values: two maps, a young and an old one, instead of a list in order of use. */

interface Recent<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

/** Keeps at least the `size / 2` values last used, and never more than `size`. */
export function createRecent<T>(size: number): Recent<T> {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  const set = (key: string, value: T) => {
    young.set(key, value);
    if (young.size < size / 2) return;
    old = young;
    young = new Map();
  };
  return {
    get(key) {
      const found = young.get(key);
      if (found !== undefined) return found;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
  };
}
