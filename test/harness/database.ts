/**
 * Chooses the engine for tests by the variable TEST_ENGINE: sqlite (default), postgres, or a Citus cluster whose tables
 * are distributed before the first start (citus-before) or after it (citus-after).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { openForCommand } from '../../src/stores/open.ts';
import { distribute, layOutTables } from './citus.ts';
import { createDirectory } from './directory.ts';
import { createSchema, execute, sharedPostgres } from './postgres.ts';

interface TestDatabase extends AsyncDisposable {
  /** The value for `--database`. */
  readonly url: string;
  /** The stored rows of tokens, or the whole file. A test checks that no secret is in it. */
  contents(): Promise<Buffer>;
}

/** The engines, by their names, for tests that run on both whatever TEST_ENGINE is. */
export const BOTH = { SQLite: 'sqlite', PostgreSQL: 'postgres' } as const;

/** Creates an empty database, which no other test uses. */
export function createDatabase(engine = process.env['TEST_ENGINE'] ?? 'sqlite'): Promise<TestDatabase> {
  if (engine === 'sqlite') return Promise.resolve(createFile());
  if (engine === 'postgres') return createOnServer(sharedPostgres());
  if (engine === 'citus-before') return createOnServer(sharedPostgres(), layOutTables);
  if (engine === 'citus-after') return createOnServer(sharedPostgres(), startOnce);
  throw new Error(`TEST_ENGINE is sqlite, postgres, citus-before or citus-after, not ${engine}`);
}

async function startOnce(url: string): Promise<void> {
  await (await openForCommand(url, 'plants', true)).close();
}

/** `tables` creates the tables, which are then distributed. */
async function createOnServer(server: string, tables?: (url: string) => Promise<void>): Promise<TestDatabase> {
  const schema = await createSchema(server);
  if (tables !== undefined) {
    await tables(schema.url);
    await distribute(schema.url);
  }
  return {
    ...schema,
    contents: async () => Buffer.from(JSON.stringify(await execute(server, `SELECT * FROM ${schema.name}.tokens`))),
  };
}

function createFile(): TestDatabase {
  const directory = createDirectory();
  return {
    url: `sqlite:${directory.at('plants.db')}`,
    contents: async () => Buffer.concat(readdirSync(directory.path).map((name) => readFileSync(directory.at(name)))),
    async [Symbol.asyncDispose]() {
      directory[Symbol.dispose]();
    },
  };
}
