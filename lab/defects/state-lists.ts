/** Defects of lists: pages that skip or repeat, wrong filters, and wrong cursors. */
import { isDeepStrictEqual } from 'node:util';
import type { PlantStore } from '../../src/feature.ts';
import { createCursors, PLANT_LISTS } from '../../src/plants/cursor.ts';
import type { PlantId, StoredPlant, StoreName } from '../../src/plants/plant.ts';
import type { Plant, TierDefect } from './defect.ts';
import { ALOE, create, curl, example, linkOf, request } from './examples.ts';
import { changeItems, changePlants, performAgain, type Written } from './planting.ts';
import { remember } from './planting-writes.ts';
import { forEach, forIds } from './variants.ts';

type Query = Parameters<PlantStore['list']>[1];
type Plants = readonly StoredPlant[];
/** Lists plants. `clean` are those that the clean service lists. */
type List = (plants: PlantStore, store: StoreName, query: Query, clean: Plants) => Plants | Promise<Plants>;

/** Lists other plants than the clean service. `limit` is one more than the client's: one more plant means a Link. */
const changeList =
  (list: List) =>
  (plants: PlantStore, count: () => void): Pick<PlantStore, 'list'> => ({
    async list(store, page) {
      const clean = await plants.list(store, page);
      const wrong = await list(plants, store, page, clean);
      const shown = (found: Plants) => [
        found.length,
        ...found.slice(0, page.limit - 1).map(({ id, name, tag }) => [id, name, tag]),
      ];
      if (!isDeepStrictEqual(shown(wrong), shown(clean))) count();
      return wrong;
    },
  });

const isAfter = (id: PlantId, after: PlantId | undefined) => after === undefined || id > after;

/** Lists the plants whose tag matches the tag of the request. */
const filterBy = (matches: (tag: string, wanted: string) => boolean): Plant =>
  changePlants(
    changeList(async (plants, store, { after, tag: wanted, limit }, clean) => {
      if (wanted === undefined) return clean;
      const found: StoredPlant[] = [];
      for await (const some of plants.readAll(store)) {
        found.push(...some.filter(({ id, tag }) => isAfter(id, after) && tag !== undefined && matches(tag, wanted)));
      }
      return found.slice(0, limit);
    }),
  );

const createPlants = (...ids: readonly number[]) => ids.map((id) => create(`{"id": ${id}, "name": "Aloe vera"}`));
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);
const idOf = (plant: Readonly<Record<string, unknown>>) => (plant['id'] as Written).rawJSON;
const ASCENDING = 'A page of plants, ascending by id.';
const WALK = 'A plant that exists throughout the walk is neither skipped nor repeated.';
/** The common part of the defects of pages and of tags. */
const PAGED = {
  operation: 'listPlants',
  breaks: WALK,
  clean: '200, then 200 with the rest of the plants',
  classes: { cwe: 193 },
} as const;
const TAGGED = {
  operation: 'listPlants',
  breaks: 'Only plants with exactly this tag.',
  clean: '200, then 200 with the plant 12',
} as const;
/** Reads the second page by the Link of the first page. */
const secondPage = (limit: number) =>
  `${curl(...createPlants(...upTo(2 * limit)))}; ${curl(request(linkOf(`/plants?limit=${limit}`)))}`;
/** Two plants with tags, and the list of the first tag. */
const filtered = (...tags: readonly [string, string]) =>
  curl(
    ...tags.map((tag, i) => create(`{"id": ${i + 12}, "name": "Aloe vera", "tag": "${tag}"}`)),
    request(`/plants?tag=${encodeURIComponent(tags[0])}`),
  );

