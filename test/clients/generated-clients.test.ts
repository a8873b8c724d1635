/** Owns the promise that clients made from the served description, by others' generators, work as they come. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startTestService } from '../harness/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** What the two round trips have to see, whichever client they go through. */
const SEEN = {
  created: { name: 'Monstera', tag: 'climber' },
  location: '/plants/-7',
  taken: 40009,
  read: { id: -7, name: 'Monstera', tag: 'climber' },
  unchanged: 304,
  replaced: { id: -7, name: 'Monstera deliciosa' },
  stale: 41200,
  listed: [
    { id: -7, name: 'Monstera deliciosa' },
    { id: 12, name: 'Aloe', tag: 'succulent' },
  ],
  tagged: [{ id: 12, name: 'Aloe', tag: 'succulent' }],
  removed: 204,
  gone: 40401,
};

const GENERATORS = [
  {
    name: 'openapi-typescript with openapi-fetch',
    program: 'openapi-fetch.ts',
    generate: (description: string) => ['openapi-typescript/bin/cli.js', description, '-o', 'schema.ts'],
  },
  {
    name: '@hey-api/openapi-ts',
    program: 'hey-api.ts',
    generate: (description: string) => [
      '@hey-api/openapi-ts/bin/run.js',
      ...['-i', description, '-o', 'sdk', '-c', '@hey-api/client-fetch', '--no-log-file'],
    ],
  },
];

/** As strict as a project can ask of code that it has not written. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    rootDir: '.',
    outDir: 'out',
  },
  exclude: ['out'],
};

describe('a client generated from the served description', () => {
  for (const { name, program, generate } of GENERATORS) {
    test(`by ${name} compiles without edits and does a full round trip`, async () => {
      await using service = await startTestService();
      const { url, token } = service.client;
      // Within the repository, so that its packages resolve.
      mkdirSync(join(ROOT, '.artifacts'), { recursive: true });
      const cwd = mkdtempSync(join(ROOT, '.artifacts', 'client-'));
      const node = async (script: string, ...args: string[]) => {
        // A generator leaves a folder among the temporary files.
        const env = { ...process.env, TMPDIR: cwd };
        const { stdout } = await run(process.execPath, [script, ...args], { cwd, env }).catch((error) => {
          throw new Error(`${script}: ${error.stdout}${error.stderr}`);
        });
        return stdout;
      };
      try {
        writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
        writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify(TSCONFIG));
        copyFileSync(new URL(`programs/${program}`, import.meta.url), join(cwd, 'program.ts'));
        const [generator = '', ...args] = generate(`${url}/openapi.json`);
        await node(join(ROOT, 'node_modules', generator), ...args);
        await node(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.');
        assert.deepEqual(JSON.parse(await node('out/program.js', url, token)), SEEN);
      } finally {
        rmSync(cwd, { recursive: true, force: true });
      }
    });
  }
});
