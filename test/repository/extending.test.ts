/**
 * Makes an addition of each kind on a copy of the repository, in the places that CONTRIBUTING.md names. The copy must
 * then generate, compile, obey the rules of imports and serve the addition, without a change in any other place.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parse } from 'yaml';
import { operations } from '../../src/contract/openapi.generated.ts';
import { createDirectory } from '../harness/directory.ts';
import { runCommand, type ServiceProcess, serveProcess } from '../harness/process.ts';
import { type Addition, api, feature, operation, option } from './additions.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What a change needs of the repository. The records of the laboratory would take most of the time. */
const COPIED = [
  ...['src', 'contract', 'docs', 'lab', 'scripts', 'test', 'README.md', 'package.json', 'tsconfig.json'],
  ...['biome.json', '.gitignore', '.dependency-cruiser.cjs'],
];
const LEFT_OUT = /\/lab\/(?:records|bench|clients|testers|tools|test)$/;

const TABLE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

const directory = createDirectory();
const { at } = directory;
after(() => directory[Symbol.dispose]());

const node = (...args: readonly string[]) =>
  execFileSync(process.execPath, args, { cwd: directory.path, encoding: 'utf8' });
const textsOf = (patterns: readonly string[]) =>
  new Map(globSync(patterns, { cwd: directory.path }).map((path) => [path, readFileSync(at(path), 'utf8')]));
const SOURCES = ['{src,contract,lab,scripts,test}/**/*.{ts,yaml,json}', '*.{json,cjs,md}'];

function make(addition: Addition): void {
  for (const [path, change] of Object.entries(addition)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(
      at(path),
      typeof change === 'string' ? change : changed(readFileSync(at(path), 'utf8'), path, change),
    );
  }
}

function changed(text: string, path: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((old, [one, other]) => {
    assert.ok(old.includes(one), `${path} has no ${one}`);
    return old.replace(one, () => other);
  }, text);
}

