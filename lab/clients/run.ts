/**
 * Grades other people's HTTP clients with `plantstore grade client`.
 *
 *   npm run grade:clients                       grades all of them twice
 *   npm run grade:clients -- NAME…              grades only some, also twice
 *   npm run grade:clients -- --only SCENARIO    runs only this scenario, once, and keeps no record
 *   npm run grade:clients -- --short            grades those that CI runs, once, and keeps no record
 *   npm run grade:clients -- --page             grades none
 *
 * The records are in lab/records/clients. All of them make docs/client-results.md and the picture
 * .artifacts/client-results.html. Exits with 1 if a client has no record, or if its adapter hides a failure.
 *
 * A configuration of a client is a folder in lab/clients with `row.json` (a Row of page.ts) and the script `run`.
 * `run install` installs the client. `run test` does the tasks of one scenario, as docs/grade-client.md describes. In
 * addition to the variables of `plantstore grade client`, the environment has ROOT, NAME (of the folder), VERSION, and
 * CACHE, a folder that is kept and that all clients share.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readCommandLine } from '../../scripts/command-line.ts';
import { CACHE, chooseRows, type Named, ROOT, readRows, versionOf } from '../testers/folders.ts';
import { describe, type Graded, type Grading, hiddenFailures, type Row } from './client-results-page.ts';
import { describeScenarios } from './client-scenarios-page.ts';
import { picture } from './picture.ts';

const { values, positionals } = readCommandLine(import.meta.filename, {
  options: {
    short: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
  allowPositionals: true,
});

const PAGE = join(ROOT, 'docs/client-results.md');
const SCENARIOS = join(ROOT, 'docs/client-scenarios.md');
const PICTURE = join(ROOT, '.artifacts/client-results.html');
const isPartial = values.short || values.only !== undefined;
/** The files of each scenario. */
const KEPT = join(ROOT, '.artifacts/grade-clients');
const RECORDS = isPartial ? KEPT : join(ROOT, 'lab/records/clients');
const PASSES = isPartial ? [1] : [1, 2];

type Client = Named<Row>;
const clients = readRows<Row>('clients');
const asked = chooseRows(clients, positionals, values.short);

/** From the root of the repository, so that a record does not depend on the machine. */
const scriptOf = ({ name }: Client) => join('lab/clients', name, 'run');
const recordOf = ({ name }: Client, pass: number) => join(RECORDS, `${name}-${pass}.json`);
const versionsOf = ({ version, needs }: Client) =>
  [version, needs === undefined ? undefined : versionOf(needs)].filter((one) => one !== undefined).join(' on ');

function run(client: Client, command: string, args: readonly string[]): boolean {
  const { name, version = '' } = client;
  const env = { ...process.env, ROOT, NAME: name, VERSION: version, CACHE: join(CACHE, 'clients') };
  mkdirSync(env.CACHE, { recursive: true });
  return spawnSync(command, args, { cwd: ROOT, env, stdio: 'inherit' }).status === 0;
}

function install(client: Client): boolean {
  if (client.needs !== undefined && versionOf(client.needs) === undefined) return false;
  console.log(`\n== ${client.name}: install ==`);
  return run(client, scriptOf(client), ['install']);
}

function grade(client: Client, pass: number): void {
  console.log(`\n== ${client.name}: pass ${pass} ==`);
  const [record, output] = [recordOf(client, pass), join(KEPT, client.name, String(pass))];
  for (const old of [record, output]) rmSync(old, { recursive: true, force: true });
  run(client, 'bin/plantstore', [
    ...['grade', 'client', '--output', output, '--json', record, '--description', versionsOf(client)],
    ...(client.jobs === undefined ? [] : ['--jobs', String(client.jobs)]),
    ...(values.only === undefined ? [] : ['--only', values.only]),
    ...['--', scriptOf(client), 'test'],
  ]);
}

function readRecord(client: Client, pass: number): readonly Grading[] {
  const path = recordOf(client, pass);
  return existsSync(path) ? [JSON.parse(readFileSync(path, 'utf8')) as Grading] : [];
}

mkdirSync(RECORDS, { recursive: true });
if (!values.page) {
  const installed = asked.filter(install);
  for (const pass of PASSES) for (const client of installed) grade(client, pass);
}
const gradedOf = (client: Client): Graded => ({
  client,
  gradings: PASSES.flatMap((pass) => readRecord(client, pass)),
});
if (!isPartial) {
  const all = clients.map(gradedOf);
  writeFileSync(PAGE, describe(all));
  writeFileSync(SCENARIOS, describeScenarios(all));
  mkdirSync(dirname(PICTURE), { recursive: true });
  writeFileSync(PICTURE, picture(all));
}
const odd = asked
  .map(gradedOf)
  .flatMap(({ client, gradings }) =>
    gradings.length < PASSES.length
      ? [`${client.name}: no record`]
      : gradings.flatMap(hiddenFailures).map((one) => `${client.name}: ${one}`),
  );
for (const line of odd) console.log(line);
process.exitCode = odd.length > 0 ? 1 : 0;
