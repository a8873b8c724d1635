/** Holds the count of every defect against the clean service, request by request. */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { after, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createDirectory } from '../../../test/harness/directory.ts';
import { briefOrLong } from '../../../test/harness/long.ts';
import { DEFECTS, type Defect, defectsOf } from '../../defects/index.ts';
import { compare, record } from './compare.ts';
import type { Result, Task } from './compare-worker.ts';
import { createTemplate } from './walked-service.ts';

const directory = createDirectory();
after(() => directory[Symbol.dispose]());
const recording = await record(await createTemplate(directory.path));

/** Every fifth published defect, or all with their variants of two seeds. */
const tasks = new Map(
  briefOrLong<readonly (number | undefined)[]>([undefined], [undefined, 1, 2]).flatMap((seed) =>
    defectsOf('plants', seed)
      .filter((_, i) => i % briefOrLong(5, 1) === 0)
      .map(({ name, does }): [string, Task] => [`${name}: ${does}`, { title: `${name}: ${does}`, name, seed }]),
  ),
);
const results = new Map([...tasks.keys()].map((title) => [title, Promise.withResolvers<Result>()]));

const threads = availableParallelism();
for (let thread = 0; thread < threads; thread++) {
  const own = [...tasks.values()].filter((_, i) => i % threads === thread);
  const worker = new Worker(new URL('compare-worker.ts', import.meta.url), { workerData: { recording, tasks: own } });
  worker.on('message', (result: Result) => results.get(result.title)?.resolve(result));
  worker.on('error', (error) => {
    for (const { title } of own) results.get(title)?.reject(error);
  });
}

describe('a defect counts exactly the requests with another response or another stored state', () => {
  for (const [title, { promise }] of results) {
    test(title, async () => {
      const { count, error } = await promise;
      assert.equal(error, undefined);
      assert.ok(count > 0, 'no request of the walk triggers the defect');
    });
  }
});

test('a count that is too high or too low is noticed', async () => {
  const defect = DEFECTS.find(({ name }) => name === 'location-missing') as Defect;
  const uncounted: Defect = { ...defect, plant: (_, context) => defect.plant(() => undefined, context) };
  const overcounted: Defect = { ...defect, plant: (count) => ({ observers: [count] }) };
  await assert.rejects(compare(recording, uncounted, 'uncounted'), /0 counted/);
  await assert.rejects(compare(recording, overcounted, 'overcounted'), /1 counted/);
});