export const listDefects: readonly TierDefect[] = [
  forEach('page-skips', [1, 2, 3, 4, 5, 10], (least) => ({
    ...PAGED,
    does:
      'Each page after the first leaves out its first plant' +
      `${least === 1 ? '' : `, if the limit is ${least} or more`}.`,
    show: secondPage(Math.max(least, 2)),
    plant: changePlants(
      changeList((plants, store, page, clean) => {
        const isChosen = page.after !== undefined && page.limit > least && clean.length > 0;
        return isChosen ? plants.list(store, { ...page, after: clean[0]?.id }) : clean;
      }),
    ),
  })),
  // With pages of one plant a walk would never end.
  forEach('page-repeats', [2, 3, 4, 5, 10, 20], (least) => ({
    ...PAGED,
    does: `Each page after the first begins with the last plant of the page before, if the limit is ${least} or more.`,
    show: secondPage(least),
    plant: changePlants(
      changeList(async (plants, store, { after, limit, tag }, clean) => {
        const border = after === undefined || limit <= least ? undefined : await plants.get(store, after);
        const isListed = border !== undefined && (tag === undefined || border.tag === tag);
        return isListed ? [border, ...clean].slice(0, limit) : clean;
      }),
    ),
  })),
  {
    name: 'list-reversed',
    does: 'Each page is in descending order.',
    operation: 'listPlants',
    breaks: ASCENDING,
    ...example('200, then 200 with the plants 1 and 2', ...createPlants(1, 2), request('/plants')),
    plant: changeItems('listPlants', 200, (page) => page.toReversed()),
  },
  {
    name: 'ids-ordered-as-text',
    does: 'Each page is ordered as if ids were text: 10 comes before 9.',
    operation: 'listPlants',
    breaks: ASCENDING,
    ...example('200, then 200 with the plants 9 and 10', ...createPlants(9, 10), request('/plants')),
    plant: changeItems('listPlants', 200, (page) => page.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))),
  },
  forIds('deleted-plant-listed', (ids) => ({
    does: `A list still has deleted plants${ids.where}.`,
    operation: 'listPlants',
    breaks: 'The plant is gone.',
    ...example(
      '200, then 204, then 200 with no plant',
      create(ALOE),
      request('/plants/12', '-X DELETE'),
      request('/plants'),
    ),
    classes: { wfc: [113] },
    plant: remember(ids, 'delete', (plants, deleted, count) =>
      changeList((_, store, { after, tag, limit }, clean) => {
        const isListed = (id: PlantId) => clean.some((plant) => plant.id === id);
        const ghosts = deleted.all(store).filter(({ id, tag: own }) => {
          return isAfter(id, after) && (tag === undefined || own === tag) && !isListed(id);
        });
        return [...clean, ...ghosts].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
      })(plants, count),
    ),
  })),
  {
    name: 'tag-ignored',
    ...TAGGED,
    does: 'A list with a tag has the plants of all tags.',
    show: filtered('succulent', 'climber'),
    plant: changePlants(changeList((plants, store, { after, limit }) => plants.list(store, { after, limit }))),
  },
  forEach<readonly [what: string, other: string, matches: (tag: string, wanted: string) => boolean]>(
    'tag-matched-in-part',
    [
      ['begins with', 'succulent, green', (tag, wanted) => tag.startsWith(wanted)],
      ['ends with', 'green succulent', (tag, wanted) => tag.endsWith(wanted)],
      ['contains', 'a succulent, too', (tag, wanted) => tag.includes(wanted)],
      ['is the beginning of', 'succ', (tag, wanted) => wanted.startsWith(tag)],
      ['has the first three characters of', 'sucker', (tag, wanted) => tag.slice(0, 3) === wanted.slice(0, 3)],
      ['has as many characters as', 'evergreen', (tag, wanted) => tag.length === wanted.length],
    ],
    ([what, other, matches]) => ({
      ...TAGGED,
      does: `A list has each plant whose tag ${what} the tag of the request.`,
      show: filtered('succulent', other),
      plant: filterBy(matches),
    }),
  ),
  forEach<readonly [what: string, other: string, key: (tag: string) => string]>(
    'tag-compared-loosely',
    [
      ['case', 'SUCCULENT', (tag) => tag.toLowerCase()],
      ['white space before and after the tag', ' succulent ', (tag) => tag.trim()],
      ['all white space', 'succu lent', (tag) => tag.replaceAll(/\s/g, '')],
      ['accents', 'succulént', (tag) => tag.normalize('NFD').replaceAll(/\p{M}/gu, '')],
      ['punctuation', 'succu-lent', (tag) => tag.replaceAll(/\p{P}/gu, '')],
      ['the width of letters', 'ｓucculent', (tag) => tag.normalize('NFKC')],
    ],
    ([what, other, key]) => ({
      ...TAGGED,
      does: `A list with a tag ignores ${what}.`,
      show: filtered('succulent', other),
      classes: { cwe: 178 },
      plant: filterBy((tag, wanted) => key(tag) === key(wanted)),
    }),
  ),
  {
    name: 'cursor-of-another-list-accepted',
    does: 'A list accepts every cursor, also a cursor of another list.',
    operation: 'listPlants',
    breaks: 'A cursor that was altered, or that belongs to another list, returns 400 / 40006.',
    show: `${curl(...createPlants(1, 2))}; ${curl(request(`${linkOf('/plants?limit=1')}&tag=climber`))}`,
    clean: '200, then 400',
    classes: { wfc: [206], cwe: 345 },
    plant: (count, context) => {
      const cursors = createCursors(context.engine.cursorKey, PLANT_LISTS);
      const accept = performAgain('listPlants', 40006, ({ after, tag }, { credential }) => {
        const scope = { store: credential?.store ?? '', tag: tag === undefined ? undefined : String(tag) };
        return { after: cursors.encode(scope, Buffer.from(String(after), 'base64url').readBigInt64BE()) };
      });
      return accept(count, context);
    },
  },
  {
    name: 'next-after-the-last-page',
    does: 'A last page that is full has a Link to an empty page.',
    operation: 'listPlants',
    breaks: 'The address of the next page, with rel="next", while there are more plants (RFC 8288).',
    ...example('200, then 200 without a Link', ...createPlants(1, 2), request('/plants?limit=2')),
    classes: { cwe: 193 },
    plant: changePlants(
      changeList((_plants, _store, { limit }, clean) =>
        clean.length === limit - 1 ? [...clean, ...clean.slice(-1)] : clean,
      ),
    ),
  },
];
