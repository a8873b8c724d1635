/** Defects of state: the service stores or returns something other than what was written. */
import { type Plant as Content, MAX_TEXT } from '../../src/plants/plant.ts';
import type { TierDefect } from './defect.ts';
import { ALOE, create, example, replace, request } from './examples.ts';
import { changePlants } from './planting.ts';
import { afterCreate, afterDelete, afterReplace, remember } from './planting-writes.ts';
import { forEach, forIds } from './variants.ts';

/** One of this many consecutive ids is lost. */
const LOST_EACH = 20n;
const STALE_MS = 1_000;
const AGAVE = '{"id": 12, "name": "Agave"}';

export const stateDefects: readonly TierDefect[] = [
  forIds('deleted-plant-readable', (ids) => ({
    does: `GET /plants/{id} still returns a deleted plant${ids.where}.`,
    operation: 'getPlant',
    breaks: 'The plant is gone.',
    ...example('200, then 204, then 404', create(ALOE), request('/plants/12', '-X DELETE'), request('/plants/12')),
    classes: { wfc: [113] },
    plant: remember(ids, 'delete', (plants, deleted, count) => ({
      async get(store, id) {
        const plant = await plants.get(store, id);
        const ghost = plant === undefined ? deleted.find(store, id) : undefined;
        if (ghost !== undefined) count();
        return plant ?? ghost;
      },
    })),
  })),
  forIds('delete-takes-another', (ids) => ({
    does: `DELETE /plants/{id} also deletes the next plant of the list${ids.where}.`,
    operation: 'deletePlant',
    breaks: 'Deletes a plant durably.',
    ...example(
      '200, then 204, then 200',
      create('{"id": 13, "name": "Agave"}'),
      create(ALOE),
      request('/plants/12', '-X DELETE'),
      request('/plants/13'),
    ),
    plant: afterDelete(ids, 'deleted', async (plants, store, id) => {
      const [next] = await plants.list(store, { after: id, limit: 1 });
      const taken = next === undefined ? 'absent' : await plants.delete(store, next.id);
      return taken === 'deleted' ? taken : undefined;
    }),
  })),
  forIds('refused-create-stored', (ids) => ({
    does: `POST /plants with a taken id returns 400 but replaces the plant${ids.where}.`,
    operation: 'createPlant',
    breaks: 'The same id with another name or tag returns 400 / 40009 and changes nothing.',
    ...example('200, then 400, then 200 with the name Aloe vera', create(ALOE), create(AGAVE), request('/plants/12')),
    classes: { wfc: [114] },
    plant: afterCreate(ids, 'taken', async (plants, store, plant) => {
      await plants.replace(store, plant);
      return 'taken';
    }),
  })),
  forIds('replay-refused', (ids) => ({
    does: `A repeated POST /plants with the same content is refused${ids.where}.`,
    operation: 'createPlant',
    breaks: 'The same id with the same name and tag returns 200 again and stores nothing new.',
    ...example('200', create(ALOE), create(ALOE)),
    classes: { wfc: [207] },
    plant: afterCreate(ids, 'same', async () => 'taken'),
  })),
  forIds('replace-keeps-the-tag', (ids) => ({
    does: `PUT /plants/{id} without a tag keeps the old tag${ids.where}.`,
    operation: 'replacePlant',
    breaks: 'If the body has no tag, the plant has no tag afterwards.',
    ...example('200, then 200 without a tag', create(ALOE), replace(12, '{"name": "Aloe vera"}')),
    classes: { wfc: [117] },
    plant: changePlants((plants, count) => ({
      async replace(store, plant, condition) {
        const { tag } = (await plants.get(store, plant.id)) ?? {};
        const isKept = ids.includes(plant.id) && plant.tag === undefined && tag !== undefined;
        const result = await plants.replace(store, isKept ? { ...plant, tag } : plant, condition);
        if (isKept && typeof result !== 'string') count();
        return result;
      },
    })),
  })),
  forIds('replace-creates', (ids) => ({
    does: `PUT /plants/{id} creates a missing plant${ids.where}.`,
    operation: 'replacePlant',
    breaks: 'It never creates a plant.',
    ...example('404', replace(12, '{"name": "Aloe vera"}'), request('/plants/12')),
    plant: afterReplace(ids, 'absent', async (plants, store, plant) => {
      await plants.create(store, plant);
      return plants.get(store, plant.id);
    }),
  })),
  forEach('create-lost', [7, 3, 8, 12, 16, 19], (lost) => ({
    does:
      `POST /plants returns 200 for the ids ${lost}, ${lost + 20}, ${lost + 40} and so on, ` +
      'but does not store the plant.',
    operation: 'createPlant',
    breaks: 'The plant is on stable storage.',
    ...example('200', create(`{"id": ${lost}, "name": "Aloe vera"}`), request(`/plants/${lost}`)),
    classes: { wfc: [122] },
    plant: changePlants((plants, count) => ({
      async create(store, plant) {
        if (BigInt.asUintN(64, plant.id) % LOST_EACH !== BigInt(lost)) return plants.create(store, plant);
        const stored = await plants.get(store, plant.id);
        if (stored?.name !== plant.name || stored.tag !== plant.tag) count();
        return 'created';
      },
    })),
  })),
  forIds('stale-read', (ids) => ({
    does: `GET /plants/{id} returns the old plant for one second after PUT${ids.where}.`,
    operation: 'getPlant',
    breaks: 'The plant as it is now, on stable storage.',
    ...example(
      '200, then 200, then 200 with the name Agave',
      create(ALOE),
      replace(12, '{"name": "Agave"}'),
      request('/plants/12'),
    ),
    plant: remember(ids, 'replace', (plants, replaced, count) => ({
      async get(store, id) {
        const plant = await plants.get(store, id);
        const before = plant === undefined ? undefined : replaced.find(store, id, STALE_MS);
        if (before !== undefined) count();
        return before ?? plant;
      },
    })),
  })),
  forEach<readonly [what: string, change: (text: string) => string]>(
    'text-changed',
    [
      ['without the white space before and after it', (text) => text.trim()],
      ['without the white space before it', (text) => text.trimStart()],
      ['without the white space after it', (text) => text.trimEnd()],
      ['in the normalisation form NFC', (text) => text.normalize('NFC')],
      ['in the normalisation form NFKC', (text) => text.normalize('NFKC')],
      ['with single spaces for white space', (text) => text.replaceAll(/\s+/g, ' ')],
    ],
    ([what, change]) => ({
      does: `POST /plants stores a name or a tag ${what}.`,
      operation: 'createPlant',
      breaks: 'The plant to store, under the id that the client chooses.',
      ...example(
        '200, then 200 with the text as it was sent',
        create('{"id": 12, "name": "  Ae\\u0301rva  ", "tag": "  succulent  "}'),
        request('/plants/12'),
      ),
      plant: changePlants((plants, count) => ({
        async create(store, plant) {
          const { name, tag } = changeTexts(plant, change);
          const isChanged = name !== plant.name || tag !== plant.tag;
          const result = await plants.create(store, { ...plant, name, ...(tag !== undefined && { tag }) });
          if (isChanged && result !== 'taken') count();
          return result;
        },
      })),
    }),
  ),
];

/** Changes texts, but not to longer texts than the store accepts. */
function changeTexts({ name, tag }: Content, change: (text: string) => string) {
  const changed = (text: string) => ([...change(text)].length > MAX_TEXT ? text : change(text));
  return { name: changed(name), tag: tag === undefined ? undefined : changed(tag) };
}
