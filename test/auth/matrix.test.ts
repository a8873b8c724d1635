import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateToken, issueToken } from '../../src/auth/token.ts';
import { scopes as ALL } from '../../src/contract/openapi.generated.ts';
import { type ClientResponse, errorOf } from '../harness/client.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { credentialCases, OPERATIONS, type OperationCase, type TokenSet } from './matrix.ts';

async function issueAll(service: TestService): Promise<TokenSet> {
  const now = Date.now();
  const issue = async (scopes: readonly string[], store = 'default', expiresAt?: number) => {
    const { token, record } = issueToken({ name: undefined, store, scopes, createdAt: now, expiresAt });
    await service.engine.tokens.add(record);
    return { token, hash: record.hash };
  };
  const revoked = await issue(ALL);
  await service.engine.tokens.revoke(revoked.hash, now);
  const tokens = {
    right: (await issue(ALL)).token,
    readOnly: (await issue(['plants:read'])).token,
    writeOnly: (await issue(['plants:write'])).token,
    expired: (await issue(ALL, 'default', now - 1)).token,
    revoked: revoked.token,
    otherStore: (await issue(ALL, 'other')).token,
    unknown: generateToken(),
  };
  await service.restart();
  return tokens;
}

/** Its tag is in the examples of the description. */
const OAK = { id: 1n, name: 'Oak', tag: 'succulent' };

/**
 * Sets the same state before every case: the store `default` has only the plant 1, and `other` is empty. The examples
 * of the description create the plant 12.
 */
async function reset({ engine }: TestService): Promise<void> {
  await engine.plants.delete('default', 12n, undefined);
  await engine.plants.delete('other', 12n, undefined);
  await engine.plants.delete('default', 1n, undefined);
  await engine.plants.create('default', OAK);
}

const plantsOf = ({ engine }: TestService, store: string) => engine.plants.list(store, { limit: 1_000 });

const call = (
  service: TestService,
  { method, target, body }: OperationCase,
  headers: object,
): Promise<ClientResponse> =>
  service.client.send(method, target, {
    token: null,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body,
  });

test('every operation responds to every credential by RFC 6750, and a refused one stores nothing', async (t) => {
  await using service = await startTestService();
  const tokens = await issueAll(service);
  for (const operation of OPERATIONS) {
    for (const { name, headers, expected } of credentialCases(tokens)) {
      await t.test(`${operation.id} with ${name}`, async () => {
        await reset(service);
        const response = await call(service, operation, headers);
        const wanted = expected(operation);
        if (wanted === undefined) {
          assert.equal(response.status, operation.success, response.text);
          assert.equal(response.headers['www-authenticate'], undefined);
          return;
        }
        assert.equal(errorOf(response), wanted.error);
        assert.equal(response.status, Math.floor(wanted.error / 100));
        assert.equal(response.headers['www-authenticate'], wanted.challenge);
        assert.deepEqual(await plantsOf(service, 'default'), [OAK]);
      });
    }
    await t.test(`${operation.id} with a token of another store sees and changes nothing of this store`, async () => {
      await reset(service);
      const response = await call(service, operation, { Authorization: `Bearer ${tokens.otherStore}` });
      assert.equal(response.status, operation.elsewhere, response.text);
      assert.doesNotMatch(response.text, /Oak/);
      assert.deepEqual(await plantsOf(service, 'default'), [OAK]);
    });
  }
});
