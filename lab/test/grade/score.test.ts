/** The score that follows from the runs of a tester. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFECTS } from '../../defects/index.ts';
import { FAILED, type Finding } from '../../grade/finding.ts';
import type { Run } from '../../grade/grade-tester.ts';
import { scoreOf } from '../../grade/score.ts';
import { runs, runWith } from './runs.ts';

const outcomesOf = (all: readonly Run[], seeds = 1) =>
  scoreOf(all, seeds).defects.map(({ defect, outcome }) => `${defect.name}: ${outcome}`);

test('a defect is noticed by a finding that no control has, in a run that triggered the defect', () => {
  const controls = [runWith(undefined, 0, 'a'), runWith(undefined, 0, 'b')];
  assert.deepEqual(outcomesOf([...controls, runWith('absent-tag-returned', 1, 'a', 'c')]), [
    'absent-tag-returned: noticed',
  ]);
  assert.deepEqual(outcomesOf([...controls, runWith('absent-tag-returned', 1, 'a', 'b')]), [
    'absent-tag-returned: missed',
  ]);
  assert.deepEqual(outcomesOf([...controls, runWith('absent-tag-returned', 0)]), [
    'absent-tag-returned: not triggered',
  ]);
});

test('a finding does not count if a run that did not trigger its defect also has it', () => {
  const all = [
    runWith(undefined, 0),
    runWith('absent-tag-returned', 1, 'flaky'),
    runWith('strong-etag-missing', 0, 'flaky'),
    runWith('member-of-another-type', 1, 'a'),
  ];
  assert.deepEqual(outcomesOf(all), [
    'absent-tag-returned: missed',
    'strong-etag-missing: not triggered',
    'member-of-another-type: noticed',
  ]);
});

test('a defect is not missed on the ground of runs without a readable report, which are evidence for nothing', () => {
  const lost = (one: Run): Run => ({ ...one, unread: 'it is empty' });
  const control = runWith(undefined, 0);
  assert.deepEqual(outcomesOf([control, lost(runWith('absent-tag-returned', 1))]), ['absent-tag-returned: not judged']);
  assert.deepEqual(outcomesOf([control, lost(runWith('absent-tag-returned', 0))]), [
    'absent-tag-returned: not triggered',
  ]);
  assert.deepEqual(
    outcomesOf([control, lost(runWith('absent-tag-returned', 1)), runWith('absent-tag-returned', 1)], 2),
    ['absent-tag-returned: missed'],
  );
  const noticing = [lost(runWith('absent-tag-returned', 1)), ...runs(4, 'absent-tag-returned', 1, 'a')];
  const [{ noticed } = assert.fail()] = scoreOf([...runs(15, undefined, 0), ...noticing], 5).defects;
  assert.deepEqual([noticed.runs, noticed.of], [4, 4]);
  const unread = Array.from({ length: 15 }, () => lost(runWith(undefined, 0)));
  assert.deepEqual(outcomesOf([...unread, ...runs(5, 'absent-tag-returned', 1, 'a')], 5), [
    'absent-tag-returned: noticed',
  ]);
});

test('with one seed, other random words of a test that fails in every clean run are no new finding', () => {
  const words = ['Aloe', 'Fern', 'Rose'].map((word) => `known | failure | expected: <${word}>`);
  const controls = words.map((finding) => runWith(undefined, 0, finding, 'stable | failure | a'));
  const outcomeOf = (...findings: readonly string[]) =>
    outcomesOf([...controls, runWith('absent-tag-returned', 1, ...findings)]);
  assert.deepEqual(outcomeOf('known | failure | expected: <Lily>'), ['absent-tag-returned: missed']);
  assert.deepEqual(outcomeOf('stable | failure | b'), ['absent-tag-returned: noticed']);
  assert.deepEqual(outcomeOf('known too | failure | a'), ['absent-tag-returned: noticed']);
});

test('a text that several runs of a defect share is found, also of a test whose words are random', () => {
  const clean = Array.from({ length: 15 }, (_, i) => runWith(undefined, 0, `known | failure | word ${i}`));
  const triggered = runs(5, 'absent-tag-returned', 1, 'known | failure | got status 500');
  assert.deepEqual(outcomesOf([...clean, ...triggered], 5), ['absent-tag-returned: found']);
});

test('a control after the run counts too', () => {
  assert.deepEqual(
    outcomesOf([runWith(undefined, 0), runWith('absent-tag-returned', 1, 'a'), runWith(undefined, 0, 'a')]),
    ['absent-tag-returned: missed'],
  );
});

test('one noticing run of two is enough to be noticed, but it must have triggered the defect', () => {
  const control = runWith(undefined, 0);
  assert.deepEqual(
    outcomesOf([control, runWith('absent-tag-returned', 1), runWith('absent-tag-returned', 2, 'a')], 2),
    ['absent-tag-returned: noticed'],
  );
  assert.deepEqual(
    outcomesOf([control, runWith('absent-tag-returned', 1), runWith('absent-tag-returned', 0, 'a')], 2),
    ['absent-tag-returned: missed'],
  );
});

test('a defect that all five runs notice by the same finding is found', () => {
  const score = scoreOf([...runs(15, undefined, 0), ...runs(5, 'absent-tag-returned', 1, 'a')], 5);
  const [{ outcome, noticed } = assert.fail()] = score.defects;
  assert.equal(outcome, 'found');
  assert.deepEqual(
    [noticed.runs, noticed.of, noticed.interval.map((share) => share.toFixed(3))],
    [5, 5, ['0.566', '1.000']],
  );
  assert.ok(Math.abs(noticed.chance - 1 / 15_504) < 1e-9);
});

test('a defect that all five runs notice by different findings is found only if clean runs have no findings', () => {
  const noticing = ['a', 'b', 'c', 'd', 'e'].map((finding) => runWith('absent-tag-returned', 1, finding));
  assert.deepEqual(outcomesOf([...runs(15, undefined, 0), ...noticing], 5), ['absent-tag-returned: found']);
  const controls = [...runs(14, undefined, 0), runWith(undefined, 0, 'x')];
  assert.deepEqual(outcomesOf([...controls, ...noticing], 5), ['absent-tag-returned: noticed']);
});

test('a finding of a clean run is no evidence, even if it is much more frequent in the runs of a defect', () => {
  const controls = [...runs(14, undefined, 0), runWith(undefined, 0, 'a')];
  const triggered = [
    ...runs(3, 'absent-tag-returned', 1, 'a'),
    runWith('absent-tag-returned', 1, 'a', 'b'),
    runWith('absent-tag-returned', 1),
  ];
  assert.deepEqual(outcomesOf([...controls, ...triggered], 5), ['absent-tag-returned: noticed']);
});

test('three of five noticing runs are not enough with 15 controls, but are with 100 clean runs', () => {
  const noticing = [...runs(3, 'absent-tag-returned', 1, 'a'), ...runs(2, 'absent-tag-returned', 1)];
  const missed = DEFECTS.filter(({ name }) => name !== 'absent-tag-returned').flatMap(({ name }) => runs(5, name, 1));
  assert.equal(outcomesOf([...runs(15, undefined, 0), ...noticing, ...missed], 5)[0], 'absent-tag-returned: noticed');
  assert.equal(outcomesOf([...runs(100, undefined, 0), ...noticing, ...missed], 5)[0], 'absent-tag-returned: found');
});

test('with one seed nothing is found, however many controls there are', () => {
  const all = [...runs(100, undefined, 0), ...DEFECTS.map(({ name }) => runWith(name, 1, 'a'))];
  assert.ok(scoreOf(all, 1).defects.every(({ outcome }) => outcome === 'noticed'));
});

test('a defect has no outcome before all its runs are done', () => {
  assert.deepEqual(outcomesOf([runWith(undefined, 0), runWith('absent-tag-returned', 1, 'a')], 2), []);
});

test('a finding on a control, or in a run that did not trigger its defect, is a false alarm', () => {
  const [alarm, quiet] = [runWith(undefined, 0, 'a'), runWith(undefined, 0)];
  const [groundless, known] = [runWith('absent-tag-returned', 0, 'b'), runWith('strong-etag-missing', 0, 'a')];
  const score = scoreOf([alarm, quiet, groundless, known], 1);
  assert.deepEqual(score.falseAlarms, [alarm]);
  assert.deepEqual(score.groundless, [groundless]);
});

test('judged by the exit code, the rate of failures counts: a control that fails hides no defect', () => {
  const once = [runWith(undefined, 0), runWith('absent-tag-returned', 1, FAILED), runWith(undefined, 0, FAILED)];
  assert.deepEqual(outcomesOf(once), ['absent-tag-returned: noticed']);
  assert.equal(scoreOf(once, 1).falseAlarms.length, 1);
  const failing = runs(5, 'absent-tag-returned', 1, FAILED);
  const controls = (failed: number) => [...runs(failed, undefined, 0, FAILED), ...runs(15 - failed, undefined, 0)];
  assert.deepEqual(outcomesOf([...controls(1), ...failing], 5), ['absent-tag-returned: found']);
  assert.deepEqual(outcomesOf([...controls(7), ...failing], 5), ['absent-tag-returned: noticed']);
});

test('a defect is named by a finding for its operation and, if the finding has a code, for its class', () => {
  const control = runWith(undefined, 0);
  // absent-tag-returned is a defect of getPlant with the code 200.
  const named: readonly (readonly [Finding | string, number])[] = [
    ['a', 0],
    [FAILED, 0],
    [{ text: 'a', operation: 'getPlant' }, 1],
    [{ text: 'a', operation: 'getPlant', code: 200 }, 1],
    [{ text: 'a', operation: 'getPlant', code: 100 }, 0],
    [{ text: 'a', operation: 'listPlants', code: 200 }, 0],
    [{ text: 'a', code: 200 }, 0],
  ];
  const { operation, wfc } = DEFECTS.find(({ name }) => name === 'absent-tag-returned') ?? assert.fail();
  assert.deepEqual([operation, wfc.includes(200), wfc.includes(100)], ['getPlant', true, false]);
  for (const [finding, expected] of named) {
    const [{ named } = assert.fail()] = scoreOf([control, runWith('absent-tag-returned', 1, finding)], 1).defects;
    assert.equal(named.runs, expected, JSON.stringify(finding));
  }
});

test('a defect of any operation is named by a finding about any operation', () => {
  const defect = DEFECTS.find(({ operation }) => operation === 'any') ?? assert.fail();
  const namedBy = (finding: Finding) =>
    scoreOf([runWith(undefined, 0), runWith(defect.name, 1, finding)], 1).defects[0]?.named.runs;
  assert.equal(namedBy({ text: 'a', operation: 'listPlants' }), 1);
  assert.equal(namedBy({ text: 'a' }), 0);
});

test('a run with less than half of the requests of every control is marked as short', () => {
  const sent = (one: Run, requests: number): Run => ({ ...one, counts: { ...one.counts, requests } });
  const short = sent(runWith('absent-tag-returned', 1), 49);
  const all = [
    sent(runWith(undefined, 0), 100),
    sent(runWith(undefined, 0), 200),
    short,
    sent(runWith('strong-etag-missing', 1), 50),
  ];
  assert.deepEqual(scoreOf(all, 1).short, [short]);
});

test('the score is split by tier, and by whether the violated rule is in a schema or only in prose', () => {
  const names = [
    'absent-tag-returned',
    'strong-etag-missing',
    'success-status-undeclared',
    'error-of-another-status',
    'replace-creates',
  ];
  const [noticed, missed, notTriggered, prose, state] = names;
  const named: Finding = { text: 'a', operation: 'getPlant' };
  const all = [
    runWith(noticed, 1, named),
    runWith(missed, 1),
    runWith(notTriggered, 0),
    runWith(prose, 1, 'a'),
    runWith(state, 3),
  ];
  const none = { planted: 0, triggered: 0, noticed: 0, found: 0, named: 0 };
  assert.deepEqual(scoreOf([runWith(undefined, 0), ...all], 1).tiers, [
    {
      tier: 'schema',
      schema: { planted: 3, triggered: 2, noticed: 1, found: 0, named: 1 },
      prose: { planted: 1, triggered: 1, noticed: 1, found: 0, named: 0 },
    },
    { tier: 'state', schema: none, prose: { ...none, planted: 1, triggered: 1 } },
  ]);
});
