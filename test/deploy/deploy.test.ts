/** Checks the files of deploy/ with validators of the programs that read them, as far as these are available. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { validate } from 'dockerfile-utils';
import { Deployment } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';
import { variableOf } from '../../src/cli/command-line.ts';
import { serveOptionsWith } from '../../src/cli/serve.ts';
import { FEATURES } from '../../src/features/index.ts';
import { createDirectory } from '../harness/directory.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const VARIABLES = new Set(Object.keys(serveOptionsWith(FEATURES)).map(variableOf));

const DOCKERFILE = read('deploy/docker/Dockerfile');
/** The instructions of the last stage. */
const image = DOCKERFILE.slice(DOCKERFILE.lastIndexOf('\nFROM'));

test('the Dockerfile is valid, runs as a numeric user other than root, and has a health check', () => {
  assert.deepEqual(validate(DOCKERFILE), []);
  assert.match(image, /^USER [1-9]\d*:[1-9]\d*$/m);
  assert.match(image, /^HEALTHCHECK [\s\S]*\/healthz"\]$/m);
  // BusyBox's wget would otherwise send the request to the proxy of the variable http_proxy.
  assert.match(image, /"wget", "-q", "-Y", "off",/);
  // For any user id, as OpenShift and `docker run --user` choose one.
  assert.match(image, /^RUN install -d -o 10001 -g 0 -m 1777 \/data$/m);
  // Docker would otherwise create a volume without a name for each container, and keep it.
  assert.doesNotMatch(image, /^VOLUME/m);
  assert.match(image, /^ENTRYPOINT \["plantstore"\]$/m);
});

test('in containers the service listens on IPv6 and IPv4', () => {
  assert.match(image, /^ENV PLANTSTORE_HOST=:: /m);
  assert.match(read('deploy/kubernetes/plant-store.yaml'), /^ *args: \[serve, --admin, "\[::\]:9090"\]$/m);
});

test('every file that the Dockerfile copies exists, and .dockerignore lets it through', () => {
  const lines = read('.dockerignore').split('\n');
  assert.ok(lines.includes('**'), '.dockerignore excludes everything that it does not name');
  const kept = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm)];
  const sources = copied.flatMap(([, names = '']) => names.split(' '));
  assert.deepEqual(sources.sort(), kept.sort());
  for (const source of sources) assert.ok(existsSync(new URL(source, ROOT)), source);
  // What the copied sources of the laboratory import is copied too.
  const lab = sources.filter((source) => source.startsWith('lab/'));
  const files = lab.flatMap((source) => (source.endsWith('.ts') ? [source] : globSync(`${source}/**/*.ts`)));
  for (const file of files) {
    for (const [, name = ''] of read(file).matchAll(/(?:from|import\() ?'(\.[^']+\.ts)'/g)) {
      const imported = relative('.', join(dirname(file), name));
      assert.ok(
        sources.some((source) => imported === source || imported.startsWith(`${source}/`)),
        `${file} imports ${name}`,
      );
    }
  }
});

test('the image and the Kubernetes manifest name the version of package.json', () => {
  const { version } = JSON.parse(read('package.json'));
  assert.equal(/^ *org\.opencontainers\.image\.version="(.*)"/m.exec(image)?.[1], version);
  assert.equal(/^ *image: plant-store:(\S+)$/m.exec(read('deploy/kubernetes/plant-store.yaml'))?.[1], version);
});

test('serve reads every PLANTSTORE_ variable that deploy/ sets', () => {
  const files = 'docker/Dockerfile docker/compose.yaml systemd/plantstore.service kubernetes/plant-store.yaml';
  for (const file of files.split(' ')) {
    const named = [...read(`deploy/${file}`).matchAll(/\bPLANTSTORE_[A-Z_]*[A-Z]/g)].map(([name]) => name);
    assert.ok(named.length > 0, file);
    for (const name of named) assert.ok(VARIABLES.has(name), `${file}: ${name}`);
  }
});

