/** Rules of the feed of events, for a service with `--events`. */
import assert from 'node:assert/strict';
import { cursorIn, openStream, type ReadEvent, readPage, STREAMS } from '../../../test/features/events/reader.ts';
import type { Checks, Plant, World } from './world.ts';

type Made = Pick<ReadEvent, 'type' | 'data'>;

/** The current cursor, in a store that has at least one event. */
async function cursorOfNow(world: World): Promise<string> {
  await world.create();
  return cursorIn((await readPage(world.client, '/events?after=latest')).next);
}

async function changePlants(world: World): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (let i = 0; i < 12; i++) {
    const { id, ...created }: Plant = await world.create({ name: 'Aloe Vera' });
    made.push({ type: 'plant.created', data: { id, ...created } });
    let { name: previousName, tag: previousTag = null }: { name: string; tag?: string | null } = created;
    for (const content of [{ name: 'Agave', tag: 'Green' }, { name: 'Fern' }, { name: 'Moss', tag: '' }]) {
      await world.replace({ id, ...content });
      made.push({ type: 'plant.replaced', data: { id, ...content, previousName, previousTag } });
      ({ name: previousName, tag: previousTag = null } = content);
    }
    if (i % 2 === 1) continue;
    assert.equal((await world.send('DELETE', `/plants/${id}`)).status, 204);
    made.push({ type: 'plant.deleted', data: { id, name: 'Moss', tag: '' } });
  }
  return made;
}

/** Compares what the events tell about the plants, and that no number is missing between them. */
function assertEvents(events: readonly ReadEvent[], made: readonly Made[]): void {
  const brief = (all: readonly Made[]) => all.map(({ type, data }) => ({ type, data: { ...data, id: `${data.id}` } }));
  assert.deepEqual(brief(events), brief(made));
  const first = events[0]?.sequence ?? 0;
  for (const [i, { sequence }] of events.entries()) assert.equal(sequence, first + i);
}

/** Reads pages until Link stays the same. */
async function readAll(world: World, after: string, limit: number): Promise<readonly ReadEvent[]> {
  const read: ReadEvent[] = [];
  for (let cursor = after, before = ''; cursor !== before; ) {
    const { events, next } = await readPage(world.client, `/events?after=${cursor}&limit=${limit}`);
    read.push(...events);
    assert.ok(events.length <= limit, `${events.length} events on a page of ${limit}`);
    [before, cursor] = [cursor, cursorIn(next)];
  }
  return read;
}

/** Reads a stream up to the changes of a last plant. These are two, so that one lost event does not block the check. */
async function readStream(world: World, type: keyof typeof STREAMS, lastEventId: string) {
  const end = await world.create({ name: 'The end' });
  await world.replace({ ...end, tag: 'the end' });
  using stream = await openStream(world.client, '/events', type, { 'Last-Event-ID': lastEventId });
  const text = await stream.until((text) => text.includes(`"id":${end.id}`) && text.endsWith('\n'));
  const events = STREAMS[type](text);
  const at = events.findIndex(({ data }) => BigInt(data.id) === end.id);
  return at === -1 ? events : events.slice(0, at);
}

export const EVENT_CHECKS: Checks = {
  'an event is readable only together with its plant': async (world) => {
    for (let i = 0; i < 12; i++) {
      const { next } = await readPage(world.client, '/events?after=latest&wait=10');
      const plant = world.newPlant();
      const follow = async () => {
        const { events } = await readPage(world.client, next);
        assert.equal(events.length, 1);
        await world.expect(plant);
      };
      const [created] = await Promise.all([world.send('POST', '/plants', { body: plant }), follow()]);
      assert.equal(created.status, 200);
    }
  },
  'each change makes one event, in order, with what was before it, on pages of every size': async (world) => {
    const cursor = await cursorOfNow(world);
    const made = await changePlants(world);
    for (const limit of [250, 7, 2, 1]) assertEvents(await readAll(world, cursor, limit), made);
  },
  'a stream has the same events': async (world) => {
    for (const type of ['text/event-stream', 'application/jsonl'] as const) {
      const cursor = await cursorOfNow(world);
      const made = await changePlants(world);
      assertEvents(await readStream(world, type, cursor), made);
    }
  },
  'Last-Event-ID replaces after': async (world) => {
    const cursor = await cursorOfNow(world);
    for (const query of ['', `?after=${cursor}`, '?after=latest']) {
      const { next } = await readPage(world.client, '/events?after=latest');
      const { id } = await world.create();
      const headers = { 'Last-Event-ID': cursorIn(next) };
      const page = (await world.send('GET', `/events${query}`, { headers })).json() as readonly ReadEvent[];
      assert.deepEqual(
        page.map(({ data }) => BigInt(data.id)),
        [id],
        query,
      );
    }
  },
};
