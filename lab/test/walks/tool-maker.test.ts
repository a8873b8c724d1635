/** A tool maker points a generator at a running service and uses the client, which contains the service's address. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { createClient } from '../../../test/harness/client.ts';
import { createDirectory } from '../../../test/harness/directory.ts';
import { serveProcess } from '../../../test/harness/process.ts';
import { walk } from '../../../test/walks/walk.ts';

const { at, [Symbol.dispose]: removeAll } = createDirectory();
after(removeAll);

/** Uses every operation once and contains no address. */
const PROGRAM = `
import { ApiError, client, type StoredPlant } from './client.ts';

client.auth.bearer('demo');
const path = { id: 12 };
await client.createPlant({ body: { ...path, name: 'Aloe vera' } });
const { data, headers } = await client.getPlant({ path }, { envelope: true });
const seen: StoredPlant = data;
const change = { path, headers: { 'If-Match': headers.etag }, body: { name: seen.name, tag: 'succulent' } };
const changed = await client.replacePlant(change);
const refused = await client.replacePlant(change).catch((error: unknown) => (error as ApiError).body);
const listed = await client.listPlants({ query: { tag: 'succulent' } });
await client.deletePlant({ path });
console.log(JSON.stringify({ changed, refused, listed: listed.map(({ id }) => id) }));
`;

walk('a tool maker generates a client', 5, async (step) => {
  const folder = at('tool');
  mkdirSync(folder);
  const run = async (name: string, ...args: string[]) => {
    const command = resolve('node_modules/.bin', name);
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    return (await promisify(execFile)(command, args, { cwd: folder, env })).stdout;
  };
  const demo = await step('start the demo', () => serveProcess(['--demo'], { TMPDIR: at('.') }));
  // Without a token, since the description contains the token of a demo.
  const client = createClient(demo.url, '');
  try {
    const description = await step('read the description, which contains the address of the service', async () => {
      const { servers } = (await client.send('GET', '/openapi.json', { token: null })).json() as {
        servers: readonly { url: string }[];
      };
      assert.equal(servers[0]?.url, demo.url);
      return `${demo.url}/openapi.json`;
    });
    await step('generate a client from it', () =>
      run('redocly', 'generate-client', description, '-o', 'client.ts', '--import-ext', 'ts'),
    );
    await step('write a program with the client and compile it', async () => {
      assert.doesNotMatch(PROGRAM, /https?:/);
      writeFileSync(`${folder}/package.json`, '{ "type": "module" }');
      writeFileSync(`${folder}/program.ts`, PROGRAM);
      const options = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions'];
      await run('tsc', ...options, '--module', 'nodenext', '--target', 'esnext', 'program.ts');
    });
    await step('run the program', async () => {
      const { changed, refused, listed } = JSON.parse(await run('node', 'program.ts')) as Record<string, unknown>;
      assert.deepEqual(changed, { id: 12, name: 'Aloe vera', tag: 'succulent' });
      assert.equal((refused as { error: number }).error, 41200);
      assert.deepEqual(listed, [4, 6, 12, 15, 16]);
      assert.equal((await client.send('GET', '/plants/12', { token: 'demo' })).status, 404);
    });
  } finally {
    client.close();
    assert.equal(await demo.stop('SIGTERM'), 0);
  }
});
