/** A new, empty directory for a test. It is removed when the test ends or fails. */
import { hash } from 'node:crypto';
import { mkdtempDisposableSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface TestDirectory extends Disposable {
  readonly path: string;
  /** Returns the path of a name in the directory. */
  at(name: string): string;
}

/** Use with `using`. */
export function createDirectory(): TestDirectory {
  const { path, remove } = mkdtempDisposableSync(join(tmpdir(), 'plantstore-test-'));
  return { path, at: (name) => join(path, name), [Symbol.dispose]: remove };
}

/** Returns the names and digests of all files in a directory. */
export function digestsIn(path: string): readonly (readonly [name: string, digest: string])[] {
  const names = readdirSync(path).sort();
  return names.map((name) => [name, hash('sha256', readFileSync(join(path, name)), 'hex')]);
}
