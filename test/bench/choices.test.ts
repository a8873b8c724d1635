import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readChoices } from '../../bench/choices.ts';

test('a choice that would leave nothing to measure is refused, and what is chosen is taken', () => {
  for (const args of [
    ['--only', 'nothing'],
    ['--servers', 'nobody'],
    ['--disk', 'slwo'],
  ]) {
    assert.throws(() => readChoices(args, {}), TypeError, args.join(' '));
  }
  for (const name of ['BENCH_ROUNDS', 'BENCH_SECONDS']) {
    for (const value of ['three', '0', '-1', '1.5']) {
      assert.throws(() => readChoices([], { [name]: value }), TypeError, `${name}=${value}`);
    }
  }
  const { disks, rounds, seconds } = readChoices(['--full', '--disk', 'slow'], { BENCH_ROUNDS: '5' });
  assert.deepEqual({ disks, rounds, seconds }, { disks: ['slow'], rounds: 5, seconds: 3 });
});
