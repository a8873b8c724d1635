/** Tests GET /plants: order, paging, filter, cursors and the link to the next page. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredPlant } from '../../src/plants/plant.ts';
import type { PlantStore } from '../../src/plants/plant-store.ts';
import { type Client, type ClientResponse, errorOf } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('listPlants', () => {
  test('returns an empty array without Link for an empty store, and names every wrong parameter', async () => {
    await using service = await startTestService();
    const response = await service.client.send('GET', '/plants');
    assert.equal(response.text, '[]');
    assert.equal(response.headers['link'], undefined);
    const wrong = await service.client.send('GET', '/plants?limit=0&tag=%00&after=x');
    const { message } = wrong.json() as { message: string };
    for (const name of ['limit', 'tag', 'after']) assert.match(message, new RegExp(`\\b${name}\\b`));
  });

  test('walks the whole int64 range in pages of any size, including both ends', async () => {
    await using service = await startTestService();
    const ids = [MIN, MIN + 1n, -(2n ** 53n) - 1n, -2n, -1n, 0n, 1n, 2n ** 53n + 1n, MAX - 1n, MAX];
    for (const id of ids.toReversed()) await service.client.send('POST', '/plants', { body: { id, name: `${id}` } });
    for (let limit = 1; limit <= ids.length + 1; limit++) {
      const pages = await walk(service.client, `/plants?limit=${limit}`);
      assert.deepEqual(pages.flat(), ids, `in pages of ${limit}`);
      assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
      assert.equal(pages.length, Math.ceil(ids.length / limit), 'a page that is just full has no next one');
    }
  });

  test('returns 100 plants per page by default and up to 1,000 on request', async () => {
    await using service = await startTestService();
    await fill(service.engine.plants, 1_001, (i) => ({ id: BigInt(i), name: 'p' }));
    for (const [query, length] of [
      ['', 100],
      ['?limit=1', 1],
      ['?limit=1000', 1_000],
      ['?page=2', 100],
    ] as const) {
      const response = await service.client.send('GET', `/plants${query}`);
      assert.equal((response.json() as unknown[]).length, length, query);
    }
    const wrong = '0 1001 -1  ten 1.0 01 %2B1 1e2 99999999999999999999 1&limit=2 %ff'.split(' ');
    for (const limit of wrong) await refused(service.client, `/plants?limit=${limit}`, 'limit');
    // A name may be percent-encoded like a value (RFC 3986, 6.2.2.2).
    for (const again of ['0', '1&limit=2']) await refused(service.client, `/plants?l%69mit=${again}`, 'limit');
  });

  test('filters by exactly the given tag, with any characters', async () => {
    await using service = await startTestService();
    const tags = ['a', 'A', 'a ', '', 'a+b', 'a&b=c', '%61', '\u{1fab4} "é"', 'x'.repeat(1_024)];
    // Tags that a collation or a pattern could confuse with others.
    tags.push('\u00e1', 'a\u0301', 'ß', 'ss', '\t\n', "'; --", '%', '_', '\uffff', '\u{1fab4}'.repeat(1_024));
    for (const [i, tag] of tags.entries()) {
      for (const id of [i, i + 100]) await service.client.send('POST', '/plants', { body: { id, name: 'p', tag } });
    }
    await service.client.send('POST', '/plants', { body: { id: 50, name: 'without' } });
    for (const [i, tag] of tags.entries()) {
      const start = `/plants?limit=1&${new URLSearchParams({ tag })}`;
      assert.deepEqual(await walk(service.client, start), [[BigInt(i)], [BigInt(i + 100)]], JSON.stringify(tag));
    }
    assert.deepEqual(await walk(service.client, '/plants?tag=a%20'), [[2n, 102n]]);
    assert.deepEqual(await walk(service.client, '/plants?tag=none'), [[]]);
    for (const tag of ['%00', '%ff', '%', '%ed%a0%80', 'x'.repeat(1_025), 'a&tag=a']) {
      await refused(service.client, `/plants?tag=${tag}`, 'tag');
    }
  });

  test('links to the next page with a relative address, or with the base URL if one is set', async () => {
    for (const [baseUrl, start] of [
      [undefined, '/plants?'],
      ['https://plants.example', 'https://plants.example/plants?'],
      ['https://plants.example/a/b', 'https://plants.example/a/b/plants?'],
    ] as const) {
      await using service = await startTestService(baseUrl === undefined ? {} : { baseUrl });
      for (const id of [1, 2]) await service.client.send('POST', '/plants', { body: { id, name: 'p', tag: 't' } });
      const { link } = (await service.client.send('GET', '/plants?limit=1&tag=t')).headers;
      const [, target = ''] = /^<([^>]*)>; rel="next"$/.exec(String(link)) ?? [];
      assert.ok(target.startsWith(start), `${link}`);
      const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
      const { pathname, search } = new URL(target, 'http://here');
      const next = await service.client.send('GET', pathname.slice(prefix.length) + search);
      assert.deepEqual(next.json(), [{ id: 2, name: 'p', tag: 't' }]);
    }
  });

  test('neither skips nor repeats a plant that exists throughout a walk of 100,000 plants', async () => {
    await using service = await startTestService();
    const { plants } = service.engine;
    // Every third plant stays. Its neighbours are created and deleted before, after and on the page of the cursor.
    const STEP = 2n ** 45n;
    const idAt = (i: number) => (BigInt(i) - 150_000n) * STEP;
    await fill(plants, 100_000, (i) => ({ id: idAt(3 * i), name: 'stays' }));
    await fill(plants, 10_000, (i) => ({ id: idAt(30 * i + 1), name: 'goes' }));
    let churned = 0;
    const churn = async (page: number) => {
      const near = Array.from({ length: 50 }, (_, i) => page * 3_000 + i * 60);
      const far = Array.from({ length: 50 }, (_, i) => (page * 7_919 + i * 1_873) % 10_000).map((i) => i * 30);
      const outcomes = await Promise.all(
        [...near, ...far].flatMap((at) => [
          plants.delete('default', idAt(at + 1), undefined),
          plants.create('default', { id: idAt(at + 2), name: 'comes' }),
        ]),
      );
      churned += outcomes.filter((outcome) => outcome === 'deleted' || outcome === 'created').length;
    };
    const seen: bigint[] = [];
    let target: string | undefined = '/plants?limit=1000';
    for (let page = 0; target !== undefined; page++) {
      const churning = churn(page);
      const response: ClientResponse = await service.client.send('GET', target);
      await churning;
      for (const { id } of response.json() as { id: number | bigint }[]) seen.push(BigInt(id));
      target = nextOf(response);
    }
    assert.ok(churned > 5_000, `${churned} came and went`);
    assert.ok(
      seen.every((id, i) => i === 0 || id > (seen[i - 1] ?? id)),
      'ascending, so nothing is repeated',
    );
    const stays = new Set(Array.from({ length: 100_000 }, (_, i) => idAt(3 * i)));
    const stayed = seen.filter((id) => stays.has(id));
    assert.equal(stayed.length, 100_000, 'each once, since the walk ascends');
  });
});

describe('a cursor', () => {
  test('stays valid across restarts', async () => {
    await using service = await startTestService();
    await fill(service.engine.plants, 3, (i) => ({ id: BigInt(i), name: 'p', tag: 't' }));
    const next = nextOf(await service.client.send('GET', '/plants?limit=1&tag=t')) ?? '';
    await service.restart();
    const [plant] = (await service.client.send('GET', next)).json() as StoredPlant[];
    assert.equal(plant?.id, 1);
  });

  test('returns 400 / 40006 if any character is altered, or if it is cut, lengthened, doubled or swapped', async () => {
    await using service = await startTestService();
    const cursor = await cursorOf(service);
    await accepted(service.client, `/plants?after=${cursor}`);
    // Not only characters of base64url: also base64, padding, a space, U+0000 and a non-ASCII letter, percent-encoded.
    const others = [...BASE64URL, '%2B', '%2F', '%3D', '%20', '%00', '%C3%A9'];
    const altered = [...cursor].flatMap((was, at) =>
      others.filter((other) => other !== was).map((other) => cursor.slice(0, at) + other + cursor.slice(at + 1)),
    );
    assert.ok(altered.length > 32 * 63);
    altered.push('', cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, `${cursor}&after=${cursor}`);
    altered.push(cursor.slice(16) + cursor.slice(0, 16), 'A'.repeat(32));
    for (let i = 0; i < altered.length; i += 100) {
      const batch = altered.slice(i, i + 100);
      await Promise.all(batch.map((other) => refused(service.client, `/plants?after=${other}`, 'after')));
    }
  });

  test('works only with the tag that it was made for, with any limit', async () => {
    await using service = await startTestService();
    const { client } = service;
    const cursors = new Map<string, string>();
    for (const tag of [undefined, 't', 'T', '', 'null']) {
      for (const i of [1, 2]) {
        const id = 10 * cursors.size + i;
        await client.send('POST', '/plants', { body: { id, name: 'p', ...(tag !== undefined && { tag }) } });
      }
      const filter = tag === undefined ? '' : `&tag=${tag}`;
      const next = new URL(nextOf(await client.send('GET', `/plants?limit=1${filter}`)) ?? '', 'http://here');
      cursors.set(filter, next.searchParams.get('after') ?? '');
    }
    for (const [madeFor, cursor] of cursors) {
      for (const filter of cursors.keys()) {
        const target = `/plants?limit=7&after=${cursor}${filter}`;
        await (filter === madeFor ? accepted(client, target) : refused(client, target, 'after'));
      }
    }
  });

  test('returns 400 / 40006 in another database', async () => {
    await using service = await startTestService();
    await using other = await startTestService();
    const cursor = await cursorOf(service);
    await cursorOf(other);
    await accepted(service.client, `/plants?after=${cursor}`);
    await refused(other.client, `/plants?after=${cursor}`, 'after');
  });
});

/** Creates the plants of two pages and returns the cursor of the second page. */
async function cursorOf({ client }: { readonly client: Client }): Promise<string> {
  for (const id of [-5, 5]) await client.send('POST', '/plants', { body: { id, name: 'p' } });
  const next = nextOf(await client.send('GET', '/plants?limit=1')) ?? '';
  const cursor = new URL(next, 'http://here').searchParams.get('after') ?? '';
  assert.match(cursor, /^[A-Za-z0-9_-]{32}$/);
  return cursor;
}

