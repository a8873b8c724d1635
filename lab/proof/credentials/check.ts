/** Sends wrong credentials to every operation, then looks for each secret in everything that was written. */
import { readdirSync, readFileSync } from 'node:fs';
import { generateToken, issueToken } from '../../../src/auth/token.ts';
import { withEngine } from '../../../src/stores/open.ts';
import { AUDIENCE, startIssuer } from '../../../test/auth/issuer.ts';
import { jwtCases } from '../../../test/auth/jwt-cases.ts';
import { credentialCases, OPERATIONS, type OperationCase, type TokenSet } from '../../../test/auth/matrix.ts';
import { createDirectory } from '../../../test/harness/directory.ts';
import { runCommand, serveProcess } from '../../../test/harness/process.ts';
import { freePort } from '../../grade/receiver/free-port.ts';
import { createViolations, runCheck } from '../outcome.ts';

/** Loaded into the service: writes every Authorization field to the log. */
const LEAK = { NODE_OPTIONS: `--import=${new URL('leak.ts', import.meta.url).href}` };
const BOTH = ['plants:read', 'plants:write'];
/** A part of a secret that is long enough to use it, or to find it. */
const PART = 30;

await runCheck(async ({ control }) => {
  const violations = createViolations();
  using directory = createDirectory();
  await using issuer = await startIssuer();
  await using stranger = await startIssuer();
  const database = `sqlite:${directory.at('plants.db')}`;
  const tokens = await issueTokens(database);
  const configured = generateToken();
  const admin = `127.0.0.1:${await freePort()}`;
  const options = ['--database', database, '--log-level', 'trace', '--access-log', '--admin', admin];
  const jwt = ['--jwt-issuer', issuer.url, '--jwt-audience', AUDIENCE];
  const defect = control === 'any-token-accepted' ? ['--defect', control] : [];
  const service = await serveProcess([...options, ...jwt, '--sandboxes', '5', ...defect], {
    PLANTSTORE_TOKEN: configured,
    ...(control === 'logged-credential' ? LEAK : {}),
  });
  const said: string[] = [];
  let requests = 0;
  const send = async (method: string, target: string, headers: Record<string, unknown>, body?: unknown) => {
    const fields = new Headers({ 'Content-Type': 'application/json' });
    for (const [name, value] of Object.entries(headers))
      for (const one of [value].flat()) fields.append(name, `${one}`);
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(service.url + target, { method, headers: fields, ...json });
    const text = await response.text();
    requests++;
    return { status: response.status, text, all: text + JSON.stringify([...response.headers]) };
  };
  /** `wanted`: the number of an error, or undefined if the credential is right. */
  const expect = async (what: string, operation: OperationCase, headers: Record<string, unknown>, wanted?: number) => {
    const { status, text, all } = await send(operation.method, operation.target, headers, operation.body);
    said.push(all);
    const isRight = wanted === undefined ? ![401, 403].includes(status) : text.includes(`"error":${wanted},`);
    if (!isRight) violations.add(`${operation.id}: ${what}: ${status} ${text}, expected ${wanted ?? 'access'}`);
  };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  const jwts = await jwtCases(issuer, stranger);
  for (const operation of OPERATIONS) {
    for (const [what, token, wanted] of jwts) {
      // Only refusals of the token itself are the same for all operations.
      const isForAll = operation.id === 'listPlants' || Math.floor(wanted / 100) === 401;
      if (isForAll) await expect(what, operation, bearer(token), wanted === 200 ? undefined : wanted);
    }
    for (const { name, headers, expected } of credentialCases(tokens)) {
      await expect(name, operation, headers, expected(operation)?.error);
    }
  }
  if (stranger.fetches() > 0) violations.add('a key was fetched from where a token said');
  await expect('the fixed token', OPERATIONS[0] as OperationCase, bearer(configured));

  const { right } = tokens;
  for (const { method, target } of OPERATIONS) {
    // A token in a wrong place is not repeated either.
    const body = method === 'GET' ? undefined : { id: right };
    said.push((await send(method, `${target}?limit=${right}&after=${right}`, bearer(right))).all);
    said.push((await send(method, target, { ...bearer(right), 'If-Match': right, Cookie: right }, body)).all);
    said.push((await send(method, `/plants/${right}`, bearer(right))).all, (await send(method, `/${right}`, {})).all);
  }
  const made = await send('POST', '/sandboxes', {}, {});
  const sandbox: string = JSON.parse(made.text).token;
  for (const target of ['/plants', '/sandbox', '/sandbox/requests', `/plants?after=${sandbox}`, '/sandbox/requests']) {
    said.push((await send('GET', target, bearer(sandbox))).all);
  }
  said.push(await (await fetch(`http://${admin}/metrics`)).text());

  issuer.setDown(true);
  said.push((await send('GET', '/plants', bearer(await issuer.sign({}, { kid: 'new' })))).all);

  const run = async (args: readonly string[], env = {}) => {
    const { stdout, stderr } = await runCommand(args, env);
    said.push(stdout, stderr);
  };
  for (const command of [
    ['token', 'list'],
    ['token', 'list', '--json'],
    ['export'],
    ['backup', directory.at('b.db')],
  ]) {
    await run([...command, '--database', database]);
  }
  const password = generateToken();
  await run(['serve'], { DATABASE_URL: `postgres://user:${password}@127.0.0.1:1/plants` });
  await run(['serve', '--database', 'temporary'], { PLANTSTORE_TOKEN: `${password} ${password}` });
  await service.stop('SIGTERM');
  said.push(service.stdout(), service.stderr());

  const files = readdirSync(directory.path).map((name) => readFileSync(directory.at(name), 'latin1'));
  const written = [...said, ...files];
  const opaque = [...Object.values(tokens), configured, sandbox, password].map((token) => token.slice(4, 4 + PART));
  const signatures = jwts.map(([, token]) => token.split('.').at(-1)?.slice(0, PART) ?? '');
  const secrets = new Set([...opaque, ...signatures].filter(({ length }) => length === PART));
  for (const secret of secrets) if (written.some((text) => text.includes(secret))) violations.add(`written: ${secret}`);
  const bytes = written.reduce((sum, { length }) => sum + length, 0);
  return { counts: { requests, secrets: secrets.size, 'bytes searched': bytes }, versions: {}, ...violations.result() };
});

async function issueTokens(database: string): Promise<TokenSet> {
  return await withEngine(database, 'plants', true, async (engine) => {
    const issue = async (terms: {
      scopes?: readonly string[];
      store?: string;
      expiresAt?: number;
      revokedAt?: number;
    }) => {
      const common = { name: undefined, store: 'default', scopes: BOTH, createdAt: 1, expiresAt: undefined };
      const { token, record } = issueToken({ ...common, ...terms });
      await engine.tokens.add({ ...record, revokedAt: terms.revokedAt });
      return token;
    };
    return {
      right: await issue({}),
      readOnly: await issue({ scopes: ['plants:read'] }),
      writeOnly: await issue({ scopes: ['plants:write'] }),
      expired: await issue({ expiresAt: 1 }),
      revoked: await issue({ revokedAt: 1 }),
      otherStore: await issue({ store: 'other' }),
      unknown: generateToken(),
    };
  });
}
