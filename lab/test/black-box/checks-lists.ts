/** Rules of lists: order, pages, tags and cursors. */
import assert from 'node:assert/strict';
import { type Checks, exact, nextOf, type Plant, type World } from './world.ts';

const idsOf = (plants: readonly Plant[]) => plants.map(({ id }) => id);
const ascending = (a: bigint, b: bigint) => (a < b ? -1 : 1);

/** Creates plants with a tag, and with ids of both signs and of many lengths. Returns their ids in order. */
async function createForList(world: World, tag: string, count: number): Promise<readonly bigint[]> {
  const ids = Array.from({ length: count }, (_, i) => {
    const id = world.newPlant().id * 10n ** BigInt(3 + (i % 5)) + BigInt(i);
    return i % 3 === 0 ? -id : i % 3 === 1 ? id : id + 2n ** 53n;
  });
  for (const id of ids) await world.create({ id, tag });
  return ids.sort(ascending);
}

/** The Link of the first page of a list with one plant on a page. */
async function firstCursor(world: World, tag: string | undefined): Promise<string> {
  const query = new URLSearchParams({ limit: '1', ...(tag !== undefined && { tag }) });
  const next = nextOf(await world.send('GET', `/plants?${query}`)) ?? '';
  return new URLSearchParams(next.split('?')[1]).get('after') ?? '';
}

export const LIST_CHECKS: Checks = {
  'a walk finds every plant once, ascending by id, in pages that are full while there are more plants': async (
    world,
  ) => {
    const tag = `${world.tag} walk`;
    const ids = await createForList(world, tag, 40);
    for (const limit of [1, 2, 3, 4, 5, 7, 10, 20, 39, 40, 41, 1_000]) {
      const pages = await world.walk({ tag, limit: String(limit) });
      const wanted = Array.from({ length: Math.ceil(ids.length / limit) }, (_, i) =>
        ids.slice(i * limit, (i + 1) * limit),
      );
      assert.deepEqual(pages.map(idsOf), wanted, `limit ${limit}`);
    }
  },
  'a walk through the whole store is in order, and no page is too long': async (world) => {
    const plants = await world.createSome();
    for (const limit of [25, 999, 1_000]) {
      const pages = await world.walk({ limit: String(limit) });
      const ids = pages.flatMap(idsOf);
      assert.deepEqual(ids, ids.toSorted(ascending));
      assert.equal(new Set(ids).size, ids.length);
      for (const page of pages.slice(0, -1)) assert.equal(page.length, limit);
      for (const plant of plants)
        assert.deepEqual(
          pages.flat().find(({ id }) => id === plant.id),
          plant,
        );
    }
  },
  'the default limit is 100': async (world) => {
    const tag = `${world.tag} default`;
    const ids = await createForList(world, tag, 101);
    const page = await world.send('GET', `/plants?${new URLSearchParams({ tag })}`);
    assert.deepEqual(idsOf(exact(page) as Plant[]), ids.slice(0, 100));
    const rest = await world.send('GET', nextOf(page) ?? '');
    assert.deepEqual(idsOf(exact(rest) as Plant[]), ids.slice(100));
    for (const limit of [100, 101]) {
      const pages = await world.walk({ tag, limit: String(limit) });
      assert.deepEqual(
        pages.map(({ length }) => length),
        limit === 100 ? [100, 1] : [101],
      );
    }
  },
  'a list with a tag has exactly the plants with this tag': async (world) => {
    const tag = `Röte-1 ${world.tag}`;
    const near = [
      ...[
        tag.toLowerCase(),
        tag.toUpperCase(),
        ` ${tag}`,
        `${tag} `,
        tag.replaceAll(' ', ''),
        tag.replaceAll(' ', '  '),
      ],
      ...[
        tag.normalize('NFD'),
        tag.replace('ö', 'o'),
        tag.replace('-', ''),
        tag.replace('-', '_'),
        tag.replace('1', '１'),
      ],
      ...[`${tag}, x`, `x ${tag}`, `x ${tag} x`, tag.slice(0, 4), tag.slice(0, -1), tag.replace('1', '2'), `${tag}0`],
      ...[`${tag}%`, tag.replace('R', '_'), `${tag}${'x'.repeat(1_000)}`, '*', 'a b', 'é', ''],
    ];
    const plants: Plant[] = [];
    for (const one of [tag, ...near]) plants.push(await world.create({ tag: one, name: world.tag }));
    const { tag: _, ...untagged } = world.newPlant({ name: world.tag });
    await world.send('POST', '/plants', { body: untagged });
    for (const plant of plants) {
      const listed = (await world.walk({ tag: plant.tag ?? '' })).flat();
      for (const other of listed) assert.equal(other.tag, plant.tag);
      assert.deepEqual(
        listed.filter(({ name }) => name === world.tag),
        [plant],
        String(plant.tag),
      );
    }
  },
  'a cursor belongs to one store and one tag': async (world) => {
    const tag = `${world.tag} cursor`;
    for (let i = 0; i < 3; i++) await world.create({ tag });
    for (let i = 0; i < 3; i++) await world.create({ tag: `${tag} 2` });
    const [own, all] = [await firstCursor(world, tag), await firstCursor(world, undefined)];
    const flip = (text: string, at: number) =>
      `${text.slice(0, at)}${text[at] === 'B' ? 'C' : 'B'}${text.slice(at + 1)}`;
    const refused: Record<string, string>[] = [
      { after: own },
      { after: own, tag: `${tag} 2` },
      { after: all, tag },
      { after: flip(own, 31), tag },
      { after: flip(own, 12), tag },
      { after: flip(own, 5), tag },
    ];
    for (const query of refused) await world.refused(40006, 'GET', `/plants?${new URLSearchParams(query)}`);
    const { otherToken: token } = world.tokens;
    await world.refused(40006, 'GET', `/plants?${new URLSearchParams({ after: own, tag })}`, { token });
    const rest = await world.list({ after: own, tag, limit: '1000' });
    assert.equal(rest.length, 2);
  },
};
