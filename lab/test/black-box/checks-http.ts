/** Rules of HTTP that the description states for every path. */
import assert from 'node:assert/strict';
import { type ClientResponse, errorOf } from '../../../test/harness/client.ts';
import type { Checks, World } from './world.ts';

const ALLOWED = {
  '/plants': ['GET', 'HEAD', 'OPTIONS', 'POST'],
  '/plants/{id}': ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PUT'],
};
const METHODS = ['PATCH', 'PUT', 'POST', 'DELETE'];
const OVERRIDES = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];

/** Sends a method that is not allowed, and expects nothing to change. */
async function notAllowed(
  world: World,
  method: string,
  path: keyof typeof ALLOWED,
  headers: Record<string, string> = {},
) {
  const plant = await world.create();
  const other = world.newPlant();
  const target = path.replace('{id}', String(plant.id));
  const response = await world.send(method, target, { headers, body: other });
  assert.equal(errorOf(response), 40500, `${method} ${path} ${JSON.stringify(headers)}`);
  assert.equal(response.headers.allow, ALLOWED[path].join(', '));
  await world.expect(plant);
  await world.refused(40401, 'GET', `/plants/${other.id}`);
}

/** What HEAD and GET have in common. */
const common = ({ status, headers }: ClientResponse) => {
  const { date: _, 'x-request-id': _id, ratelimit: _limit, ...fields } = headers;
  return [status, fields];
};

export const HTTP_CHECKS: Checks = {
  'a method that is not allowed gets the allowed methods, and does nothing': async (world) => {
    for (const path of ['/plants', '/plants/{id}'] as const) {
      for (const method of METHODS.filter((one) => !ALLOWED[path].includes(one))) await notAllowed(world, method, path);
    }
  },
  'a header field does not change the method': async (world) => {
    for (const name of OVERRIDES) {
      for (const method of ['DELETE', 'PUT', 'PATCH']) {
        await notAllowed(world, 'POST', '/plants/{id}', { [name]: method });
        const plant = await world.create({}, { headers: { [name]: method } });
        assert.equal((await world.send('GET', `/plants/${plant.id}`, { headers: { [name]: method } })).status, 200);
        await world.expect(plant);
      }
    }
  },
  'OPTIONS returns the allowed methods': async (world) => {
    for (const [path, methods] of Object.entries(ALLOWED)) {
      const { status, headers } = await world.send('OPTIONS', path.replace('{id}', '1'), { token: null });
      assert.deepEqual([status, headers.allow], [204, methods.join(', ')]);
    }
  },
  'a path that does not exist is refused, with every method': async (world) => {
    for (const target of ['/trees', '/plants/', '/plants/1/', '/plants/1/name', '/Plants', '/v1/plants']) {
      for (const method of ['GET', ...METHODS]) await world.refused(40400, method, target);
    }
  },
  'HEAD is GET without the body': async (world) => {
    const { id } = await world.create({ name: 'Aloë 🌵' });
    const { id: absent } = world.newPlant();
    for (const target of [`/plants/${id}`, '/plants?limit=1', `/plants/${absent}`, '/plants?limit=0', '/trees']) {
      const [get, head] = [await world.send('GET', target), await world.send('HEAD', target)];
      assert.deepEqual(common(head), common(get), target);
      assert.equal(head.text, '');
    }
  },
  'a response has the X-Request-Id of its request': async (world) => {
    const { id } = await world.create();
    for (const target of [`/plants/${id}`, '/plants?limit=1', '/plants?limit=0', '/trees']) {
      for (const given of ['a', `${'A9._~-'.repeat(21)}xy`]) {
        const { headers } = await world.send('GET', target, { headers: { 'X-Request-Id': given } });
        assert.equal(headers['x-request-id'], given, target);
      }
    }
  },
  // The last check, since it uses up the rate limit of a token.
  'a request beyond the rate limit is refused': async (world) => {
    const { readToken: token } = world.tokens;
    const { headers } = await world.send('GET', '/plants?limit=1', { token });
    const quota = Number(/q=(\d+)/.exec(String(headers['ratelimit-policy']))?.[1] ?? 0);
    // A slow machine may not use up the limit in its window. Then nothing is left only once for each window.
    let left = 2 * quota;
    let isRefused = false;
    let withNothingLeft = 0;
    const send = async () => {
      while (left-- > 0 && !isRefused && withNothingLeft < 10) {
        const { status, headers } = await world.send('GET', '/plants?limit=1', { token });
        if (status === 429) isRefused = true;
        else if (/r=0;/.test(String(headers['ratelimit']))) withNothingLeft++;
      }
    };
    await Promise.all(Array.from({ length: 32 }, send));
    assert.ok(withNothingLeft < 10, 'requests are accepted with nothing left of the rate limit');
  },
};