async function accepted(client: Client, target: string): Promise<void> {
  assert.equal((await client.send('GET', target)).status, 200, target);
}

async function refused(client: Client, target: string, parameter: string): Promise<void> {
  const response = await client.send('GET', target);
  const { message } = response.json() as { message: string };
  assert.equal(errorOf(response), 40006, target);
  assert.match(message, new RegExp(`\\b${parameter}\\b`), target);
}

/** Returns the target of rel="next", or undefined on the last page. */
function nextOf(response: ClientResponse): string | undefined {
  assert.equal(response.status, 200, response.text.slice(0, 300));
  const { link } = response.headers;
  return link === undefined ? undefined : /^<(\/[^>]*)>; rel="next"$/.exec(String(link))?.[1];
}

/** Follows the links from a first target and returns the ids of every page. */
async function walk(client: Client, start: string): Promise<bigint[][]> {
  const pages: bigint[][] = [];
  for (let target: string | undefined = start; target !== undefined; ) {
    const response: ClientResponse = await client.send('GET', target);
    pages.push((response.json() as { id: number | bigint }[]).map(({ id }) => BigInt(id)));
    target = nextOf(response);
  }
  return pages;
}

/** Creates many plants. */
async function fill(plants: PlantStore, count: number, plant: (i: number) => StoredPlant): Promise<void> {
  for (let from = 0; from < count; from += 5_000) {
    const many = Array.from({ length: Math.min(5_000, count - from) }, (_, i) => plant(from + i));
    await plants.createMany('default', many);
  }
}
