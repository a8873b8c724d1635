/** The score that follows from the runs of a tester. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFECTS } from '../../src/defects/index.ts';
import type { Run } from '../../src/grade/grade.ts';
import { scoreOf } from '../../src/grade/score.ts';

let runs = 0;

/** A run with the defect of this name, or a control. */
function run(name: string | undefined, triggered: number, ...findings: string[]): Run {
  runs += 1;
  return {
    name: `run-${runs}`,
    defect: DEFECTS.find((defect) => defect.name === name),
    seed: 1,
    startedAt: new Date(),
    milliseconds: 1,
    exitCode: 0,
    signal: null,
    timedOut: false,
    findings,
    unread: undefined,
    counts: { candidates: triggered, triggered, requests: 10, succeeded: 5, credentials: 10 },
    output: '',
  };
}

const outcomesOf = (all: readonly Run[], seeds = 1) =>
  scoreOf(all, seeds).defects.map(({ defect, outcome }) => `${defect.name}: ${outcome}`);

test('a defect is found by a finding that no control has, in a run that triggered the defect', () => {
  const controls = [run(undefined, 0, 'a'), run(undefined, 0, 'b')];
  assert.deepEqual(outcomesOf([...controls, run('tag-null', 1, 'a', 'c')]), ['tag-null: found']);
  assert.deepEqual(outcomesOf([...controls, run('tag-null', 1, 'a', 'b')]), ['tag-null: missed']);
  assert.deepEqual(outcomesOf([...controls, run('tag-null', 0)]), ['tag-null: not triggered']);
});

test('a finding does not count if a run that did not trigger its defect also has it', () => {
  const all = [
    run(undefined, 0),
    run('tag-null', 1, 'flaky'),
    run('etag-missing', 0, 'flaky'),
    run('id-as-text', 1, 'a'),
  ];
  assert.deepEqual(outcomesOf(all), ['tag-null: missed', 'etag-missing: not triggered', 'id-as-text: found']);
});

test('a control after the run counts too', () => {
  assert.deepEqual(outcomesOf([run(undefined, 0), run('tag-null', 1, 'a'), run(undefined, 0, 'a')]), [
    'tag-null: missed',
  ]);
});

test('one seed is enough, but the finding must be in a run that triggered the defect', () => {
  const control = run(undefined, 0);
  assert.deepEqual(outcomesOf([control, run('tag-null', 1), run('tag-null', 2, 'a')], 2), ['tag-null: found']);
  assert.deepEqual(outcomesOf([control, run('tag-null', 1), run('tag-null', 0, 'a')], 2), ['tag-null: missed']);
});

test('a defect has no outcome before all its runs are done', () => {
  assert.deepEqual(outcomesOf([run(undefined, 0), run('tag-null', 1, 'a')], 2), []);
});

test('a finding on a control, or in a run that did not trigger its defect, is a false alarm', () => {
  const [alarm, quiet] = [run(undefined, 0, 'a'), run(undefined, 0)];
  const [groundless, known] = [run('tag-null', 0, 'b'), run('etag-missing', 0, 'a')];
  const score = scoreOf([alarm, quiet, groundless, known], 1);
  assert.deepEqual(score.falseAlarms, [alarm]);
  assert.deepEqual(score.groundless, [groundless]);
});

test('judged by the exit code, a control that fails is a false alarm and hides no defect', () => {
  const failed = 'the command failed';
  const all = [run(undefined, 0), run('tag-null', 1, failed), run(undefined, 0, failed)];
  assert.deepEqual(outcomesOf(all), ['tag-null: found']);
  assert.equal(scoreOf(all, 1).falseAlarms.length, 1);
});

test('the score is split by tier, and by whether the violated rule is in a schema or only in prose', () => {
  const names = ['tag-null', 'etag-missing', 'created-201', 'error-of-another-status', 'replace-creates'];
  const [found, missed, notTriggered, prose, state] = names;
  const score = scoreOf(
    [run(undefined, 0), run(found, 1, 'a'), run(missed, 1), run(notTriggered, 0), run(prose, 1, 'a'), run(state, 3)],
    1,
  );
  const none = { found: 0, triggered: 0, planted: 0 };
  assert.deepEqual(score.tiers, [
    { tier: 'schema', schema: { found: 1, triggered: 2, planted: 3 }, prose: { found: 1, triggered: 1, planted: 1 } },
    { tier: 'state', schema: none, prose: { found: 0, triggered: 1, planted: 1 } },
  ]);
});