test('the compose file builds the image under the name of its comment and starts it once PostgreSQL is healthy', () => {
  const compose = parse(read('deploy/docker/compose.yaml'), { strict: true });
  const { plantstore, postgres } = compose.services;
  const { context, dockerfile } = plantstore.build;
  const built = new URL(`${context}/${dockerfile}`, new URL('deploy/docker/', ROOT));
  assert.equal(readFileSync(built, 'utf8'), DOCKERFILE);
  const [, used] = /docker run --rm (\S+) token create/.exec(read('deploy/docker/compose.yaml')) ?? [];
  assert.equal(plantstore.image, used);
  assert.deepEqual(plantstore.depends_on, { postgres: { condition: 'service_healthy' } });
  assert.ok(postgres.healthcheck);
  for (const volume of postgres.volumes) assert.ok(volume.split(':')[0] in compose.volumes, volume);
  assert.equal(plantstore.read_only, true);
});

test('the Kubernetes objects are valid, and their selectors and ports match', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes/plant-store.yaml'), { strict: true });
  for (const document of documents) assert.deepEqual(document.errors, []);
  const [first, second, third, fourth] = documents.map((document) => document.toJS());
  const deployment = new Deployment(first);
  const service = new Service(second);
  const budget = new PodDisruptionBudget(third);
  const policy = new NetworkPolicy(fourth);
  for (const object of [deployment, service, budget, policy]) object.validate();
  assert.equal(documents.length, 4);
  const labels = deployment.spec?.template.metadata?.labels;
  assert.deepEqual(deployment.spec?.selector.matchLabels, labels);
  assert.deepEqual(service.spec?.selector, labels);
  assert.deepEqual(budget.spec?.selector?.matchLabels, labels);
  assert.deepEqual(policy.spec?.podSelector?.matchLabels, labels);
  const [container] = deployment.spec?.template.spec?.containers ?? [];
  const ports = new Set(container?.ports?.map(({ name }) => name));
  for (const { targetPort } of service.spec?.ports ?? []) assert.ok(ports.has(String(targetPort)));
  // Everybody may send requests, but only a named namespace may read the metrics, which need no credential.
  const open = policy.spec?.ingress?.filter(({ from }) => from === undefined).flatMap(({ ports }) => ports ?? []);
  assert.deepEqual(open, [{ port: 'http' }]);
  for (const { ports: named } of policy.spec?.ingress ?? [])
    for (const { port } of named ?? []) assert.ok(ports.has(String(port)));
  for (const probe of [container?.startupProbe, container?.readinessProbe, container?.livenessProbe]) {
    assert.ok(ports.has(String(probe?.httpGet?.port)));
  }
  assert.equal(deployment.spec?.template.spec?.securityContext?.runAsNonRoot, true);
  assert.equal(deployment.spec?.template.spec?.enableServiceLinks, false);
  const kept =
    deployment.spec?.template.spec?.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  assert.deepEqual(kept?.[0]?.podAffinityTerm.labelSelector?.matchLabels, labels);
  assert.deepEqual(Object.keys(container?.resources?.limits ?? {}).sort(), ['cpu', 'ephemeral-storage', 'memory']);
});

const UNIT = read('deploy/systemd/plantstore.service');

test('the systemd unit confines the service and waits longer than --drain-timeout for its end', () => {
  const settings = new Map([...UNIT.matchAll(/^([A-Za-z]+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  for (const name of ['NoNewPrivileges', 'PrivateTmp', 'PrivateDevices', 'ProtectHome', 'LockPersonality']) {
    assert.equal(settings.get(name), 'yes', name);
  }
  assert.equal(settings.get('ProtectSystem'), 'strict');
  assert.equal(settings.get('CapabilityBoundingSet'), '');
  // The first start prints a token on standard output.
  assert.equal(settings.get('StandardOutput'), 'null');
  assert.ok(Number(settings.get('TimeoutStopSec')) > 10);
  // No start limit, since five attempts end before a server is back. But a wrong option is not tried again.
  assert.equal(settings.get('StartLimitIntervalSec'), '0');
  assert.equal(settings.get('RestartPreventExitStatus'), '2');
});

/** Without systemd, for example on macOS, only the test above runs. */
const systemd = spawnSync('systemd-analyze', ['--version']).status === 0;

if (systemd) {
  test('systemd accepts the unit', () => {
    using directory = createDirectory();
    const path = directory.at('plantstore.service');
    // The check needs an existing program whose path needs no quotes.
    writeFileSync(path, UNIT.replace('/usr/local/bin/plantstore', '/bin/sh'));
    // systemd reports an unknown setting only on standard error.
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });
}
