/** The image of deploy/docker/Dockerfile, which `npm run test:image` builds, started as Docker starts it. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '../harness/client.ts';
import { Buildah } from './buildah.ts';

const directory = process.env['IMAGE_DIRECTORY'];
assert.ok(directory, 'Run these tests with npm run test:image.');
const buildah = new Buildah(directory);
const { Entrypoint, Cmd, WorkingDir, Labels, Volumes, Healthcheck } = buildah.config('plant-store');
const PLANT = { id: 12, name: 'Aloe vera' };

const untouched = buildah.call('mount', buildah.call('from', '--pull-never', 'plant-store'));

/** Creates a volume for the image's folder, with its content and owner, as Docker does. */
function createVolume(name: string): string {
  const path = join(directory ?? '', name);
  mkdirSync(path);
  execFileSync('cp', ['--archive', `${untouched}${WorkingDir}/.`, path]);
  return path;
}

/** What a Service called `plantstore` adds to each pod of its Kubernetes namespace. */
const SERVICE_LINKS = [
  '--env=PLANTSTORE_PORT=tcp://10.0.0.1:80',
  '--env=PLANTSTORE_SERVICE_HOST=10.0.0.1',
  '--env=PLANTSTORE_SERVICE_PORT=80',
  '--env=PLANTSTORE_PORT_80_TCP=tcp://10.0.0.1:80',
];
/** What Docker and clusters behind a proxy add to each container. Nothing listens there. */
const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map(
  (name) => `--env=${name}=http://127.0.0.1:9`,
);

/**
 * Starts a new container with the image's own command and environment. Resolves when it is ready. `mounted`: the volume
 * for the image's folder. `user`: default: the image's own.
 */
async function start(mounted?: string, user?: string) {
  const container = buildah.call('from', '--pull-never', 'plant-store');
  const volume = mounted === undefined ? [] : [`--volume=${mounted}:${WorkingDir}`];
  const options = [...volume, ...(user === undefined ? [] : [`--user=${user}`]), ...SERVICE_LINKS, ...PROXIES];
  const command = buildah.command(container, [...Entrypoint, ...Cmd], options);
  const child = spawn('buildah', command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (/ready at http:\/\/\S+:8080\n[\s\S]*\n\n/.test(said)) resolve();
    });
    void closed.then(([code]) => reject(new Error(`exit ${code}: ${said}`)));
  });
  const service = innermost(child.pid ?? 0);
  return {
    token: /\b(pst_\w+)/.exec(said)?.[1],
    user: idIn(service, 'Uid'),
    group: idIn(service, 'Gid'),
    isHealthy: () => spawnSync('buildah', buildah.command(container, Healthcheck.Test.slice(1), options)).status === 0,
    /** Sends SIGTERM to the service itself: buildah would kill the service instead. */
    async stop() {
      process.kill(service, 'SIGTERM');
      const [code] = await closed;
      return code;
    },
  };
}

function idIn(pid: number, name: 'Uid' | 'Gid'): string | undefined {
  return new RegExp(`^${name}:\\t(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
}

/** Finds the service below the processes of buildah. Linux lists children by the thread that started them. */
function innermost(pid: number): number {
  const lists = globSync(`/proc/${pid}/task/*/children`).map((path) => readFileSync(path, 'utf8'));
  const [child] = lists.join(' ').match(/\d+/g) ?? [];
  return child === undefined ? pid : innermost(Number(child));
}

test('the image contains its licences and a bill of materials, and creates no volume without a name', () => {
  assert.deepEqual(Volumes, {});
  assert.equal(Labels['org.opencontainers.image.licenses'], 'MIT');
  const notices = join(untouched, 'usr/share/doc/plantstore');
  assert.deepEqual(readdirSync(notices).sort(), [
    'LICENSE',
    'NODE-LICENSE',
    'THIRD-PARTY-LICENSES',
    'plantstore.cdx.json',
  ]);
  const { components } = JSON.parse(readFileSync(join(notices, 'plantstore.cdx.json'), 'utf8'));
  const names: readonly string[] = components.map(({ name }: { name: string }) => name);
  for (const name of ['node', 'pg', 'jose', '@scalar/api-reference']) assert.ok(names.includes(name), name);
});

test('the image runs as its own user, is healthy, and keeps its plants and tokens on its volume', async () => {
  const plants = createVolume('plants');
  const first = await start(plants);
  assert.equal(first.user, '10001');
  const client = createClient('http://127.0.0.1:8080', first.token ?? 'none');
  for (const path of ['/healthz', '/openapi.yaml']) {
    assert.equal((await client.send('GET', path, { token: null })).status, 200, path);
  }
  assert.ok(first.isHealthy());
  assert.equal((await client.send('POST', '/plants', { body: PLANT })).status, 200);
  client.close();
  assert.equal(await first.stop(), 0);
  assert.ok(!first.isHealthy());

  const second = await start(plants);
  assert.equal(second.token, undefined, 'only the first start on a volume creates a token');
  const again = createClient('http://127.0.0.1:8080', first.token ?? 'none');
  assert.deepEqual((await again.send('GET', '/plants/12')).json(), PLANT);
  again.close();
  assert.equal(await second.stop(), 0);

  const other = await start(createVolume('other'));
  const stranger = createClient('http://127.0.0.1:8080', first.token ?? 'none');
  assert.equal((await stranger.send('GET', '/plants/12')).status, 401, 'the plants were on the volume');
  stranger.close();
  assert.equal(await other.stop(), 0);
});

for (const [given, user, group] of [
  // OpenShift chooses a user id for each project, always with group 0.
  ['1000660000:0', '1000660000', '0'],
  // docker run --user 1234 has group 0, too.
  ['1234', '1234', '0'],
  ['1234:5678', '1234', '5678'],
] as const) {
  for (const where of ['on a volume', 'without a volume']) {
    test(`as user ${given} the image stores plants ${where}`, async () => {
      const volume = where === 'on a volume' ? createVolume(`of-${user}-${group}`) : undefined;
      const service = await start(volume, given);
      assert.deepEqual([service.user, service.group], [user, group]);
      const client = createClient('http://127.0.0.1:8080', service.token ?? 'none');
      assert.equal((await client.send('POST', '/plants', { body: PLANT })).status, 200);
      client.close();
      assert.ok(service.isHealthy());
      assert.equal(await service.stop(), 0);
    });
  }
}

test('the image listens on IPv6 and on IPv4', async () => {
  const service = await start();
  // Without IPv6 the machine cannot test it.
  const hosts = existsSync('/proc/net/if_inet6') ? ['[::1]', '127.0.0.1'] : ['127.0.0.1'];
  for (const host of hosts) {
    assert.equal((await fetch(`http://${host}:8080/readyz`)).status, 200, host);
  }
  assert.equal(await service.stop(), 0);
});
