import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generateToken, hashToken } from '../../src/auth/token.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { runCommand, serveProcess } from '../harness/process.ts';
import { AUDIENCE, startIssuer } from './issuer.ts';
import { credentialCases, OPERATIONS, type TokenSet } from './matrix.ts';

test('after the whole matrix no token is in the log, the database, an export, a backup or a response', async () => {
  using directory = createDirectory();
  const database = `sqlite:${directory.at('plants.db')}`;
  await using issuer = await startIssuer();
  const issue = async (...args: string[]): Promise<string> => {
    const { stdout } = await runCommand(['token', 'create', '--create', '--database', database, ...args]);
    return stdout.trim();
  };
  const tokens: TokenSet = {
    right: await issue(),
    readOnly: await issue('--scope', 'plants:read'),
    writeOnly: await issue('--scope', 'plants:write'),
    expired: await issue('--expires', '1ms'),
    revoked: await issue('--name', 'revoked'),
    otherStore: await issue('--store', 'other'),
    unknown: generateToken(),
  };
  const jwts = [await issuer.sign(), await issuer.sign({ exp: 1 }), await issuer.sign({}, { kid: 'unknown' })];
  const configured = generateToken();
  const said: string[] = [];
  const run = async (...args: string[]) => {
    const done = await runCommand([...args, '--database', database]);
    assert.equal(done.code, 0, done.stderr);
    said.push(done.stdout, done.stderr);
  };
  await run('token', 'revoke', 'revoked');

  const service = await serveProcess(
    ['--database', database, '--log-level', 'trace', '--rate-limit', '1000/s', '--jwt-audience', AUDIENCE],
    { PLANTSTORE_TOKEN: configured, PLANTSTORE_JWT_ISSUER: issuer.url },
  );
  const client = createClient(service.url, tokens.right);
  try {
    const send = async (method: string, target: string, headers: object, body: unknown) => {
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const response = await client.send(method, target, { token: null, headers: { ...type, ...headers }, body });
      said.push(response.text, JSON.stringify(response.headers));
      return response.status;
    };
    const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
    assert.equal(await send('GET', '/plants', bearer(configured), undefined), 200);
    assert.equal(await send('GET', '/plants', bearer(jwts[0] as string), undefined), 200);
    for (const { method, target, body } of OPERATIONS) {
      for (const { headers } of credentialCases(tokens)) await send(method, target, headers, body);
      for (const token of [tokens.otherStore, ...jwts]) await send(method, target, bearer(token), body);
      // A token in a wrong place is not repeated either.
      await send(method, `${target}?limit=${tokens.right}&after=${tokens.right}`, bearer(tokens.right), body);
      await send(method, target, { ...bearer(tokens.right), 'If-Match': tokens.right }, { id: tokens.right });
    }
    issuer.setDown(true);
    // The service fetches the key only if it has not fetched too often before.
    const status = await send('GET', '/plants', bearer(await issuer.sign({}, { kid: 'new' })), undefined);
    assert.ok(status === 401 || status === 503);
    await run('token', 'list');
    await run('token', 'list', '--json');
    await run('export');
    await run('backup', directory.at('backup.db'));
    said.push(service.stdout(), service.stderr());
  } finally {
    client.close();
    await service.stop('SIGTERM');
  }
  said.push(service.stdout(), service.stderr());
  assert.match(service.stderr(), /started/);

  const files = readdirSync(directory.path).map((name) => readFileSync(directory.at(name)));
  const hash = hashToken(tokens.right);
  assert.ok(
    files.some((bytes) => bytes.includes(hash)),
    'the search finds what is there',
  );
  // The random part would be enough to use a token. The secret of a JWT is its signature.
  const secrets = [
    ...[...Object.values(tokens), configured].map((token) => token.slice(4, 34)),
    ...jwts.map((jwt) => jwt.split('.')[2] as string),
  ];
  for (const secret of secrets) {
    assert.ok(secret.length >= 30);
    assert.ok(!said.some((text) => text.includes(secret)), 'a token was said');
    assert.ok(!files.some((bytes) => bytes.includes(secret)), 'a token was written');
  }
});
