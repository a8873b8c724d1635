/** Defects of state: the service stores or returns something other than what was written. */
import type { PlantId, StoredPlant, StoreName, VersionedPlant } from '../plants/plant.ts';
import { ALOE, changePlants, create, curl, replace, replaceBodyWriter, request, type TierDefect } from './defect.ts';

/** One of this many consecutive ids is lost. */
const LOST_EACH = 20n;
const STALE_MS = 1_000;
/** The most changed plants that are remembered. No tester changes more. */
const MOST_REMEMBERED = 10_000;

/** Former versions of plants, by store and id. */
function createMemory() {
  const plants = new Map<string, { readonly plant: VersionedPlant; readonly at: number }>();
  const keyOf = (store: StoreName, id: PlantId) => `${store}/${id}`;
  return {
    keep(store: StoreName, plant: VersionedPlant) {
      if (plants.size < MOST_REMEMBERED) plants.set(keyOf(store, plant.id), { plant, at: performance.now() });
    },
    forget: (store: StoreName, id: PlantId) => plants.delete(keyOf(store, id)),
    find: (store: StoreName, id: PlantId) => plants.get(keyOf(store, id)),
  };
}

const AGAVE = '{"id": 12, "name": "Agave"}';
const createPlants = (...ids: readonly number[]) => ids.map((id) => create(`{"id": ${id}, "name": "Aloe vera"}`));
const ASCENDING = 'A page of plants, ascending by id.';
const WALK = 'A plant that exists throughout the walk is neither skipped nor repeated.';
/** Reads the second page by the Link of the first page. */
const secondPage =
  `${curl(...createPlants(1, 2, 3, 4))}; curl -s -i "$PLANTSTORE_URL$(${curl(request('/plants?limit=2'))} | ` +
  `sed -n 's/^Link: <\\(.*\\)>.*/\\1/p')" -H "Authorization: Bearer $PLANTSTORE_TOKEN"`;

