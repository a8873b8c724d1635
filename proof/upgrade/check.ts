/**
 * Opens databases of earlier formats. `fixtures` has files that the code of this repository wrote at these commits:
 * 1 at e2adb65, 2-early at e602b8f, 2 at 2ef988d. All hold the plants of plants.ndjson, and from format 2 on a sandbox.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { createDirectory } from '../../test/harness/directory.ts';
import { runCommand, serveProcess } from '../../test/harness/process.ts';
import { createViolations, runCheck } from '../outcome.ts';

const FIXTURES = `${import.meta.dirname}/fixtures`;
const PLANTS = readFileSync(`${FIXTURES}/plants.ndjson`, 'utf8');

/** Returns the columns of every table, as `SELECT a, b FROM t`. */
function tablesOf(path: string): readonly string[] {
  using database = new DatabaseSync(path);
  const columns = database.prepare(
    `SELECT 'SELECT ' || group_concat(c.name, ', ') || ' FROM ' || t.name AS text
     FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' GROUP BY t.name`,
  );
  return columns.all().map((row) => String(row['text']));
}

function rowsOf(path: string, queries: readonly string[]): readonly unknown[] {
  using database = new DatabaseSync(path);
  return queries.flatMap((query) => {
    const statement = database.prepare(query);
    statement.setReadBigInts(true);
    return statement.all();
  });
}

function execute(path: string, sql: string): void {
  using database = new DatabaseSync(path);
  database.exec(sql);
}

await runCheck(async ({ control }) => {
  const violations = createViolations();
  const counts = { databases: 0, rows: 0, 'refused databases': 0 };
  using directory = createDirectory();
  for (const file of globSync(`${FIXTURES}/*.db.gz`).sort()) {
    const name = basename(file, '.gz');
    const path = directory.at(name);
    const database = ['--database', `sqlite:${path}`];
    writeFileSync(path, gunzipSync(readFileSync(file)));
    if (control === 'plant-removed') execute(path, 'DELETE FROM plants WHERE id = 12');
    const tables = tablesOf(path);
    const before = rowsOf(path, tables);
    const service = await serveProcess(database);
    await service.stop('SIGTERM');
    const from = Number.parseInt(name, 10);
    if (
      !new RegExp(`"from":${from},"to":\\d+,"msg":"the tables of the database were upgraded"`).test(service.stderr())
    ) {
      violations.add(`${name}: the upgrade is not in the log`);
    }
    // `meta` and `revisions` may have further rows, such as the counter that format 2 added.
    const after = rowsOf(path, tables);
    const lost = before.filter((row) => !after.some((other) => isDeepStrictEqual(row, other)));
    for (const row of lost) violations.add(`${name}: lost ${Object.values(row as object).join(' ')}`);
    const { stdout } = await runCommand(['export', ...database]);
    if (stdout !== PLANTS) violations.add(`${name}: the export is not plants.ndjson`);
    if ((await runCommand(['check', ...database])).code !== 0) violations.add(`${name}: check found problems`);
    counts.databases++;
    counts.rows += before.length;

    execute(path, 'PRAGMA user_version = 999');
    const refused = await runCommand(['serve', '--port', '0', ...database]);
    const line = /^plantstore: [^\n]*: it was written by a newer version of Plant Store \(schema 999, not \d+\)\n$/;
    if (refused.code === 1 && line.test(refused.stderr)) counts['refused databases']++;
    else violations.add(`${name}: a newer format is not refused in one line: ${refused.stderr}`);
  }
  return { counts, versions: {}, ...violations.result() };
});
