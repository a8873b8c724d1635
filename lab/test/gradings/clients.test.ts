/** Grades the careful clients of the guide, and the careless control, in every scenario. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../../../test/harness/directory.ts';
import { runCommand } from '../../../test/harness/process.ts';
import { SCENARIOS } from '../../grade/client/scenarios.ts';

interface Recorded {
  readonly scenario: string;
  readonly outcome: string;
}

const pathOf = (file: string) => fileURLToPath(new URL(`../../clients/${file}`, import.meta.url));

/** The outcome of each scenario, in the order of the table. */
async function grade(...command: readonly string[]): Promise<readonly Recorded[]> {
  using directory = createDirectory();
  const json = directory.at('client.json');
  const files = ['--output', directory.at('output'), '--json', json];
  const { code, stderr } = await runCommand(['grade', 'client', ...files, '--', ...command]);
  assert.equal(code, 0, stderr);
  const { outcomes } = JSON.parse(readFileSync(json, 'utf8')) as { readonly outcomes: readonly Recorded[] };
  return outcomes.map(({ scenario, outcome }) => ({ scenario, outcome }));
}

const ALL_RIGHT = SCENARIOS.map(({ name }) => ({ scenario: name, outcome: 'right' }));

test('the careful client in TypeScript is right in every scenario', async () => {
  assert.deepEqual(await grade(process.execPath, pathOf('careful-typescript/adapter.ts')), ALL_RIGHT);
});

/** As Bun and Deno do, if a kept connection is lost. */
const REPEATING = `const { fetch } = globalThis;
globalThis.fetch = (url, init) =>
  ['PUT', 'DELETE'].includes(init?.method) ? fetch(url, init).catch(() => fetch(url, init)) : fetch(url, init);`;

test('the careful client in TypeScript is right where fetch itself repeats a PUT or DELETE', async () => {
  const preload = `data:text/javascript,${encodeURIComponent(REPEATING)}`;
  const command = [process.execPath, '--import', preload, pathOf('careful-typescript/adapter.ts')] as const;
  assert.deepEqual(await grade(...command), ALL_RIGHT);
});

test('the careful client in Python is right in every scenario', async () => {
  assert.deepEqual(await grade(pathOf('careful-python/run'), 'test'), ALL_RIGHT);
});

test('the careful client in Go is right in every scenario', async () => {
  using cache = createDirectory();
  const env = `CACHE=${cache.at('')}`;
  execFileSync('env', [env, pathOf('careful-go/run'), 'install']);
  assert.deepEqual(await grade('env', env, pathOf('careful-go/run'), 'test'), ALL_RIGHT);
});

test('the careless client shows lost, ghost, overwritten and wrong data', async () => {
  const outcomes = new Set(
    (await grade(process.execPath, pathOf('careless/adapter.ts'))).map(({ outcome }) => outcome),
  );
  for (const kind of ['lost', 'ghost', 'overwritten', 'wrong data']) assert.ok(outcomes.has(kind), kind);
});
