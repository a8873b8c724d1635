/** The npm package, installed in an empty folder, on supported versions of Node and on an unsupported one. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { createClient } from '../harness/client.ts';
import { startByNpm } from '../harness/npm-process.ts';
import { serveProcess } from '../harness/process.ts';
import { ARCHIVE, empty, examples, nodeOf, npm, root, version } from './projects.ts';

const MB = 1_000_000;

test('the package has at most 1.6 MB packed and 3.3 MB unpacked, without dependencies and scripts', () => {
  const folder = join(root, 'dist/package');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const unpacked = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  const packed = statSync(ARCHIVE).size;
  assert.ok(packed <= 1.6 * MB && unpacked <= 3.3 * MB, `${packed} packed, ${unpacked} unpacked`);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  assert.equal(manifest.version, version);
  assert.deepEqual([manifest.dependencies, manifest.scripts], [undefined, undefined]);
});

test('the package contains the licences of everything in it', () => {
  const text = readFileSync(join(root, 'dist/package/THIRD-PARTY-LICENSES'), 'utf8');
  const own = ['pg', 'jose', 'pino', 'prom-client', '@scalar/api-reference'];
  const ofReference = ['@vue/runtime-core', '@codemirror/view', 'yaml', 'zod'];
  for (const name of [...own, ...ofReference]) assert.match(text, new RegExp(`^${name}( \\d|$)`, 'm'));
});

for (const wanted of ['24.15.0', '24', '26']) {
  describe(`on Node ${wanted}`, () => {
    const { node, env } = nodeOf(wanted);

    test('npx runs a demo that stores a plant, serves its page, prints no warning and leaves no file', async () => {
      const cwd = empty(`demo-${wanted}`);
      const TMPDIR = empty(`tmp-${wanted}`);
      const command = ['npx', '-y', '-p', ARCHIVE, 'plant-store', 'serve', '--demo', '--port', '0'] as const;
      const service = await startByNpm(command, { cwd, env: { ...env, TMPDIR } });
      const client = createClient(service.url, 'demo');
      const body = { id: 12, name: 'Aloe vera' };
      assert.equal((await client.send('POST', '/plants', { body })).status, 200);
      assert.deepEqual((await client.send('GET', '/plants/12')).json(), body);
      const page = await (await fetch(service.url)).text();
      const assets = [...page.matchAll(/(?:src|href)="\.(\/docs\/[^"]+)"/g)].map(([, path]) => path ?? '');
      assert.ok(assets.length >= 4);
      for (const path of [...assets, '/openapi.yaml', '/sandbox/openapi.yaml', '/arazzo.yaml']) {
        assert.equal((await fetch(service.url + path)).status, 200, path);
      }
      // Reads it like a page of another origin.
      const headers = { Origin: 'http://localhost:5173', Authorization: 'Bearer demo' };
      const elsewhere = await fetch(`${service.url}/plants?limit=1`, { headers });
      assert.deepEqual([elsewhere.status, elsewhere.headers.get('access-control-allow-origin')], [200, '*']);
      client.close();
      assert.doesNotMatch(await service.stop(), /warning/i);
      // npm keeps its compiled code there.
      const left = readdirSync(TMPDIR).filter((name) => name.startsWith('plantstore'));
      assert.deepEqual([readdirSync(cwd), left], [[], []]);
    });

    test('the command opens no debugger on SIGUSR1', async () => {
      const cwd = empty(`signals-${wanted}`);
      const command = [node, join(root, 'dist/package/bin/plantstore.cjs')] as const;
      await using service = await serveProcess(['--demo', '--log-level', 'error'], env, { command, cwd });
      service.child.kill('SIGUSR1');
      for (let count = 0; count < 2; count++) assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
      assert.equal(await service.stop('SIGTERM'), 0);
      assert.equal(service.stderr(), '');
    });

    test('the example of the guide passes with node --test', () => {
      const folder = empty(`library-${wanted}`);
      npm(folder, 'init', '-y');
      // As newer versions of `npm init` write it.
      npm(folder, 'pkg', 'set', 'type=commonjs');
      npm(folder, 'install', ARCHIVE);
      const names = ['plants.test.mjs', 'faults.test.mjs'];
      for (const name of names) {
        writeFileSync(join(folder, name), examples('docs/guide/testing.md').get(name) ?? '');
      }
      const { status, stdout, stderr } = spawnSync(node, ['--test', ...names], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      assert.equal(status, 0, stdout + stderr);
      assert.match(stdout, /pass 2\b/);
    });
  });
}

test('the types compile in strict TypeScript, even without @types/node', () => {
  const folder = empty('types');
  npm(folder, 'init', '-y');
  npm(folder, 'pkg', 'set', 'type=commonjs');
  npm(folder, 'install', ARCHIVE, 'typescript@5.9.3');
  const program = (imported: string) => `${imported}
    export async function start(): Promise<readonly [string, string]> {
      const store: RunningPlantStore = await startPlantStore({ plants: 'garden', args: ['--rate-limit', '5/s'] });
      const sandbox = await store.sandbox({ plants: [{ id: 2n ** 53n, name: 'Aloe vera' }], ttl: 60 });
      await sandbox.fail({ fault: { kind: 'reset', connection: 'first' }, match: { id: '12' } });
      // @ts-expect-error: no such option
      await startPlantStore({ plans: 'garden' });
      return [store.url, store.token];
    }`;
  const fromModule = program("import { type RunningPlantStore, startPlantStore } from 'plant-store';");
  writeFileSync(join(folder, 'types.mts'), fromModule);
  writeFileSync(join(folder, 'types.cts'), fromModule);
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--lib', 'es2022'];
  for (const module of ['node16', 'nodenext']) {
    const options = [...strict, '--module', module, 'types.mts', 'types.cts'];
    const types = spawnSync('npx', ['tsc', ...options], { cwd: folder, encoding: 'utf8' });
    assert.equal(types.status, 0, types.stdout + types.stderr);
  }
});

test('the commands of the README and the guide work in a project beside the clone', async () => {
  const archive = `plant-store-${version}.tgz`;
  const install = `npm install --save-dev ../plant-store/dist/${archive}`;
  for (const page of ['README.md', 'docs/guide/testing.md']) {
    assert.ok(readFileSync(join(root, page), 'utf8').includes(install), page);
  }
  const [dist, project] = [join(empty('plant-store'), 'dist'), empty('project')];
  mkdirSync(dist);
  copyFileSync(ARCHIVE, join(dist, archive));
  const { env } = nodeOf('24.16.0');
  const run = (command: string) => execFileSync(command, { cwd: project, env, shell: true, encoding: 'utf8' });
  run('npm init -y');
  run(install);
  assert.match(readFileSync(join(root, 'README.md'), 'utf8'), /`npx plant-store serve --demo`/);
  const service = await startByNpm(['npx', 'plant-store', 'serve', '--demo', '--port', '0'], { cwd: project, env });
  assert.equal((await fetch(`${service.url}/plants`, { headers: { Authorization: 'Bearer demo' } })).status, 200);
  await service.stop();
  writeFileSync(join(project, 'plants.mjs'), examples('docs/package.md').get('plants.mjs') ?? '');
  assert.match(run('node plants.mjs'), /name: /);
  const tester = "curl -sf {url}/plants -H 'Authorization: Bearer {token}'";
  assert.match(run(`npx plant-store grade --only success-status-undeclared -- ${tester}`), /success-status-undeclared/);
  // In CI the archive is in the repository.
  const job = readFileSync(join(root, 'docs/grade-ci.md'), 'utf8').match(/- run: (npm install \S+ \S+tgz)/)?.[1];
  copyFileSync(ARCHIVE, join(project, archive));
  run(job ?? 'docs/grade-ci.md installs no archive');
});

test('an older Node prints in one line what is missing', () => {
  const { env, node } = nodeOf('22');
  const folder = empty('old');
  const bin = join(root, 'dist/package/bin/plantstore.cjs');
  const { status, stdout, stderr } = spawnSync(node, [bin, 'serve'], { cwd: folder, env, encoding: 'utf8' });
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /^plantstore: needs Node 24\.15 or a later 24, or 25\.9 or later; this is Node 22\.[^\n]+\n$/);
});

test('on an older Node the library throws an Error that names what is missing', () => {
  const { env, node } = nodeOf('22.0.0');
  const folder = empty('old-library');
  npm(folder, 'init', '-y');
  npm(folder, 'install', ARCHIVE);
  for (const program of ["require('plant-store')", "import('plant-store')"]) {
    const { status, stderr } = spawnSync(node, ['-e', program], { cwd: folder, env, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(
      stderr,
      /Error: plant-store: needs Node 24\.15 or a later 24, or 25\.9 or later; this is Node 22\.0\.0/,
    );
  }
});

test('on Deno the library throws an Error that names what is missing', () => {
  const folder = empty('deno');
  npm(folder, 'init', '-y');
  npm(folder, 'install', ARCHIVE, 'deno@2.9.6');
  const deno = join(folder, 'node_modules/.bin/deno');
  const { status, stderr } = spawnSync(deno, ['eval', "import 'plant-store';"], { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /Error: plant-store: needs Node 24\.15 or a later 24, or 25\.9 or later; this is Deno 2\.9\.6/);
});

test('in a browser the library throws an Error that names what is missing', async () => {
  const folder = empty('browser');
  writeFileSync(join(folder, 'spec.js'), `import '${join(root, 'dist/package/bin/library.cjs')}';`);
  const warnings: string[] = [];
  const bundle = await rolldown({
    input: join(folder, 'spec.js'),
    platform: 'browser',
    onLog: (_, { message }) => warnings.push(message),
  });
  const { output } = await bundle.generate({ format: 'iife' });
  assert.deepEqual(warnings, []);
  // Some bundlers add a process without versions.
  for (const globals of [{}, { process: { env: {} } }, { process: { env: {}, versions: {} } }]) {
    const start = () => runInNewContext(output[0].code, globals);
    assert.throws(start, /^Error: plant-store: needs Node .*; this is a browser; start the store in Node, for example/);
  }
});

describe('a clone of the project', () => {
  for (const [wanted, warns] of [
    ['20.19.0', false],
    ['20.0.0', true],
  ] as const) {
    test(`npm ci ${warns ? 'warns' : 'warns of nothing'} on Node ${wanted}`, () => {
      const { env } = nodeOf(wanted);
      const folder = empty(`clone-${wanted}`);
      for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(root, name), join(folder, name));
      const installed = spawnSync('npm', ['ci', '--dry-run', '--ignore-scripts'], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      assert.equal(installed.status, 0, installed.stderr);
      assert.equal(installed.stderr.includes('EBADENGINE'), warns, installed.stderr);
    });
  }
});
