/** Variables that a platform sets for every process: service links of Kubernetes and Docker, and DATABASE_URL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAM } from '../../lab/program.ts';
import { readCommandLine, variableOf } from '../../src/cli/command-line.ts';
import { commandsOf } from '../../src/cli/run-command.ts';
import { serveOptionsWith } from '../../src/cli/serve.ts';
import { FEATURES } from '../../src/features/index.ts';
import { createDirectory } from '../harness/directory.ts';
import { refusedWith, runHere, serveProcess } from '../harness/process.ts';

const read = (env: Record<string, string>) =>
  readCommandLine({ name: 'serve', options: serveOptionsWith(FEATURES) }, [], env).config;

/** Kubernetes sets these for a Service: https://kubernetes.io/docs/concepts/services-networking/service/. */
function kubernetesLinks(service: string, address = '10.0.0.1', port = 80) {
  const name = service.toUpperCase().replaceAll('-', '_');
  const host = address.includes(':') ? `[${address}]` : address;
  return {
    [`${name}_SERVICE_HOST`]: address,
    [`${name}_SERVICE_PORT`]: String(port),
    [`${name}_SERVICE_PORT_HTTP`]: String(port),
    [`${name}_PORT`]: `tcp://${host}:${port}`,
    [`${name}_PORT_${port}_TCP`]: `tcp://${host}:${port}`,
    [`${name}_PORT_${port}_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_${port}_TCP_PORT`]: String(port),
    [`${name}_PORT_${port}_TCP_ADDR`]: address,
  };
}

/** Docker sets these for `--link CONTAINER:ALIAS`: https://docs.docker.com/engine/network/links/. */
function dockerLinks(alias: string) {
  const { SERVICE_HOST: _, ...links } = kubernetesLinks(alias, '172.17.0.2', 8_080);
  const name = alias.toUpperCase().replaceAll(/[.-]/g, '_');
  return { ...links, [`${name}_NAME`]: `/angry_bell/${alias}`, [`${name}_ENV_PLANTSTORE_HOST`]: '0.0.0.0' };
}

test('a service starts beside a Service or a link called plantstore, or like one of its options', async () => {
  const names = Object.keys(serveOptionsWith(FEATURES)).map((name) =>
    variableOf(name).toLowerCase().replaceAll('_', '-'),
  );
  const services = ['plantstore', 'plantstore-reuse', ...names];
  for (const links of [
    ...services.map((name) => kubernetesLinks(name)),
    kubernetesLinks('plantstore', 'fd00::1'),
    { PLANTSTORE_PORT: 'udp://10.0.0.1:53' },
    { PLANTSTORE_PORT: 'sctp://10.0.0.1:53' },
    ...services.map(dockerLinks),
  ]) {
    assert.deepEqual(read(links), read({}), JSON.stringify(links));
    assert.equal(read({ ...links, PORT: '9000' }).port, 9_000);
  }
  await using service = await serveProcess(['--database', 'temporary'], kubernetesLinks('plantstore'));
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
});

test('no variable of a link is the variable of an option, except those that the service recognises', () => {
  const variables = new Set(commandsOf(PROGRAM).flatMap(({ options }) => Object.keys(options).map(variableOf)));
  const names = [...variables].flatMap((variable) => [variable, variable.replace(/_[A-Z]+$/, '')]);
  const links = names.flatMap((name) => Object.keys({ ...kubernetesLinks(name), ...dockerLinks(name) }));
  assert.deepEqual(
    [...variables].filter((variable) => links.includes(variable)).sort(),
    ['PLANTSTORE_NAME', 'PLANTSTORE_PORT', 'PLANTSTORE_REUSE_PORT', 'PLANTSTORE_TESTER_NAME'].sort(),
    'Kubernetes or Docker may set the variable of a new option: give the option another name',
  );
});

test('a token is not called like a linked container', async () => {
  const create = commandsOf(PROGRAM).find(({ name }) => name === 'token create');
  assert.ok(create);
  const nameIn = (env: Record<string, string>) => {
    return readCommandLine({ name: 'token create', options: create.options }, [], env).config['name'];
  };
  assert.equal(nameIn(dockerLinks('plantstore')), undefined);
  assert.equal(nameIn({ PLANTSTORE_NAME: '/web/other' }), '/web/other');
});

test('a variable that no option has is ignored with one line, which names a similar option', async () => {
  using place = createDirectory();
  const run = (env: Record<string, string>) => runHere(['check', '--database', `sqlite:${place.at('none.db')}`], env);
  const failure = (await run({})).stderr;
  for (const [env, line] of [
    [
      { PLANTSTORE_MAX_BODDY: '1KiB' },
      'PLANTSTORE_MAX_BODDY is ignored, since no option has this name (did you mean PLANTSTORE_MAX_BODY?)',
    ],
    [{ PLANTSTORE_BODY_LIMIT: 'hunter2' }, 'PLANTSTORE_BODY_LIMIT is ignored, since no option has this name'],
  ] as const) {
    assert.equal((await run(env)).stderr, `plantstore: ${line}\n${failure}`);
    assert.equal((await runHere(['check', '--help'], env)).stderr, '');
  }
  // Known to another command, or set by a platform.
  for (const env of [
    {
      PLANTSTORE_MAX_BODY: '1KiB',
      PLANTSTORE_DEFECT: 'success-status-undeclared',
      PLANTSTORE_EXPIRES: '1d',
      PORT: '1',
      PLANT: '',
    },
    ...['plantstore', 'plantstore-web'].flatMap((name) => [kubernetesLinks(name), dockerLinks(name)]),
  ]) {
    assert.equal((await run(env)).stderr, failure);
  }
});

test('a service listens although its environment has the variables of a process that Node has started', async () => {
  await using service = await serveProcess(['--demo'], { NODE_UNIQUE_ID: '1', NODE_CHANNEL_FD: '0' });
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
});

test('what a person sets as the port is refused if it is no port', async () => {
  for (const value of ['tcp://10.0.0.1', '10.0.0.1:80', 'http://10.0.0.1:80', ':8080', '8080/tcp']) {
    refusedWith(await runHere(['serve'], { PLANTSTORE_PORT: value }), 2, /PLANTSTORE_PORT: it must be an integer/);
  }
  refusedWith(await runHere(['serve', '--port', 'tcp://10.0.0.1:80']), 2, /--port: it must be an integer/);
  refusedWith(await runHere(['serve'], { PORT: 'tcp://10.0.0.1:x' }), 2, /: PORT: it must be an integer/);
});

test('a demo, which has its own database, does not read DATABASE_URL', async () => {
  for (const DATABASE_URL of ['mysql://u:hunter2@h/d', 'postgres://h/d?schema=public', 'sqlite:d.db\r']) {
    await using service = await serveProcess(['--demo'], { DATABASE_URL });
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    refusedWith(await runHere(['serve', '--demo=false'], { DATABASE_URL }), 2, /: DATABASE_URL: /);
  }
});

test('a command that needs no database does not read its variables', async () => {
  const env = { DATABASE_URL: 'mysql://h/d', PLANTSTORE_DATABASE: 'mysql://h/d', PORT: 'x', PGSSLMODE: 'x' };
  for (const words of [['--version'], ['help'], ['defects'], ['defects', '--json'], ['serve', '--help']]) {
    assert.equal((await runHere(words, env)).code, 0, words.join(' '));
  }
});
