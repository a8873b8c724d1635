/** Ids, tags and clients of one run of the black box, and the sentences that many checks share. */
import assert from 'node:assert/strict';
import { type Call, type Client, type ClientResponse, createClient, errorOf } from '../../../test/harness/client.ts';

export interface Tokens {
  readonly token: string;
  readonly readToken: string;
  readonly expiredToken: string;
  readonly revokedToken: string;
  /** A token with every scope on another store. */
  readonly otherToken: string;
}

/** Throws if a rule does not hold. */
export type Check = (world: World) => Promise<unknown>;
/** Checks by the rule that each tests, as a sentence. */
export type Checks = Readonly<Record<string, Check>>;

export interface Plant {
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

/** The store may contain plants of other runs. */
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

  /** Creates plants with consecutive ids, so that a rule is tested for ids of every kind. */
  async createSome(count = 12): Promise<readonly Plant[]> {
    return Promise.all(Array.from({ length: count }, () => this.create()));
  }

  async expect({ id, ...content }: Plant): Promise<ClientResponse> {
    const response = await this.send('GET', `/plants/${id}`);
    assert.equal(response.status, 200, response.text);
    assert.deepEqual(exact(response), { id, ...content });
    return response;
  }

  async refused(error: number, method: string, target: string, call?: Call): Promise<void> {
    const response = await this.send(method, target, call);
    assert.equal(errorOf(response), error, `${method} ${target}`);
  }

  /** Replaces a plant and expects its new content. Returns its entity tag. */
  async replace({ id, ...content }: Plant, ifMatch?: string): Promise<string> {
    const headers = { 'If-Match': ifMatch };
    const response = await this.send('PUT', `/plants/${id}`, { headers, body: content });
    assert.equal(response.status, 200, response.text);
    assert.deepEqual(exact(response), { id, ...content });
    return String(response.headers.etag);
  }

  /** The plants of a list with one page. */
  async list(query: Readonly<Record<string, string>>): Promise<readonly Plant[]> {
    const [page = [], ...rest] = await this.walk(query);
    assert.equal(rest.length, 0, 'the list has more than one page');
    return page;
  }

  /** The pages of a list, from first to last. */
  async walk(query: Readonly<Record<string, string>>): Promise<readonly (readonly Plant[])[]> {
    const pages: Plant[][] = [];
    for (let target: string | undefined = `/plants?${new URLSearchParams(query)}`; target !== undefined; ) {
      const response: ClientResponse = await this.send('GET', target);
      assert.equal(response.status, 200, `${target} ${response.text}`);
      pages.push(exact(response) as Plant[]);
      assert.ok(pages.length < 100, 'the walk does not end');
      target = nextOf(response);
    }
    return pages;
  }
}

/** The address of the next page. */
export function nextOf({ headers }: ClientResponse): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(String(headers['link']))?.[1];
}

/** Parses a body with ids as bigint. */
export function exact(response: ClientResponse): unknown {
  return JSON.parse(response.text, (key, value: unknown, { source }) =>
    key === 'id' && typeof value === 'number' ? BigInt(source ?? '') : value,
  );
}
