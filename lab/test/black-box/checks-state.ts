/** Rules of state: what was written is what is read, now and under every condition. */
import assert from 'node:assert/strict';
import { errorOf } from '../../../test/harness/client.ts';
import { type Checks, exact, type Plant, type World } from './world.ts';

/** Runs a check with plants whose ids are consecutive. */
async function forSome(world: World, check: (plant: Plant) => Promise<void>): Promise<void> {
  await Promise.all((await world.createSome()).map(check));
}

/** The status of a request with a condition. */
async function statusOf(world: World, method: string, { id }: Plant, field: string, tags: string, body?: unknown) {
  return (await world.send(method, `/plants/${id}`, { headers: { [field]: tags }, body })).status;
}

export const STATE_CHECKS: Checks = {
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
    const [listed] = (await world.walk({ limit: '1000' })).flat().filter(({ id }) => id === plant.id);
    assert.deepEqual(listed, plant);
  },
  'each of many created plants is stored': async (world) => {
    for (const plant of await world.createSome(20)) await world.expect(plant);
  },
  'a repeated POST /plants has the same response, and a taken id changes nothing': (world) =>
    forSome(world, async (plant) => {
      const { tag: _, ...untagged } = plant;
      await world.create(plant);
      for (const other of [{ ...plant, name: 'Agave' }, { ...plant, tag: 'other' }, untagged, { ...plant, tag: '' }]) {
        await world.refused(40009, 'POST', '/plants', { body: other });
      }
      await world.expect(plant);
      await world.create(plant);
    }),
  'GET returns a replaced plant in its new version': (world) =>
    forSome(world, async ({ id, name }) => {
      await world.replace({ id, name: 'Agave', tag: 'succulent' });
      await world.expect({ id, name: 'Agave', tag: 'succulent' });
      await world.replace({ id, name });
      await world.expect({ id, name });
    }),
  'PUT and DELETE need a plant, and PUT never creates one': (world) =>
    forSome(world, async () => {
      const { id } = world.newPlant();
      for (const headers of [{}, { 'If-Match': '*' }, { 'If-Match': '"a"' }]) {
        await world.refused(40401, 'PUT', `/plants/${id}`, { headers, body: { name: 'Agave' } });
        await world.refused(40401, 'DELETE', `/plants/${id}`, { headers });
      }
      await world.refused(40401, 'GET', `/plants/${id}`);
    }),
  'a deleted plant is gone, its id is free, and other plants remain': async (world) => {
    const before = await world.create();
    const some = await world.createSome();
    const after = await world.create();
    for (const plant of some.toReversed()) {
      assert.equal((await world.send('DELETE', `/plants/${plant.id}`)).status, 204);
      for (const method of ['GET', 'DELETE']) await world.refused(40401, method, `/plants/${plant.id}`);
      await world.refused(40401, 'PUT', `/plants/${plant.id}`, { body: { name: 'Agave' } });
      for (const other of [before, after]) await world.expect(other);
    }
    const deleted = new Set(some.map(({ id }) => id));
    const listed = await world.walk({ tag: world.tag, limit: '1000' });
    assert.ok(!listed.flat().some(({ id }) => deleted.has(id)));
    for (const { id } of some) {
      await world.create({ id, name: 'Agave' });
      await world.expect({ id, name: 'Agave', tag: world.tag });
    }
  },
  'an entity tag is that of the current version': (world) =>
    forSome(world, async (plant) => {
      const first = String((await world.expect(plant)).headers.etag);
      assert.equal((await world.expect(plant)).headers.etag, first);
      const second = await world.replace({ ...plant, name: 'Agave' });
      assert.notEqual(second, first);
      const { headers } = await world.expect({ ...plant, name: 'Agave' });
      assert.equal(headers.etag, second);
      const third = await world.replace(plant);
      assert.ok(third !== second && third !== first);
    }),
  'If-None-Match returns 304 only for the current version': (world) =>
    forSome(world, async (plant) => {
      const former = String((await world.expect(plant)).headers.etag);
      const tag = await world.replace({ ...plant, name: 'Agave' });
      for (const tags of [former, '"a"', `"a", ${former}`, `W/${former}`]) {
        assert.equal(await statusOf(world, 'GET', plant, 'If-None-Match', tags), 200, tags);
      }
      for (const tags of [tag, '*', `W/${tag}`, `"a", ${tag}`, `${tag},"a"`]) {
        assert.equal(await statusOf(world, 'GET', plant, 'If-None-Match', tags), 304, tags);
      }
    }),
  'If-Match lets only the current version be changed': (world) =>
    forSome(world, async (plant) => {
      const former = String((await world.expect(plant)).headers.etag);
      const tag = await world.replace({ ...plant, name: 'Agave' });
      for (const tags of [former, '"a"', `W/${tag}`, `"a", ${former}`]) {
        assert.equal(await statusOf(world, 'PUT', plant, 'If-Match', tags, { name: 'Iris' }), 412, tags);
        assert.equal(await statusOf(world, 'DELETE', plant, 'If-Match', tags), 412, tags);
      }
      assert.equal((await world.expect({ ...plant, name: 'Agave' })).headers.etag, tag);
      await world.replace(plant, `"a", ${tag}`);
      const again = await world.send('PUT', `/plants/${plant.id}`, {
        headers: { 'If-Match': tag },
        body: { name: 'Iris' },
      });
      assert.equal(errorOf(again), 41200);
      const current = String((await world.expect(plant)).headers.etag);
      assert.equal(await statusOf(world, 'DELETE', plant, 'If-Match', tag), 412);
      await world.replace({ ...plant, name: 'Agave' }, '*');
      assert.equal(await statusOf(world, 'DELETE', plant, 'If-Match', current), 412);
      const last = String((await world.expect({ ...plant, name: 'Agave' })).headers.etag);
      assert.equal(await statusOf(world, 'DELETE', plant, 'If-Match', last), 204);
    }),
};
