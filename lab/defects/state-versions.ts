/** Defects of versions: entity tags and conditions do not identify the current version of a plant. */
import type { TierDefect } from './defect.ts';
import { ALOE, create, curl, replace, request } from './examples.ts';
import { changePlants, performAgain } from './planting.ts';
import { afterDelete, afterReplace } from './planting-writes.ts';
import { forIds } from './variants.ts';

const CONDITION = "The request acts only if the plant's current entity tag is in this list";
const AGAVE = '{"name": "Agave"}';
/** What the defects of conditions have in common: a lost update. */
const COMMON = { operation: 'replacePlant', breaks: CONDITION, clean: '200, then 412', classes: { cwe: 362 } } as const;
/** Keeps the entity tag of a response in a variable. */
const keepTag = (request: string) => `tag=$(${curl(request)} | sed -n 's/^ETag: \\(".*"\\).*/\\1/p')`;
const IF_TAG = ' -H "If-Match: $tag"';
const createAndTag = `${curl(create(ALOE))}; ${keepTag(request('/plants/12'))}`;

const unlessStale = <Result>(result: Result | 'stale') => (result === 'stale' ? undefined : result);

export const versionDefects: readonly TierDefect[] = [
  forIds('if-match-ignored', (ids) => ({
    ...COMMON,
    does: `PUT /plants/{id} ignores If-Match${ids.where}.`,
    show: curl(create(ALOE), replace(12, AGAVE, ` -H 'If-Match: "0"'`)),
    plant: afterReplace(ids, 'stale', async (plants, store, plant, { except }) =>
      unlessStale(await plants.replace(store, plant, { except })),
    ),
  })),
  forIds('if-match-ignored-on-delete', (ids) => ({
    ...COMMON,
    does: `DELETE /plants/{id} ignores If-Match${ids.where}.`,
    operation: 'deletePlant',
    show: curl(create(ALOE), request('/plants/12', `-X DELETE -H 'If-Match: "0"'`)),
    plant: afterDelete(ids, 'stale', async (plants, store, id, { except }) =>
      unlessStale(await plants.delete(store, id, { except })),
    ),
  })),
  forIds('previous-etag-accepted', (ids) => ({
    ...COMMON,
    does: `If-Match also accepts the version before, so that two equal replaces succeed${ids.where}.`,
    show: `${createAndTag}; ${curl(replace(12, AGAVE, IF_TAG), replace(12, '{"name": "Iris"}', IF_TAG))}`,
    plant: afterReplace(ids, 'stale', async (plants, store, plant, { only = [], except }) => {
      const next = only.map((version) => version + 1n);
      return unlessStale(await plants.replace(store, plant, { only: next, except }));
    }),
  })),
  {
    name: 'weak-tag-accepted',
    does: 'PUT /plants/{id} accepts a weak entity tag in If-Match.',
    operation: 'replacePlant',
    breaks: 'If-Match makes the request conditional (RFC 9110, section 13.1.1).',
    show: `${createAndTag}; ${curl(replace(12, AGAVE, ' -H "If-Match: W/$tag"'))}`,
    clean: '200, then 412',
    plant: performAgain('replacePlant', 41200, (parameters) => {
      return { 'If-Match': String(parameters['If-Match']).replaceAll('W/"', '"') };
    }),
  },
  forIds('etag-unchanged', (ids) => ({
    does: `PUT /plants/{id} returns the entity tag of the version before${ids.where}.`,
    operation: 'replacePlant',
    breaks: 'The strong entity tag of this version of the plant (RFC 9110, section 8.8.3).',
    show:
      `${curl(create(ALOE))}; ${keepTag(replace(12, AGAVE))}; ` +
      `${curl(request('/plants/12', '-H "If-None-Match: $tag"'))}`,
    clean: '200, then 304',
    classes: { cwe: 362 },
    plant: changePlants((plants, count) => ({
      async replace(store, plant, condition) {
        const result = await plants.replace(store, plant, condition);
        if (typeof result === 'string' || !ids.includes(plant.id)) return result;
        count();
        return { ...result, version: result.version - 1n };
      },
    })),
  })),
];
