/** Chooses the engine that tests run on, by the variable TEST_ENGINE: sqlite, which is the default, or postgres. */
import { readdirSync, readFileSync } from 'node:fs';
import { createDirectory } from './directory.ts';
import { createSchema, execute, sharedPostgres } from './postgres.ts';

interface TestDatabase extends AsyncDisposable {
  /** What `--database` takes. */
  readonly url: string;
  /** What is kept of tokens, and on a file everything: for what must not be among it. */
  contents(): Promise<Buffer>;
}

/** An empty database of the chosen engine, which nobody else uses. */
export function createDatabase(): Promise<TestDatabase> {
  const engine = process.env['TEST_ENGINE'] ?? 'sqlite';
  if (engine === 'sqlite') return Promise.resolve(createFile());
  if (engine === 'postgres') return createOnServer(sharedPostgres());
  throw new Error(`TEST_ENGINE is sqlite or postgres, not ${engine}`);
}

async function createOnServer(server: string): Promise<TestDatabase> {
  const schema = await createSchema(server);
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
