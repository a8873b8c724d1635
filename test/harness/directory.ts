/** Owns the directory of a test: new, empty, and gone when the test ends, also where it fails. */
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface TestDirectory extends Disposable {
  readonly path: string;
  /** The path of a name within it. */
  at(name: string): string;
}

/** Use with `using`. */
export function createDirectory(): TestDirectory {
  const { path, remove } = mkdtempDisposableSync(join(tmpdir(), 'plantstore-test-'));
  return { path, at: (name) => join(path, name), [Symbol.dispose]: remove };
}
