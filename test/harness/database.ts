/** Chooses the engine that tests run on, by the variable TEST_ENGINE: sqlite, which is the default, or postgres. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSchema, sharedPostgres } from './postgres.ts';

export interface TestDatabase extends AsyncDisposable {
  /** What `--database` takes. */
  readonly url: string;
}

/** An empty database of the chosen engine, which nobody else uses. */
export function createDatabase(): Promise<TestDatabase> {
  const engine = process.env['TEST_ENGINE'] ?? 'sqlite';
  if (engine === 'sqlite') return Promise.resolve(createFile());
  if (engine === 'postgres') return createSchema(sharedPostgres());
  throw new Error(`TEST_ENGINE is sqlite or postgres, not ${engine}`);
}

function createFile(): TestDatabase {
  const directory = mkdtempSync(join(tmpdir(), 'plantstore-test-'));
  return {
    url: `sqlite:${join(directory, 'plants.db')}`,
    async [Symbol.asyncDispose]() {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
