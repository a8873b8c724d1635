/** The executable, started as the systemd unit starts it, but in another folder: its command, options, environment. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { type Program, refusedWith, runCommand, serveProcess } from '../harness/process.ts';

const root = new URL('../..', import.meta.url);
const BUILT = fileURLToPath(new URL('dist/plantstore', root));
const UNIT = readFileSync(new URL('deploy/systemd/plantstore.service', root), 'utf8');
const [INSTALLED = '', ...given] = /^ExecStart=(.*)$/m.exec(UNIT)?.[1]?.split(' ') ?? [];
const PLANT = { id: 12, name: 'Aloe vera' };

/** The environment of the unit, with another folder for its data. */
function environment(folder: string): NodeJS.ProcessEnv {
  const lines = UNIT.matchAll(/^Environment="?([A-Z_]+)=([^"\n]*)"?$/gm);
  return Object.fromEntries(
    [...lines].map(([, name, value]) => [name, value?.replaceAll('/var/lib/plantstore', folder)]),
  );
}

test('under the options and environment of the unit, the executable starts after a stop and a crash', async () => {
  assert.deepEqual([INSTALLED, ...given], ['/usr/local/bin/plantstore', 'serve']);
  using folder = createDirectory();
  const env = environment(folder.path);
  assert.match(env['NODE_OPTIONS'] ?? '', /^--permission /);
  assert.equal(env['PLANTSTORE_DATABASE'], `sqlite:${folder.at('plants.db')}`);
  // systemd starts a service in the root folder.
  const program: Program = { command: [BUILT], cwd: '/' };
  let token: string | undefined;
  for (const [signal, code] of [
    ['SIGTERM', 0],
    ['SIGKILL', null],
    ['SIGTERM', 0],
  ] as const) {
    const service = await serveProcess([], env, program);
    token ??= service.token;
    const client = createClient(service.url, token ?? 'none');
    assert.equal((await client.send('POST', '/plants', { body: PLANT })).status, 200);
    client.close();
    assert.equal(await service.stop(signal), code, service.stderr());
  }
  const { code, stdout } = await runCommand(['export'], env, program);
  assert.deepEqual([code, stdout], [0, `${JSON.stringify(PLANT)}\n`]);
  // The unit's grants do apply: another folder is refused.
  using other = createDirectory();
  const database = `sqlite:${other.at('plants.db')}`;
  const refused = await runCommand(['serve', '--port', '0', '--database', database], env, program);
  refusedWith(refused, 1, /Node's permission model forbids it \(ERR_ACCESS_DENIED\)/);
});
