/** The workflows in Arazzo: they are served, they name operations that exist, and Redocly's Respect runs them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { plantDefect } from '../../lab/defects/index.ts';
import { operations } from '../../src/contract/openapi.generated.ts';
import { createDirectory } from '../harness/directory.ts';
import { briefOrLong } from '../harness/long.ts';
import { startTestService, type TestService } from '../harness/service.ts';

interface Workflows {
  readonly info: { readonly version: string };
  readonly sourceDescriptions: readonly [{ readonly name: string; readonly url: string; readonly type: string }];
  readonly workflows: readonly {
    readonly workflowId: string;
    readonly steps: readonly { readonly operationId: string }[];
  }[];
}

/** What `redocly respect --json-output` writes, with the members that are read. */
interface Report {
  readonly files: Readonly<Record<string, { readonly executedWorkflows: readonly Executed[] }>>;
}

interface Executed {
  readonly workflowId: string;
  readonly status: string;
}

const REDOCLY = fileURLToPath(import.meta.resolve('@redocly/cli/package.json').replace('package.json', 'bin/cli.js'));
const SOURCE: Workflows = parse(readFileSync(new URL('../../contract/workflows.arazzo.yaml', import.meta.url), 'utf8'));

/** Runs the served workflows. Returns the names of those that failed. */
async function respect(service: TestService): Promise<readonly string[]> {
  const { client } = service;
  const reader = await service.as({ scopes: ['plants:read'] });
  using directory = createDirectory();
  const [file, report] = [directory.at('arazzo.yaml'), directory.at('report.json')];
  writeFileSync(file, (await client.send('GET', '/arazzo.yaml', { token: null })).text);
  const inputs = JSON.stringify({ token: client.token, readToken: reader.token });
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const args = [REDOCLY, 'respect', file, '--input', inputs, '--json-output', report];
  const code = await new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error) => resolve(error?.code ?? 0));
  });
  const { files }: Report = JSON.parse(readFileSync(report, 'utf8'));
  const ran = Object.values(files).flatMap(({ executedWorkflows }) => executedWorkflows);
  assert.equal(new Set(ran.map(({ workflowId }) => workflowId)).size, SOURCE.workflows.length);
  const failed = ran.filter(({ status }) => status !== 'success').map(({ workflowId }) => workflowId);
  assert.equal(code, failed.length === 0 ? 0 : 1);
  return failed;
}

test('/arazzo.yaml has the workflows, and leads to the description at the address of the service', async () => {
  for (const [options, address] of [
    [{}, undefined],
    [{ baseUrl: 'https://plants.example/store' }, 'https://plants.example/store'],
    [{ host: '0.0.0.0' }, '.'],
  ] as const) {
    await using service = await startTestService(options);
    const response = await service.client.send('GET', '/arazzo.yaml', { token: null });
    assert.equal(response.status, 200);
    assert.equal(response.headers['content-type'], 'application/yaml');
    const [{ name, type }] = SOURCE.sourceDescriptions;
    const url = `${address ?? service.client.url}/openapi.yaml`;
    assert.deepEqual(parse(response.text), { ...SOURCE, sourceDescriptions: [{ name, url, type }] });
  }
});

test('each step of a workflow is an operation of the description', () => {
  const named = SOURCE.workflows.flatMap(({ steps }) => steps.map(({ operationId }) => operationId));
  for (const id of named) assert.ok(id in operations, id);
});

test('Respect finds that the service keeps the promises of every workflow', async () => {
  await using service = await startTestService();
  assert.deepEqual(await respect(service), []);
  const left = await service.client.send('GET', '/plants');
  assert.deepEqual(left.json(), [], 'the workflows leave no plant');
});

const FOUND: readonly (readonly [defect: string, workflows: readonly string[]])[] = [
  ['replay-refused', ['replay']],
  ['refused-create-stored', ['takenId']],
  ['list-reversed', ['paging']],
  ['if-match-ignored', ['conditionalReplace']],
  ['replace-creates', ['delete']],
  ['scope-of-delete-not-enforced', ['scopes']],
];
for (const [defect, workflows] of briefOrLong(FOUND.slice(0, 1), FOUND.slice(1))) {
  test(`Respect finds the defect ${defect} with the workflow ${workflows.join()}`, async () => {
    await using service = await startTestService({ features: [plantDefect(defect)] });
    assert.deepEqual(await respect(service), workflows);
  });
}
