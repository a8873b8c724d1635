/** The examples of the guide in the test runners that it names, each in a version that is pinned here. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startByNpm } from '../harness/npm-process.ts';
import { ARCHIVE, empty, env, examples, npm } from './projects.ts';

const RUNNERS = [
  'vitest@5.1.1',
  'jsdom@31.0.1',
  'happy-dom@21.0.4',
  'jest@30.5.2',
  'mocha@12.0.3',
  '@playwright/test@1.65.1',
];

const guide = examples('docs/guide/testing.md');
const folder = empty('runners');
npm(folder, 'init', '-y');
npm(folder, 'pkg', 'set', 'type=commonjs');
npm(folder, 'install', ARCHIVE, ...RUNNERS);
for (const [name, code] of guide) write(name, code);

function write(name: string, code: string): void {
  writeFileSync(join(folder, name), code);
}

/** Runs a command of the project, which must succeed. Returns what it prints, without colours. */
function run(program: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): string {
  const options = { cwd: folder, env: { ...env, ...variables, NO_COLOR: '1' }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(join(folder, 'node_modules/.bin', program), args, options);
  assert.equal(status, 0, stdout + stderr);
  return stdout + stderr;
}

/** A test with fake timers in all phases of a service. `fake`: the object that fakes them. */
const fakeTimers = (fake: string) => `
  test('fake timers', async () => {
    ${fake}.useFakeTimers();
    const store = await startPlantStore({ sandboxes: true, plants: 'garden' });
    const { url, token, fail } = await store.sandbox({ plants: 'garden' });
    await fail({ fault: { kind: 'delay', ms: 1 }, times: 1 });
    const headers = { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ id: 4711, name: 'Aloe vera' });
    expect((await fetch(url + '/plants', { method: 'POST', headers, body })).status).toBe(200);
    await store.close();
  });`;

describe('Vitest', () => {
  write(
    'faults.spec.mjs',
    `import { startPlantStore } from 'plant-store';
    import { expect, test } from 'vitest';

    test('sandboxes, faults and errors', async () => {
      const plants = [{ id: 2n ** 53n, name: 'Aloe vera' }];
      const twice = [...plants, { ...plants[0], name: 'Agave' }];
      const store = await startPlantStore({ sandboxes: true, plants });
      const { url, token, fail, requests } = await store.sandbox({ plants });
      await fail({ fault: { kind: 'status', status: 503 }, times: 1 });
      await fail({ fault: { kind: 'delay', ms: 1 }, times: 1 });
      const read = () => fetch(url + '/plants', { headers: { Authorization: 'Bearer ' + token } });
      expect([(await read()).status, (await read()).status]).toEqual([503, 200]);
      expect((await requests()).map(({ fault }) => fault)).toEqual(['status', 'delay']);
      await expect(startPlantStore({ plnts: 'garden' })).rejects.toThrow('there is no option plnts');
      await expect(startPlantStore({ plants: twice })).rejects.toThrow('plants[1]: another plant');
      await store.close();
    });`,
  );

  write(
    'fake-timers.spec.mjs',
    `import { startPlantStore } from 'plant-store';
    import { expect, test, vi } from 'vitest';${fakeTimers('vi')}`,
  );

  test('fake timers do not stop a service', () => {
    assert.match(run('vitest', ['run', 'fake-timers.spec.mjs']), /Tests +1 passed/);
  });

  // Its default is forks.
  const pools = ['threads', 'vmForks', 'vmThreads'].map((pool) => [`--pool=${pool}`]);
  const environments = ['jsdom', 'happy-dom'].flatMap((name) => [
    [`--environment=${name}`],
    [`--environment=${name}`, '--pool=vmThreads'],
  ]);
  for (const options of [[], ...pools, ...environments, ['--no-isolate']]) {
    test(`runs the example with ${options.join(' ') || 'its defaults'}`, () => {
      assert.match(run('vitest', ['run', 'plants.spec.mjs', 'faults.spec.mjs', ...options]), /Tests +2 passed/);
    });
  }
});

describe('Jest', () => {
  const example = guide.get('plants.test.cjs') ?? '';
  const names = ['one.test.cjs', 'two.test.cjs', 'three.test.cjs'];
  for (const name of names) write(name, example);
  write('esm.test.mjs', example.replace(/^const (.*) = require\((.*)\)/m, 'import $1 from $2'));

  test('runs the example with its defaults, also in three files at the same time beside a demo', async () => {
    const command = ['npx', 'plant-store', 'serve', '--demo', '--port', '0'] as const;
    const demo = await startByNpm(command, { cwd: folder, env });
    assert.match(run('jest', [...names, '--maxWorkers=3']), /^Tests: +3 passed, 3 total/m);
    const { status } = await fetch(`${demo.url}/plants`, { headers: { Authorization: 'Bearer demo' } });
    assert.equal(status, 200);
    await demo.stop();
  });

  test('fake timers do not stop a service', () => {
    write('fake-timers.test.cjs', `const { startPlantStore } = require('plant-store');${fakeTimers('jest')}`);
    assert.match(run('jest', ['fake-timers.test.cjs']), /^Tests: +1 passed/m);
  });

  test('runs ES modules with the option that it needs for them', () => {
    const printed = run('jest', ['esm.test.mjs'], { NODE_OPTIONS: '--experimental-vm-modules' });
    assert.match(printed, /^Tests: +1 passed, 1 total/m);
  });
});

test('Mocha runs the example', () => {
  assert.match(run('mocha', ['plants.mocha.mjs']), /1 passing/);
});

test('Playwright runs the example', () => {
  assert.match(run('playwright', ['test', 'plants.playwright.spec.mjs']), /1 passed/);
});

describe('one service for many files', () => {
  const names = [1, 2, 3].map((number) => `many-${number}`);
  const body = `
    for (const plants of ['none', 'garden']) {
      const headers = await createSandbox(plants);
      const list = async () => (await fetch(process.env.PLANTS_URL + '/plants', { headers })).json();
      const { length } = await list();
      const plant = JSON.stringify({ id: 4711, name: 'Aloe vera' });
      await fetch(process.env.PLANTS_URL + '/plants', { method: 'POST', headers, body: plant });
      expect((await list()).length).toBe(length + 1);
    }`;
  const fileFor = (runner: string) => `import { createSandbox } from './sandbox.mjs';
    import { expect, test } from '${runner}';
    test('each test has its own sandbox', async () => {${body}});`;

  test('works with Vitest', () => {
    for (const name of names) write(`${name}.spec.mjs`, fileFor('vitest'));
    write('vitest.config.mjs', "export default { test: { globalSetup: './global-setup.mjs' } };");
    assert.match(run('vitest', ['run', '--config=vitest.config.mjs', 'many-']), /Tests +3 passed/);
  });

  test('works with Playwright', () => {
    for (const name of names) write(`${name}.pw.spec.mjs`, fileFor('@playwright/test'));
    write('playwright.config.mjs', "export default { globalSetup: './global-setup.mjs', testMatch: '*.pw.spec.mjs' };");
    assert.match(run('playwright', ['test', '--config=playwright.config.mjs', '--workers=3']), /3 passed/);
  });

  test('works with Jest', () => {
    for (const name of names) {
      write(
        `${name}.test.cjs`,
        `test('each test has its own sandbox', async () => {
        const { createSandbox } = require('./sandbox.cjs');${body}});`,
      );
    }
    write('sandbox.cjs', `${guide.get('sandbox.mjs')?.replace('export ', '')}exports.createSandbox = createSandbox;`);
    const setup = { globalSetup: './global-setup.mjs', globalTeardown: './global-teardown.mjs' };
    write('jest.config.json', JSON.stringify(setup));
    const printed = run('jest', ['--config=jest.config.json', '--maxWorkers=3', 'many-.*cjs']);
    assert.match(printed, /^Tests: +3 passed, 3 total/m);
    assert.doesNotMatch(printed, /did not exit/);
  });
});
