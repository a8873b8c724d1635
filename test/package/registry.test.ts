/** The npm package as a registry gives it: published to one on this machine, then run and installed by its name. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../lab/grade/receiver/free-port.ts';
import { version } from '../../src/util/version.generated.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { startByNpm } from '../harness/npm-process.ts';

const ARCHIVE = fileURLToPath(new URL(`../../dist/plant-store-${version}.tgz`, import.meta.url));
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

/** Without an account, everybody may publish, and it asks no other registry. */
const CONFIGURATION = `storage: ./storage
packages: { '**': { access: $all, publish: $all } }
log: { type: stdout, format: json, level: warn }
`;

test('npx runs a demo of the published package, and npm installs the library by its name', async () => {
  using place = createDirectory();
  const registry = place.at('registry');
  mkdirSync(registry);
  // Verdaccio wants the version "cjs" of node-fetch. That is a tag, which mirrors of npm may not have.
  writeFileSync(join(registry, 'package.json'), '{ "private": true, "overrides": { "node-fetch": "2.7.0" } }');
  execFileSync('npm', ['install', 'verdaccio@6', ...QUIET], { cwd: registry, stdio: 'pipe' });
  writeFileSync(join(registry, 'config.yaml'), CONFIGURATION);
  const address = `http://127.0.0.1:${await freePort()}/`;
  const options = ['node_modules/verdaccio/bin/verdaccio', '--config', 'config.yaml', '--listen', address];
  const verdaccio = spawn(process.execPath, options, { cwd: registry, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  try {
    // It sends this message when it listens.
    await once(verdaccio, 'message', { signal: AbortSignal.timeout(60_000) });

    const userconfig = place.at('npmrc');
    writeFileSync(userconfig, `${address.replace('http:', '')}:_authToken=any\n`);
    const cache = place.at('cache');
    const own = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_TEST/i.test(name));
    const settings = { registry: address, userconfig, cache, audit: 'false', fund: 'false' };
    const ofNpm = Object.entries(settings).map(([name, value]) => [`npm_config_${name}`, value]);
    const env = Object.fromEntries([...own, ...ofNpm]);
    const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, env, encoding: 'utf8' });

    const user = place.at('user');
    mkdirSync(user);
    npm(user, 'publish', ARCHIVE, '--silent');
    const found = JSON.parse(npm(user, 'view', 'plant-store', 'version', 'repository.url', 'bugs.url', '--json'));
    assert.equal(found.version, version);
    assert.match(found['repository.url'], /^git\+https:\/\/github\.com\/[\w-]+\/plant-store\.git$/);
    assert.match(found['bugs.url'], /^https:\/\/github\.com\/[\w-]+\/plant-store\/issues$/);

    const demo = ['npx', '-y', 'plant-store', 'serve', '--demo', '--port', '0'] as const;
    const service = await startByNpm(demo, { cwd: user, env });
    const client = createClient(service.url, 'demo');
    assert.equal((await client.send('POST', '/plants', { body: { id: 112, name: 'Aloe vera' } })).status, 200);
    client.close();
    await service.stop();

    writeFileSync(join(user, 'package.json'), '{ "type": "module" }');
    npm(user, 'install', 'plant-store');
    assert.equal(npm(user, 'exec', 'plantstore', '--', '--version').trim(), version);
    const program = `import('plant-store').then(({ startPlantStore }) => console.log(typeof startPlantStore))`;
    assert.equal(execFileSync(process.execPath, ['-e', program], { cwd: user, encoding: 'utf8' }), 'function\n');
  } finally {
    verdaccio.kill();
  }
});
