/**
 * `node lab/proof/upgrade/make-fixtures.ts 1.0.0` writes the fixtures of a version: databases that the service itself
 * fills with the plants of plants.ndjson, and with a sandbox that has a rule, a snapshot and events.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { readCommandLine } from '../../../scripts/command-line.ts';
import { createClient } from '../../../test/harness/client.ts';
import { createDirectory } from '../../../test/harness/directory.ts';
import { createSchema, execute, startPostgres } from '../../../test/harness/postgres.ts';
import { runCommand, serveProcess } from '../../../test/harness/process.ts';

const { positionals } = readCommandLine(import.meta.filename, { options: {}, allowPositionals: true });
const [version = ''] = positionals;
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('name the version, for example 1.0.0');

const FIXTURES = `${import.meta.dirname}/fixtures`;
const RULES = [{ fault: { kind: 'status', status: 503 }, match: { operation: 'listPlants' } }];
/** The SQL of the tables, as the documentation has it. */
const TABLES = /```sql\n(CREATE TABLE plantstore_meta[\s\S]*?)```/.exec(
  readFileSync(`${import.meta.dirname}/../../../docs/postgres.md`, 'utf8'),
)?.[1];

async function fill(url: string): Promise<void> {
  const database = ['--database', url];
  await runCommand(['import', `${FIXTURES}/plants.ndjson`, ...database]);
  await using service = await serveProcess(['--events', '--sandboxes', '10', ...database]);
  const stranger = createClient(service.url, 'none');
  const made = await stranger.send('POST', '/sandboxes', { token: null, body: {} });
  const sandbox = createClient(service.url, (made.json() as { readonly token: string }).token);
  await sandbox.send('POST', '/plants', { body: { id: 900, name: 'Fern of a sandbox' } });
  await sandbox.send('POST', '/sandbox/snapshots');
  await sandbox.send('PUT', '/sandbox/faults', { body: RULES });
  for (const client of [stranger, sandbox]) client.close();
  await service.stop('SIGTERM');
}

/** The tables of a schema as SQL. */
async function dump(url: string): Promise<string> {
  const lines: string[] = [];
  for (const [, table] of TABLES?.matchAll(/^CREATE TABLE (\w+)/gm) ?? []) {
    for (const row of await execute(url, `SELECT * FROM ${table}`)) {
      const values = Object.values(row).map((value) =>
        value === null ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`,
      );
      lines.push(`INSERT INTO ${table} VALUES (${values.join(', ')})`);
    }
  }
  return `${TABLES}${lines.join(';\n')};\n`;
}

using directory = createDirectory();
const path = directory.at('plants.db');
await fill(`sqlite:${path}`);
// The last connection empties the log.
using database = new DatabaseSync(path);
database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
writeFileSync(`${FIXTURES}/${version}.db.gz`, gzipSync(readFileSync(path)));

const server = await startPostgres();
const { url } = await createSchema(server.url);
await fill(url);
writeFileSync(`${FIXTURES}/${version}.sql.gz`, gzipSync(await dump(url)));
await server.remove();
