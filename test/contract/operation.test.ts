/** The compiler accepts a handler only if it takes and returns exactly what its operation declares. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../harness/directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Generated code for an operation of another service. */
const TABLE = `import { int64, integer, object, text } from './schema.ts';
const Failure = object({ error: integer(0, 99999), message: text({ rule: 'a string' }) });
export const operations = {
  sowSeed: {
    id: 'sowSeed', method: 'POST', path: '/beds/{bed}', scopes: undefined,
    parameters: [
      { name: 'bed', in: 'path', required: true, schema: int64() },
      { name: 'depth', in: 'query', required: false, schema: integer(0, 9), fallback: 2 },
      { name: 'note', in: 'query', required: false, schema: text({ rule: 'a string' }) },
    ],
    body: undefined,
    responses: { 201: object({ row: integer(0, 9) }), 202: undefined, 203: undefined, 404: Failure, 409: Failure },
    otherTypes: { 203: ['text/plain'] },
  },
} as const;`;

const FILES = ['errors.ts', 'contract/operation.ts', 'contract/schema.ts', 'contract/json.ts'];

/** Returns the lines of the handler that do not compile. */
function refused(...returns: readonly string[]): number[] {
  using directory = createDirectory();
  mkdirSync(directory.at('contract'));
  for (const file of FILES) copyFileSync(join(ROOT, 'src', file), directory.at(file));
  writeFileSync(directory.at('contract/table.ts'), TABLE);
  writeFileSync(directory.at('package.json'), '{ "type": "module" }');
  const lines = returns.map((one) => `(({ parameters }: Input<Sow>): Result<Sow> => (${one}));`);
  const imports = `import { Problem } from './errors.ts'; import type { operations } from './contract/table.ts';
import type { Input, Result } from './contract/operation.ts'; type Sow = typeof operations.sowSeed;`;
  writeFileSync(directory.at('handler.ts'), [imports, ...lines].join('\n'));
  const options = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { noUnusedParameters: false, types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
    include: ['.'],
    exclude: [],
  };
  writeFileSync(directory.at('tsconfig.json'), JSON.stringify(options));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', directory.path], { encoding: 'utf8' });
  assert.doesNotMatch(stdout, /^\S+(?<!\bhandler)\.ts\(/m);
  return [...stdout.matchAll(/handler\.ts\((\d+),/g)].map(([, line]) => Number(line) - 3);
}

test('a handler can return each declared status with its own body, and no other status', () => {
  const right = [
    '{ status: 201, body: { row: parameters.depth } }',
    '{ status: parameters.bed === 1n ? 202 : 202 }',
    "{ status: 203, type: 'text/plain', body: 'row 1' }",
    "new Problem(40400, 'There is no such bed.')",
  ];
  const wrong = [
    '{ status: 201 }',
    '{ status: 203 }',
    '{ status: 202, body: { row: 1 } }',
    '{ status: 200 }',
    '{ status: 201, body: { row: parameters.note.length } }',
    "{ status: 409, body: { error: 40900, message: '' } }",
  ];
  const undeclared = "new Problem(41200, 'The bed has changed.')";
  assert.deepEqual(refused(...right, ...wrong, undeclared), [4, 5, 6, 7, 8, 9, 10]);
});
