/** Rules of credentials and stores: who may do what, and to which plants. */
import assert from 'node:assert/strict';
import type { Call } from '../../../test/harness/client.ts';
import { type Check, type Checks, exact, type Plant, type Tokens, type World } from './world.ts';

/** A request of each operation, to a plant that exists. */
const operations = ({ id }: Plant, world: World): readonly (readonly [string, string, unknown])[] => [
  ['GET', '/plants', undefined],
  ['HEAD', `/plants/${id}`, undefined],
  ['GET', `/plants/${id}`, undefined],
  ['POST', '/plants', world.newPlant()],
  ['PUT', `/plants/${id}`, { name: 'Agave' }],
  ['DELETE', `/plants/${id}`, undefined],
];

/** Calls each operation with a credential that must be refused. Nothing may change. */
const refusedEverywhere =
  (error: number, callOf: (tokens: Tokens) => Call): Check =>
  async (world) => {
    const plant = await world.create();
    for (const [method, target, body] of operations(plant, world)) {
      const call = { ...callOf(world.tokens), body };
      const response = await world.send(method, target, call);
      assert.equal(response.status, Math.floor(error / 100), `${method} ${target}`);
      if (method !== 'HEAD') assert.equal((response.json() as { error: number }).error, error);
    }
    await world.expect(plant);
  };

const altered = (token: string) => `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
const field = (value: string): Call => ({ token: null, headers: { Authorization: value } });

export const CREDENTIAL_CHECKS: Checks = {
  'every operation needs a credential': refusedEverywhere(40100, () => ({ token: null })),
  'an empty credential is none': refusedEverywhere(40100, () => field('Bearer')),
  'another scheme is no credential': refusedEverywhere(40100, ({ token }) => field(`Basic ${token}`)),
  'an unknown token is refused': refusedEverywhere(40101, () => ({ token: 'nobody-has-this-token' })),
  'an altered token is refused': refusedEverywhere(40101, ({ token }) => ({ token: altered(token) })),
  'a revoked token is refused': refusedEverywhere(40101, ({ revokedToken }) => ({ token: revokedToken })),
  'an expired token is refused': refusedEverywhere(40102, ({ expiredToken }) => ({ token: expiredToken })),
  'the scheme Bearer ignores case': async (world) => {
    const { token } = world.tokens;
    for (const scheme of ['bearer', 'BEARER']) {
      assert.equal((await world.send('GET', '/plants?limit=2', field(`${scheme} ${token}`))).status, 200);
    }
  },
  'a token with only the scope plants:read can read and cannot write': async (world) => {
    const plant = await world.create();
    const { readToken: token } = world.tokens;
    for (const [method, target, body] of operations(plant, world)) {
      const { status } = await world.send(method, target, { token, body });
      assert.equal(status, ['GET', 'HEAD'].includes(method) ? 200 : 403, `${method} ${target}`);
    }
    await world.expect(plant);
  },
  'a store sees nothing of another store': async (world) => {
    const { otherToken: token } = world.tokens;
    const tag = `${world.tag} other`;
    const plant = await world.create({ tag }, { token });
    const target = `/plants/${plant.id}`;
    await world.refused(40401, 'GET', target);
    await world.refused(40401, 'PUT', target, { body: { name: 'Agave' } });
    await world.refused(40401, 'DELETE', target);
    assert.deepEqual(await world.list({ tag }), []);
    const own = await world.create({ id: plant.id, name: 'Iris', tag });
    assert.deepEqual(await world.list({ tag }), [own]);
    assert.deepEqual(exact(await world.send('GET', target, { token })), plant);
    assert.equal((await world.send('DELETE', target, { token })).status, 204);
    await world.expect(own);
  },
};
