/** Rules of the description that a client can check, each as a sentence and a few requests. */
import assert from 'node:assert/strict';
import { type Call, type Client, type ClientResponse, createClient, errorOf } from '../harness/client.ts';

export interface Tokens {
  readonly token: string;
  readonly readToken: string;
  readonly expiredToken: string;
  readonly revokedToken: string;
  /** A token with every scope on another store. */
  readonly otherToken: string;
}

type Check = (world: World) => Promise<unknown>;

interface Plant {
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

/** Ids, tags and clients of one run. The store may contain plants of other runs. */
export class World {
  readonly client: Client;
  readonly tokens: Tokens;
  /** A tag that only plants of this run have. */
  readonly tag: string;
  #next: bigint;

  /** Each seed chooses other ids. */
  constructor(url: string, tokens: Tokens, seed: number) {
    this.client = createClient(url, tokens.token);
    this.tokens = tokens;
    this.tag = `run ${seed}`;
    this.#next = 1_000_000n + BigInt(seed) * 100_000n;
  }

  send(method: string, target: string, call?: Call): Promise<ClientResponse> {
    return this.client.send(method, target, call);
  }

  newPlant(changes: Partial<Plant> = {}): Plant {
    return { id: this.#next++, name: 'Aloe vera', tag: this.tag, ...changes };
  }

  /** Creates a plant and expects it to be stored. */
  async create(changes?: Partial<Plant>, call?: Call): Promise<Plant> {
    const plant = this.newPlant(changes);
    const { id: _, ...content } = plant;
    const response = await this.send('POST', '/plants', { ...call, body: plant });
    assert.deepEqual([response.status, response.json()], [200, content]);
    return plant;
  }

  async expect({ id, ...content }: Plant): Promise<ClientResponse> {
    const response = await this.send('GET', `/plants/${id}`);
    assert.equal(response.status, 200, response.text);
    assert.deepEqual(exact(response), { id, ...content });
    return response;
  }

  async refused(error: number, method: string, target: string, call?: Call): Promise<void> {
    assert.equal(errorOf(await this.send(method, target, call)), error);
  }

  /** The pages of a list, from first to last. */
  async walk(query: string): Promise<Plant[][]> {
    const pages: Plant[][] = [];
    for (let target: string | undefined = `/plants?${query}`; target !== undefined; ) {
      const response: ClientResponse = await this.send('GET', target);
      pages.push(exact(response) as Plant[]);
      assert.ok(pages.length < 100, 'the walk does not end');
      target = /^<([^>]+)>; rel="next"$/.exec(String(response.headers['link']))?.[1];
    }
    return pages;
  }
}

/** Parses a body with ids as bigint. */
function exact(response: ClientResponse): unknown {
  return JSON.parse(response.text, (key, value: unknown, { source }) =>
    key === 'id' && typeof value === 'number' ? BigInt(source ?? '') : value,
  );
}

const LONGEST = 1_024;
const HIGHEST = 2n ** 63n - 1n;
/** An integer that a double cannot hold. */
const BEYOND = 2n ** 53n + 1n;

const refusedBody =
  (error: number, changes: Record<string, unknown>): Check =>
  (world) =>
    world.refused(error, 'POST', '/plants', { body: { ...world.newPlant(), ...changes } });

const OPERATIONS = [
  ['GET', '/plants', undefined],
  ['POST', '/plants', { id: 1, name: 'Agave' }],
  ['GET', '/plants/1', undefined],
  ['PUT', '/plants/1', { name: 'Agave' }],
  ['DELETE', '/plants/1', undefined],
] as const;

/** Calls each operation with a credential that must be refused. */
const refusedToken =
  (
    error: number,
    tokenOf: (tokens: Tokens) => string | null,
    operations: readonly (typeof OPERATIONS)[number][],
  ): Check =>
  async (world) => {
    for (const [method, target, body] of operations) {
      await world.refused(error, method, target, { token: tokenOf(world.tokens), body });
    }
  };

export const CHECKS: Readonly<Record<string, Check>> = {
  'a created plant can be read at its Location': async (world) => {
    const plant = world.newPlant();
    const { headers } = await world.send('POST', '/plants', { body: plant });
    const response = await world.send('GET', new URL(headers['location'] ?? '', world.client.url).pathname);
    assert.deepEqual(exact(response), plant);
  },
  'a plant without a tag has no member tag': async (world) => {
    const { tag: _, ...plant } = world.newPlant();
    await world.send('POST', '/plants', { body: plant });
    await world.expect(plant);
  },
  'each of many created plants is stored': async (world) => {
    for (let i = 0; i < 20; i++) await world.expect(await world.create());
  },
  'a repeated POST /plants has the same response': async (world) => {
    await world.create(await world.create());
  },
  'POST /plants with a taken id is refused and changes nothing': async (world) => {
    const plant = await world.create();
    await world.refused(40009, 'POST', '/plants', { body: { ...plant, name: 'Agave' } });
    await world.expect(plant);
  },
  'the highest and the lowest id are stored': async (world) => {
    for (const id of [HIGHEST, -HIGHEST - 1n]) {
      await world.send('DELETE', `/plants/${id}`);
      await world.expect(await world.create({ id }));
    }
  },
  'an id beyond 2^53 is exact': async (world) => {
    await world.send('DELETE', `/plants/${BEYOND}`);
    await world.expect(await world.create({ id: BEYOND }));
  },
  'an id beyond int64 is refused': refusedBody(40005, { id: HIGHEST + 1n }),
  'an id that is a string is refused': refusedBody(40005, { id: '12' }),
  'the empty name is stored': async (world) => world.expect(await world.create({ name: '' })),
  'a name of 1,024 characters is stored': async (world) =>
    world.expect(await world.create({ name: 'x'.repeat(LONGEST) })),
  'characters are counted as code points': async (world) =>
    world.expect(await world.create({ name: '🌵'.repeat(LONGEST) })),
  'a name with an emoji is stored': async (world) => world.expect(await world.create({ name: 'Cactus 🌵' })),
  'a longer name is refused': refusedBody(40005, { name: 'x'.repeat(LONGEST + 1) }),
  'a name with an unpaired surrogate is refused': (world) =>
    world.refused(40005, 'POST', '/plants', { body: `{"id": ${world.newPlant().id}, "name": "\\ud800"}` }),
  'a name that is an object is refused': refusedBody(40005, { name: { en: 'Aloe vera' } }),
  'a name that is absent is refused': refusedBody(40005, { name: undefined }),
  'a tag that is null is refused': refusedBody(40005, { tag: null }),
  'another media type is refused': (world) =>
    world.refused(40002, 'POST', '/plants', { body: world.newPlant(), headers: { 'Content-Type': 'text/plain' } }),

  'a page has as many plants as its limit while there are more': async (world) => {
    for (let i = 0; i < 3; i++) await world.create();
    const [page = []] = await world.walk(new URLSearchParams({ tag: world.tag, limit: '2' }).toString());
    assert.equal(page.length, 2);
  },
  'a walk finds every plant once, ascending by id': async (world) => {
    const tag = `${world.tag} walk`;
    const made = [10_007n, 9_007n, -10_007n, -9_007n, BEYOND + 1n].map((id) => id + 20n * BigInt(world.tag.length));
    for (const id of made) {
      await world.send('DELETE', `/plants/${id}`);
      await world.create({ id, tag });
    }
    const sorted = made.toSorted((a, b) => (a < b ? -1 : 1));
    for (const limit of [2, 4, 1_000]) {
      const pages = await world.walk(`${new URLSearchParams({ tag, limit: String(limit) })}`);
      assert.deepEqual(
        pages.flat().map(({ id }) => id),
        sorted,
        `limit ${limit}`,
      );
    }
  },
  'the highest limit is 1,000': async (world) => {
    assert.equal((await world.send('GET', '/plants?limit=1000')).status, 200);
    for (const limit of [0, 1_001]) await world.refused(40006, 'GET', `/plants?limit=${limit}`);
  },

  'GET returns a replaced plant in its new version': async (world) => {
    const { id } = await world.create();
    const plant = { id, name: 'Agave', tag: 'succulent' };
    const response = await world.send('PUT', `/plants/${id}`, { body: { name: 'Agave', tag: 'succulent' } });
    assert.deepEqual(exact(response), plant);
    await world.expect(plant);
  },
  'PUT without a tag removes the tag': async (world) => {
    const { id, name } = await world.create();
    await world.send('PUT', `/plants/${id}`, { body: { name } });
    await world.expect({ id, name });
  },
  'PUT never creates a plant': async (world) => {
    const { id } = world.newPlant();
    await world.refused(40401, 'PUT', `/plants/${id}`, { body: { name: 'Agave' } });
    await world.refused(40401, 'GET', `/plants/${id}`);
  },
  'If-Match lets only the current version be changed': async (world) => {
    const plant = await world.create();
    const { headers } = await world.expect(plant);
    const target = `/plants/${plant.id}`;
    const stale = { 'If-Match': '"stale"' };
    await world.refused(41200, 'PUT', target, { headers: stale, body: { name: 'Agave' } });
    await world.refused(41200, 'DELETE', target, { headers: stale });
    await world.expect(plant);
    const current = { 'If-Match': headers.etag };
    assert.equal((await world.send('PUT', target, { headers: current, body: { name: 'Agave' } })).status, 200);
  },
  'If-None-Match returns 304 only for the current version': async (world) => {
    const plant = await world.create();
    const { headers } = await world.expect(plant);
    const read = () => world.send('GET', `/plants/${plant.id}`, { headers: { 'If-None-Match': headers.etag } });
    assert.equal((await read()).status, 304);
    await world.send('PUT', `/plants/${plant.id}`, { body: { name: 'Agave' } });
    assert.equal((await read()).status, 200);
  },
  'a deleted plant is gone': async (world) => {
    const { id } = await world.create();
    assert.equal((await world.send('DELETE', `/plants/${id}`)).status, 204);
    await world.refused(40401, 'GET', `/plants/${id}`);
    await world.refused(40401, 'DELETE', `/plants/${id}`);
  },

  'every operation needs a credential': refusedToken(40100, () => null, OPERATIONS),
  'an unknown token is refused': refusedToken(40101, () => 'nobody-has-this-token', OPERATIONS),
  'a revoked token is refused': refusedToken(40101, ({ revokedToken }) => revokedToken, OPERATIONS),
  'an expired token is refused': refusedToken(40102, ({ expiredToken }) => expiredToken, OPERATIONS),
  'a token with only the scope plants:read cannot write': refusedToken(
    40300,
    ({ readToken }) => readToken,
    OPERATIONS.filter(([method]) => method !== 'GET'),
  ),
  'plants of another store cannot be seen': async (world) => {
    const { otherToken: token } = world.tokens;
    const { id, tag = '' } = await world.create({ tag: `${world.tag} other` }, { token });
    await world.refused(40401, 'GET', `/plants/${id}`);
    await world.refused(40401, 'DELETE', `/plants/${id}`);
    assert.deepEqual(await world.walk(new URLSearchParams({ tag }).toString()), [[]]);
  },

  'a method that is not allowed gets the allowed methods': async (world) => {
    const response = await world.send('PATCH', '/plants');
    assert.deepEqual([errorOf(response), response.headers.allow], [40500, 'GET, HEAD, OPTIONS, POST']);
  },
  'an unknown path is refused': (world) => world.refused(40400, 'GET', '/trees'),
  'HEAD is GET without the body': async (world) => {
    const { id } = await world.create();
    for (const target of [`/plants/${id}`, '/plants?limit=1']) {
      const [get, head] = [await world.send('GET', target), await world.send('HEAD', target)];
      const fields = ({ status, headers }: ClientResponse) => [
        status,
        headers.etag,
        headers['content-type'],
        headers['content-length'],
      ];
      assert.deepEqual(fields(head), fields(get), target);
      assert.equal(head.text, '');
    }
  },
  // The last check, since it uses up the rate limit of a token.
  'a request beyond the rate limit is refused with Retry-After': async (world) => {
    const { readToken: token } = world.tokens;
    const { headers } = await world.send('GET', '/plants?limit=1', { token });
    const quota = Number(/q=(\d+)/.exec(String(headers['ratelimit-policy']))?.[1] ?? 0);
    if (quota === 0) return;
    let left = quota;
    let refused: ClientResponse | undefined;
    const send = async () => {
      while (left-- > 0 && refused === undefined) {
        const response = await world.send('GET', '/plants?limit=1', { token });
        if (response.status === 429) refused = response;
      }
    };
    await Promise.all(Array.from({ length: 32 }, send));
    assert.ok(refused !== undefined, `${quota} requests, and one more, were not refused`);
    assert.ok(Number(refused.headers['retry-after']) > 0);
  },
};
