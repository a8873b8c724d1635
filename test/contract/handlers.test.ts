/** Owns the promise that a handler can take and return what its operation declares, whatever that is, and nothing else. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../harness/directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What the generator makes of an operation of another service. */
const TYPES = `export interface operations {
  sowSeed: {
    parameters: { query?: never; header?: never; path: { bed: bigint }; cookie?: never };
    responses: {
      201: { content: { 'application/json': { row: number } } };
      202: { content?: never };
      404: { content: { 'application/json': { error: number; message: string } } };
      409: { content: { 'application/json': { error: number; message: string } } };
    };
  };
}`;

/** The handler's lines that do not compile. */
function refused(...returns: readonly string[]): number[] {
  using directory = createDirectory();
  mkdirSync(directory.at('contract'));
  for (const file of ['errors.ts', 'contract/handlers.ts']) copyFileSync(join(ROOT, 'src', file), directory.at(file));
  writeFileSync(directory.at('contract/types.gen.ts'), TYPES);
  writeFileSync(directory.at('package.json'), '{ "type": "module" }');
  const lines = returns.map((one) => `((): Output<'sowSeed'> => (${one}))();`);
  const imports = "import { Problem } from './errors.ts'; import type { Output } from './contract/handlers.ts';";
  writeFileSync(directory.at('handler.ts'), [imports, ...lines].join('\n'));
  const options = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { types: [] },
    include: ['.'],
    exclude: [],
  };
  writeFileSync(directory.at('tsconfig.json'), JSON.stringify(options));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', directory.path], { encoding: 'utf8' });
  assert.doesNotMatch(stdout, /^\S+(?<!\bhandler)\.ts\(/m);
  return [...stdout.matchAll(/handler\.ts\((\d+),/g)].map(([, line]) => Number(line) - 2);
}

test('a handler returns any status that is declared, each with its own body, and no other', () => {
  const right = ['{ status: 201, body: { row: 1 } }', '{ status: 202 }', "new Problem(40400, 'There is no such bed.')"];
  const wrong = [
    '{ status: 201 }',
    '{ status: 202, body: { row: 1 } }',
    '{ status: 200 }',
    "{ status: 409, body: { error: 40900, message: '' } }",
  ];
  const undeclared = "new Problem(41200, 'The bed has changed.')";
  assert.deepEqual(refused(...right, ...wrong, undeclared), [3, 4, 5, 6, 7]);
});
