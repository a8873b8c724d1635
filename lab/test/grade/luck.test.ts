/** Testers that fail at random must find nothing, and testers that find something must be believed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../src/util/random.ts';
import { briefOrLong } from '../../../test/harness/long.ts';
import { DEFECTS } from '../../defects/index.ts';
import { FAILED, type Finding } from '../../grade/finding.ts';
import type { Run } from '../../grade/grade-tester.ts';
import { scoreOf } from '../../grade/score.ts';
import { runWith } from './runs.ts';

type Random = () => number;

/** The findings of a run. `triggered`: the run triggered its defect. */
type Tester = (random: Random, triggered: boolean) => readonly Finding[];

/** The numbers of found defects in gradings of a tester that triggers each defect in two of three runs. */
function foundIn(gradings: number, tester: Tester, seeds: number): readonly number[] {
  const random = createRandom(seeds);
  const runOf = (name: string | undefined): Run => {
    const triggered = name !== undefined && random() < 2 / 3;
    return runWith(name, triggered ? 1 : 0, ...tester(random, triggered));
  };
  const names = [undefined, undefined, undefined, ...DEFECTS.map(({ name }) => name)];
  return Array.from({ length: gradings }, () => {
    const runs = Array.from({ length: seeds }, () => names.map(runOf)).flat();
    return scoreOf(runs, seeds).defects.filter(({ outcome }) => outcome === 'found').length;
  });
}

const oneIn = (random: Random, times: number) => random() < 1 / times;
const text = (random: Random, of: number): Finding => ({
  text: `finding ${Math.floor(random() * of)}`,
  operation: 'createPlant',
});

const inTest = (random: Random, of: number): Finding => ({
  text: `test ${Math.floor(random() * of)} | failure | ${random()}`,
});

const RANDOM: Readonly<Record<string, Tester>> = {
  'fails in one of eight runs': (random) => (oneIn(random, 8) ? [FAILED] : []),
  'fails in every other run': (random) => (oneIn(random, 2) ? [FAILED] : []),
  'reports a random text in one of eight runs': (random) => (oneIn(random, 8) ? [text(random, 1e9)] : []),
  'reports one of five texts in one of eight runs': (random) => (oneIn(random, 8) ? [text(random, 5)] : []),
  'reports three of a hundred texts in every run': (random) => [1, 2, 3].map(() => text(random, 100)),
  'reports random texts of one of five tests in every run': (random) => [inTest(random, 5)],
};
for (const [does, tester] of Object.entries(RANDOM)) {
  test(`a tester that ${does} finds a defect in at most 1 % of 1,000 gradings`, () => {
    for (const seeds of briefOrLong([2], [5])) {
      const found = foundIn(1_000, tester, seeds).filter((defects) => defects > 0).length;
      assert.ok(found <= 10, `with ${seeds} seeds: in ${found} gradings`);
    }
  });
}

const REAL: Readonly<Record<string, Tester>> = {
  'fails whenever it triggers a defect': (_, triggered) => (triggered ? [FAILED] : []),
  'fails whenever it triggers a defect, and else in one of eight runs': (random, triggered) =>
    triggered || oneIn(random, 8) ? [FAILED] : [],
  'reports each triggered defect, and a random text in every run': (random, triggered) =>
    triggered ? [text(random, 1e9), { text: 'wrong' }] : [text(random, 1e9)],
  'fails a test with random words for each triggered defect, and another test in every run': (random, triggered) => [
    { text: 'known | failure' },
    ...(triggered ? [{ text: `test | failure | ${random()}` }] : []),
  ],
};
for (const [does, tester] of Object.entries(REAL)) {
  test(`a tester that ${does} finds most defects`, () => {
    // On average a defect is triggered by 6.7 of 10 runs.
    for (const found of foundIn(20, tester, 10)) assert.ok(found > DEFECTS.length * 0.9, `${found} defects`);
  });
}

test('with one seed, a tester that fails in one of eight runs never finds a defect', () => {
  const found = foundIn(1_000, (random) => (oneIn(random, 8) ? [FAILED] : []), 1);
  assert.deepEqual(
    found.filter((defects) => defects > 0),
    [],
  );
});