/** Returns what the compiler finds in the service and the command line. */
function typeErrors(): readonly string[] {
  const { config } = ts.readConfigFile(at('tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, directory.path);
  const files = [...textsOf(['src/**/*.ts']).keys(), 'lab/program.ts'];
  const program = ts.createProgram(files.map(at), { ...options, typeRoots: [at('node_modules/@types')] });
  return program.getSemanticDiagnostics().map(({ file, messageText }) => {
    return `${file?.fileName.slice(directory.path.length + 1)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

let unchanged: ReadonlyMap<string, string>;

before(() => {
  for (const name of COPIED) {
    cpSync(join(ROOT, name), at(name), { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  }
  symlinkSync(join(ROOT, 'node_modules'), at('node_modules'));
  // A change belongs to a version that is not released yet, or no longer changes the descriptions.
  const { version } = parse(readFileSync(at('contract/openapi.yaml'), 'utf8')).info;
  writeFileSync(at('CHANGELOG.md'), `## ${version} - unreleased\n`);
  unchanged = textsOf(SOURCES);
});

/** The places of a thing in the table of CONTRIBUTING.md, as patterns of paths. A folder stands for its files. */
function placesOf(thing: string): readonly RegExp[] {
  const [, cell = ''] = new RegExp(`^\\| ${thing}[^|]* \\| (.*) \\|$`, 'm').exec(TABLE) ?? [];
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => {
    return new RegExp(`^${path.replaceAll('.', '\\.').replace('NAME', '[\\w-]+').replace(/\/$/, '/.+')}$`);
  });
}

test('an operation, an option, an Api and a feature each touch the places of the table in CONTRIBUTING.md', () => {
  for (const [thing, addition] of Object.entries({
    'an operation': operation,
    'an option of every': option,
    'an Api': api,
    'a feature': feature,
  })) {
    const earlier = textsOf(SOURCES);
    make(addition);
    const touched = [...textsOf(SOURCES)].filter(([path, text]) => earlier.get(path) !== text).map(([path]) => path);
    const places = placesOf(thing);
    assert.equal(places.length, 2, thing);
    for (const place of places)
      assert.ok(
        touched.some((path) => place.test(path)),
        `${thing}: ${place}`,
      );
    for (const path of touched)
      assert.ok(
        places.some((place) => place.test(path)),
        `${thing}: ${path}`,
      );
  }
});

test('until the handler of a new operation exists, generating makes its types and names the missing file', () => {
  const handler = Object.keys(operation).find((path) => path.endsWith('.ts')) ?? '';
  const code = readFileSync(at(handler));
  const generate = () =>
    spawnSync(process.execPath, ['scripts/generate.ts'], { cwd: directory.path, encoding: 'utf8' });
  writeFileSync(at(handler), "import 'not-installed';\n");
  assert.match(generate().stderr, /^Cannot find package 'not-installed' .*Run npm ci.*\n$/);
  rmSync(at(handler));
  const { status, stderr } = generate();
  assert.equal(status, 1);
  assert.match(stderr, /^Cannot find module '\S+\/src\/operations\/print-labels\.ts' .*Write this file.*\n$/);
  assert.match(readFileSync(at('src/contract/openapi.generated.ts'), 'utf8'), /id: 'printLabels'/);
  writeFileSync(at(handler), code);
});

test('with these places alone the descriptions, the code and the pages are made, and nothing else changes', () => {
  node('scripts/generate.ts');
  const added = Object.keys({ ...operation, ...option, ...api, ...feature });
  const others = [...textsOf(SOURCES)].filter(([path, text]) => unchanged.get(path) !== text && !added.includes(path));
  const isMade = (path: string) =>
    /\.(?:generated\.ts|served(?:-3\.0)?\.json|gen\.json)$|^contract\/released\//.test(path);
  assert.deepEqual(
    others.map(([path]) => path).filter((path) => !isMade(path)),
    ['README.md', 'contract/sandbox.yaml'],
  );
  node('scripts/contract/check.ts');
  const page = (name: string) => readFileSync(at(name), 'utf8');
  assert.match(page('README.md'), /^\| `GET \/labels` \| Print labels \| 200: The names\. \|$/m);
  assert.match(page('docs/guide/lesson-2-reading-a-description.md'), /^printLabels: GET \/labels -> 200 400 /m);
  assert.match(page('docs/commands.md'), /`--motto TEXT`.*\n(?:.*\n)*.*`--rain NUMBER`/);
  assert.match(page('docs/commands.md'), /^## rain forecast$/m);
  assert.match(page('docs/errors.md'), /^\| 40499 \| There is no such gauge \(rain only\)\. \|$/m);
});

test('with these places alone the code compiles, but a list of operations written by hand would not', () => {
  const ids = Object.keys(operations).map((id) => `${id}: ''`);
  const list = `import type { operations } from './contract/openapi.generated.ts';
export const TITLES: Readonly<Record<keyof typeof operations, string>> = { ${ids.join(', ')} };
`;
  make({ 'src/titles.ts': list });
  const [error = '', ...others] = typeErrors();
  assert.match(error, /^src\/titles\.ts: Property 'printLabels' is missing/);
  assert.deepEqual(others, []);
});

test('with these places alone the code obeys the rules of imports', () => {
  const cruise = 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs';
  assert.match(node(cruise, '--config', '.dependency-cruiser.cjs', 'src'), /no dependency violations found/);
});

test('the service serves all of them', async (t) => {
  const lab = { command: [process.execPath, at('lab/main.ts')], cwd: directory.path } as const;
  const asked = ['--rain', '3', '--motto', 'Water', '--sandboxes', '1'];
  await using service: ServiceProcess = await serveProcess(['--database', 'temporary', ...asked], {}, lab);
  const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' };
  const get = (path: string, more = {}) => fetch(service.url + path, { headers: { ...headers, ...more } });
  const plant = '{"id": 12, "name": "Aloe vera"}';
  assert.equal((await fetch(`${service.url}/plants`, { method: 'POST', headers, body: plant })).status, 200);

  await t.test('the operation, with its header field', async () => {
    const labels = await get('/labels');
    assert.deepEqual([labels.status, await labels.text()], [200, 'Aloe vera\n']);
    assert.equal(labels.headers.get('content-type'), 'text/plain');
    assert.match(String(labels.headers.get('access-control-expose-headers')), /\bLabel-Width\b.*\bRain-Depth\b/);
    assert.equal((await fetch(`${service.url}/labels`)).status, 401);
    assert.equal((await get('/labels?limit=0')).status, 400);
  });

  await t.test('a sandbox does not take the text for a feed of events', async () => {
    const created = await fetch(`${service.url}/sandboxes`, { method: 'POST', headers, body: '{}' });
    const { token } = (await created.json()) as { readonly token: string };
    const refused = await get('/labels', { Authorization: `Bearer ${token}`, Fault: 'duplicate' });
    assert.match(await refused.text(), /40020.*printLabels has no events/);
  });

  await t.test('the Api with its documents, and the option', async () => {
    assert.deepEqual(await (await get('/rain')).json(), { millimetres: 3, motto: 'Water' });
    assert.match(await (await get('/rain/openapi.yaml')).text(), /operationId: getRain/);
    const wrong = await get('/rain?gauge=2');
    assert.deepEqual([wrong.status, await wrong.json()], [404, { error: 40499, message: 'There is no gauge 2.' }]);
  });

  await t.test('the messages of the Api inside the feature, with exact integers', async () => {
    const { warningOf } = await import(at('src/features/rain/flood/index.ts'));
    assert.equal(warningOf(2n ** 63n - 1n), '{"type":"flood.warning","id":9223372036854775807}');
  });

  await t.test('the command of the feature', async () => {
    assert.equal((await runCommand(['rain', 'forecast'], {}, lab)).stdout, 'It will rain.\n');
  });
});

test('the tests of credentials try the new operation with every credential', async () => {
  const { OPERATIONS }: typeof import('../auth/matrix.ts') = await import(at('test/auth/matrix.ts'));
  const tried = OPERATIONS.find(({ id }) => id === 'printLabels');
  assert.deepEqual(tried, {
    id: 'printLabels',
    method: 'GET',
    target: '/labels',
    scope: 'plants:read',
    success: 200,
    elsewhere: 200,
  });
});

test('a rule of a sandbox can name the new operation', () => {
  const { schemas } = parse(readFileSync(at('contract/sandbox.yaml'), 'utf8')).components;
  assert.ok(schemas.FaultOperation.enum.includes('printLabels'));
});
