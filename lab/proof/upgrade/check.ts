/**
 * Opens databases of earlier formats. `fixtures` has a SQLite file and the SQL of a PostgreSQL schema for each version
 * that has another format than the version before, beginning with 1.0.0. Each holds the plants of plants.ndjson, and a
 * sandbox with a rule, a snapshot and events. A change of the tables before the release of 1.0.0 replaces both files of
 * 1.0.0 (make-fixtures.ts). Afterwards nobody changes them.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { createDirectory } from '../../../test/harness/directory.ts';
import { createSchema, execute, startPostgres } from '../../../test/harness/postgres.ts';
import { runCommand, serveProcess } from '../../../test/harness/process.ts';
import { createViolations, runCheck } from '../outcome.ts';

type Row = Readonly<Record<string, unknown>>;

/** A database of an earlier format. */
interface Old {
  readonly name: string;
  /** The value for `--database`. */
  readonly url: string;
  query(sql: string): Promise<readonly Row[]>;
  /** Returns for each table the statement that selects its columns, as `text`. */
  readonly tables: string;
  /** Returns the format as `format`. */
  readonly format: string;
  /** Turns the format into one of a coming version. */
  readonly newer: string;
}

const FIXTURES = `${import.meta.dirname}/fixtures`;
const PLANTS = readFileSync(`${FIXTURES}/plants.ndjson`, 'utf8');
const read = (file: string) => gunzipSync(readFileSync(file));

function openFile(file: string, path: string): Old {
  writeFileSync(path, read(file));
  return {
    name: `SQLite ${basename(file, '.db.gz')}`,
    url: `sqlite:${path}`,
    async query(sql) {
      using database = new DatabaseSync(path);
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      return statement.all();
    },
    tables: `SELECT 'SELECT ' || group_concat(c.name, ', ') || ' FROM ' || t.name AS text
      FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' GROUP BY t.name`,
    format: 'SELECT user_version AS format FROM pragma_user_version',
    newer: 'PRAGMA user_version = 999',
  };
}

async function openDump(file: string, server: string): Promise<Old> {
  const { url } = await createSchema(server);
  await execute(url, read(file).toString());
  return {
    name: `PostgreSQL ${basename(file, '.sql.gz')}`,
    url,
    query: (sql) => execute(url, sql),
    tables: `SELECT 'SELECT ' || string_agg(column_name, ', ') || ' FROM ' || table_name AS text
      FROM information_schema.columns WHERE table_schema = current_schema() GROUP BY table_name`,
    format: "SELECT value AS format FROM plantstore_meta WHERE key = 'format'",
    newer: "UPDATE plantstore_meta SET value = '999' WHERE key = 'format'",
  };
}

await runCheck(async ({ short, control }) => {
  const violations = createViolations();
  const counts = { databases: 0, rows: 0, 'refused databases': 0 };

  const upgrade = async ({ name, url, query, tables, format, newer }: Old) => {
    const database = ['--database', url];
    if (control === 'plant-removed') await query('DELETE FROM plants WHERE id = 12');
    const selects = (await query(tables)).map(({ text }) => String(text));
    const rows = async () => (await Promise.all(selects.map(query))).flat();
    const before = (await rows()).filter(({ key }) => key !== 'format');
    const formatOf = async () => Number((await query(format))[0]?.['format']);
    const from = await formatOf();
    const service = await serveProcess(database);
    await service.stop('SIGTERM');
    const to = await formatOf();
    const line = `"from":${from},"to":${to},"msg":"the tables of the database were upgraded"`;
    if (service.stderr().includes(line) !== to > from) violations.add(`${name}: the log is wrong about the upgrade`);
    const after = await rows();
    const lost = before.filter((row) => !after.some((other) => isDeepStrictEqual(row, other)));
    for (const row of lost) violations.add(`${name}: lost ${Object.values(row)}`);
    const { stdout } = await runCommand(['export', ...database]);
    if (stdout !== PLANTS) violations.add(`${name}: the export is not plants.ndjson`);
    if ((await runCommand(['check', ...database])).code !== 0) violations.add(`${name}: check found problems`);
    counts.databases++;
    counts.rows += before.length;

    await query(newer);
    const { code, stderr } = await runCommand(['serve', '--port', '0', ...database]);
    const refusal = /^plantstore: [^\n]*: it was written by a newer version of Plant Store \(format 999, not \d+\)\n$/;
    if (code === 1 && refusal.test(stderr)) counts['refused databases']++;
    else violations.add(`${name}: a newer format is not refused in one line: ${stderr}`);
  };

  using directory = createDirectory();
  for (const file of globSync(`${FIXTURES}/*.db.gz`).sort())
    await upgrade(openFile(file, directory.at(basename(file))));
  if (!short) {
    const server = await startPostgres();
    for (const file of globSync(`${FIXTURES}/*.sql.gz`).sort()) await upgrade(await openDump(file, server.url));
    await server.remove();
  }
  return { counts, versions: {}, ...violations.result() };
});