export const stateDefects: readonly TierDefect[] = [
  {
    name: 'deleted-plant-readable',
    does: 'GET /plants/{id} still returns a deleted plant.',
    operation: 'getPlant',
    breaks: 'The plant is gone.',
    show: curl(create(ALOE), request('/plants/12', '-X DELETE'), request('/plants/12')),
    clean: '200, then 204, then 404',
    wfc: [113],
    plant: changePlants((plants, count) => {
      const deleted = createMemory();
      return {
        async delete(store, id, expected) {
          const plant = await plants.get(store, id);
          const result = await plants.delete(store, id, expected);
          if (result === 'deleted' && plant !== undefined) deleted.keep(store, plant);
          return result;
        },
        async get(store, id) {
          const plant = await plants.get(store, id);
          const ghost = plant === undefined ? deleted.find(store, id)?.plant : undefined;
          if (ghost !== undefined) count();
          return plant ?? ghost;
        },
      };
    }),
  },
  {
    name: 'refused-create-stored',
    does: 'POST /plants with a taken id returns 400 but replaces the plant.',
    operation: 'createPlant',
    breaks: 'The same id with another name or tag returns 400 / 40009 and changes nothing.',
    show: curl(create(ALOE), create(AGAVE), request('/plants/12')),
    clean: '200, then 400, then 200 with the name Aloe vera',
    wfc: [114],
    plant: changePlants((plants, count) => ({
      async create(store, plant) {
        const result = await plants.create(store, plant);
        if (result !== 'taken') return result;
        await plants.replace(store, plant, undefined);
        count();
        return result;
      },
    })),
  },
  {
    name: 'replay-refused',
    does: 'A repeated POST /plants with the same content is refused.',
    operation: 'createPlant',
    breaks: 'The same id with the same name and tag returns 200 again and stores nothing new.',
    show: curl(create(ALOE), create(ALOE)),
    clean: '200',
    wfc: [207],
    plant: changePlants((plants, count) => ({
      async create(store, plant) {
        const result = await plants.create(store, plant);
        if (result !== 'same') return result;
        count();
        return 'taken';
      },
    })),
  },
  {
    name: 'replace-keeps-the-tag',
    does: 'PUT /plants/{id} without a tag keeps the old tag.',
    operation: 'replacePlant',
    breaks: 'If the body has no tag, the plant has no tag afterwards.',
    show: curl(create(ALOE), replace(12, '{"name": "Aloe vera"}')),
    clean: '200, then 200 without a tag',
    wfc: [117],
    plant: changePlants((plants, count) => ({
      async replace(store, plant, expected) {
        const { tag } = (await plants.get(store, plant.id)) ?? {};
        if (plant.tag !== undefined || tag === undefined) return plants.replace(store, plant, expected);
        const result = await plants.replace(store, { ...plant, tag }, expected);
        if (typeof result !== 'string') count();
        return result;
      },
    })),
  },
  {
    name: 'replace-creates',
    does: 'PUT /plants/{id} creates a missing plant.',
    operation: 'replacePlant',
    breaks: 'It never creates a plant.',
    show: curl(replace(12, '{"name": "Aloe vera"}'), request('/plants/12')),
    clean: '404',
    wfc: [],
    plant: changePlants((plants, count) => ({
      async replace(store, plant, expected) {
        const result = await plants.replace(store, plant, expected);
        if (result !== 'absent') return result;
        await plants.create(store, plant);
        count();
        return (await plants.get(store, plant.id)) ?? result;
      },
    })),
  },
  {
    name: 'if-match-ignored',
    does: 'PUT /plants/{id} ignores If-Match.',
    operation: 'replacePlant',
    breaks: "The request acts only if the plant's current entity tag is in this list",
    show: curl(create(ALOE), replace(12, '{"name": "Agave"}', ` -H 'If-Match: "0"'`)),
    clean: '200, then 412',
    wfc: [],
    cwe: 362,
    plant: changePlants((plants, count) => ({
      async replace(store, plant, expected) {
        const result = await plants.replace(store, plant, expected);
        if (result !== 'stale') return result;
        count();
        return plants.replace(store, plant, undefined);
      },
    })),
  },
  {
    name: 'page-skips',
    does: 'Each page after the first leaves out its first plant.',
    operation: 'listPlants',
    breaks: WALK,
    show: secondPage,
    clean: '200, then 200 with the plants 3 and 4',
    wfc: [],
    cwe: 193,
    plant: changePlants((plants, count) => ({
      async list(store, page) {
        const found = await plants.list(store, page);
        if (page.after === undefined || found.length === 0) return found;
        count();
        return plants.list(store, { ...page, after: found[0]?.id });
      },
    })),
  },
  {
    name: 'page-repeats',
    does: 'Each page after the first begins with the last plant of the page before, if the limit is 2 or more.',
    operation: 'listPlants',
    breaks: WALK,
    show: secondPage,
    clean: '200, then 200 with the plants 3 and 4',
    wfc: [],
    cwe: 193,
    plant: changePlants((plants, count) => ({
      async list(store, page) {
        const { after, limit, tag } = page;
        const border = after === undefined ? undefined : await plants.get(store, after);
        // With pages of one plant a walk would never end. `limit` is one more than the client's.
        if (border === undefined || limit <= 2 || (tag !== undefined && border.tag !== tag)) {
          return plants.list(store, page);
        }
        count();
        const { version: _, ...first } = border;
        return [first, ...(await plants.list(store, { ...page, limit: limit - 1 }))];
      },
    })),
  },
  {
    name: 'list-reversed',
    does: 'Each page is in descending order.',
    operation: 'listPlants',
    breaks: ASCENDING,
    show: curl(...createPlants(1, 2), request('/plants')),
    clean: '200, then 200 with the plants 1 and 2',
    wfc: [],
    plant: replaceBodyWriter<readonly StoredPlant[]>('listPlants', (page, clean) => clean.write(page.toReversed())),
  },
  {
    name: 'ids-ordered-as-text',
    does: 'Each page is ordered as if ids were text: 10 comes before 9.',
    operation: 'listPlants',
    breaks: ASCENDING,
    show: curl(...createPlants(9, 10), request('/plants')),
    clean: '200, then 200 with the plants 9 and 10',
    wfc: [],
    plant: replaceBodyWriter<readonly StoredPlant[]>('listPlants', (page, clean) =>
      clean.write(page.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))),
    ),
  },
  {
    name: 'create-lost',
    does: 'POST /plants returns 200 for the ids 7, 27, 47 and so on, but does not store the plant.',
    operation: 'createPlant',
    breaks: 'The plant is on stable storage.',
    show: curl(...createPlants(7), request('/plants/7')),
    clean: '200',
    wfc: [122],
    plant: changePlants((plants, count) => ({
      async create(store, plant) {
        if (BigInt.asUintN(64, plant.id) % LOST_EACH !== 7n) return plants.create(store, plant);
        count();
        return 'created';
      },
    })),
  },
  {
    name: 'stale-read',
    does: 'GET /plants/{id} returns the old plant for one second after PUT.',
    operation: 'getPlant',
    breaks: 'The plant as it is now, on stable storage.',
    show: curl(create(ALOE), replace(12, '{"name": "Agave"}'), request('/plants/12')),
    clean: '200, then 200, then 200 with the name Agave',
    wfc: [],
    plant: changePlants((plants, count) => {
      const replaced = createMemory();
      return {
        async replace(store, plant, expected) {
          const before = await plants.get(store, plant.id);
          const result = await plants.replace(store, plant, expected);
          if (typeof result !== 'string' && before !== undefined) replaced.keep(store, before);
          return result;
        },
        delete(store, id, expected) {
          replaced.forget(store, id);
          return plants.delete(store, id, expected);
        },
        async get(store, id) {
          const before = replaced.find(store, id);
          const plant = await plants.get(store, id);
          if (plant === undefined || before === undefined) return plant;
          if (performance.now() - before.at < STALE_MS) {
            count();
            return before.plant;
          }
          replaced.forget(store, id);
          return plant;
        },
      };
    }),
  },
];
