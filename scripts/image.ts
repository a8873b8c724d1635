/**
 * `npm run test:image` builds the image of deploy/docker/Dockerfile with buildah and tests it. It pulls no image: it
 * makes the base images from the packages of Debian and npm. It needs root on Linux, debootstrap, buildah and iproute2.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Buildah } from '../test/image/buildah.ts';

const DOCKERFILE = 'deploy/docker/Dockerfile';
/** The npm that the image of each Node contains. */
const NPM_OF_NODE: Readonly<Record<string, string>> = { '24': '11' };

const lacks = whatLacks();
if (lacks !== undefined) {
  console.log(`The image is not built and not tested: ${lacks}.`);
  process.exit();
}
const directory = mkdtempSync(join(tmpdir(), 'plantstore-image-'));
const buildah = new Buildah(directory);
try {
  const dockerfile = readFileSync(DOCKERFILE, 'utf8');
  for (const [, name = ''] of dockerfile.matchAll(/^FROM (\S+)/gm)) makeBase(name);
  // The buildah of Debian 12 refuses this option of Docker 25, which changes only how soon Docker runs the health
  // check.
  const built = join(directory, 'Dockerfile');
  writeFileSync(built, dockerfile.replace(/ --start-interval=\S+/, ''));
  // Without a format, buildah leaves out the health check.
  buildah.build('--pull-never', '--format=docker', `--file=${built}`, '--tag=plant-store', '.');
  process.exitCode = runTests();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Says what the machine lacks, or returns undefined. */
function whatLacks(): string | undefined {
  if (process.getuid?.() !== 0) return 'this needs root';
  const missing = ['debootstrap', 'buildah', 'ip', 'unshare'].filter((name) => spawnSync(name, ['--help']).error);
  if (missing.length > 0) return `${missing.join(', ')} is missing (apt-get install debootstrap buildah iproute2)`;
  const { status, stderr } = spawnSync('unshare', ['--net', '--mount', 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : `this machine allows no namespaces: ${stderr.trim()}`;
}

/** Makes debian:SUITE-slim, or node:MAJOR-SUITE-slim, as Docker Hub has them. */
function makeBase(name: string): void {
  const [, node, suite] = /^(?:debian:|node:(\d+)-)([a-z]+)-slim$/.exec(name) ?? [];
  if (suite === undefined) throw new Error(`${DOCKERFILE}: scripts/image.ts cannot make the image ${name}`);
  const debian = `docker.io/library/debian:${suite}-slim`;
  if (!buildah.has(debian)) {
    buildah.make('scratch', debian, (root) => {
      execFileSync('debootstrap', ['--variant=minbase', suite, root], { stdio: ['ignore', 'ignore', 'inherit'] });
      execFileSync('chroot', [root, 'apt-get', 'clean']);
    });
  }
  if (node !== undefined) makeNode(debian, `docker.io/library/${name}`, node);
}

function makeNode(debian: string, name: string, major: string): void {
  const npm = NPM_OF_NODE[major];
  if (npm === undefined) throw new Error(`Add the npm of Node ${major} to scripts/image.ts`);
  const packages = join(directory, 'packages');
  const platform = `node-linux-${process.arch}`;
  const wanted = [`${platform}@${major}`, `npm@${npm}`];
  execFileSync('npm', [
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--prefix',
    packages,
    ...wanted,
  ]);
  // Behind a proxy that signs for the registry, npm needs the authorities that this machine trusts.
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  const env = authorities === undefined ? [] : [`--env=NODE_EXTRA_CA_CERTS=${authorities}`];
  buildah.make(
    debian,
    name,
    (root) => {
      const local = join(root, 'usr/local');
      copyFileSync(join(packages, 'node_modules', platform, 'bin/node'), join(local, 'bin/node'));
      cpSync(join(packages, 'node_modules/npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
      symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
      if (authorities === undefined) return;
      mkdirSync(join(root, dirname(authorities)), { recursive: true });
      copyFileSync(authorities, join(root, authorities));
    },
    env,
  );
}

/** Runs the tests in a network of their own, in which the image's port is free. Returns their exit code. */
function runTests(): number {
  const tests = `ip link set lo up && exec '${process.execPath}' --test --test-reporter=spec 'test/image/*.test.ts'`;
  const env = { ...process.env, IMAGE_DIRECTORY: directory };
  return spawnSync('unshare', ['--net', 'sh', '-c', tests], { stdio: 'inherit', env }).status ?? 1;
}
