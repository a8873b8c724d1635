/** `plantstore grade compare` and `plantstore grade page`, which read results. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusedWith, runHere } from '../../../test/harness/process.ts';
import { compareResults } from '../../commands/grade-compare.ts';
import { pageOf } from '../../commands/grade-page.ts';
import { DEFECTS } from '../../defects/index.ts';
import { writeInPlace } from './prepared-grading.ts';
import { resultOf } from './results.ts';

test('two sets of seeds of one tester have no significant difference', async () => {
  const [one, other] = [
    await resultOf((place, round) => (place + round) % 7 > 2),
    await resultOf((place, round) => (place + 3 * round) % 7 > 2),
  ];
  const { p, a12, defects } = compareResults(one, other);
  assert.ok(p > 0.05 && a12 > 0.2 && a12 < 0.8, `${p} ${a12}`);
  assert.ok(defects.every((defect) => defect.p > 0.05));
});

test('a tester with a check switched off has a significant difference, and the lost defects are listed', async () => {
  const all = await resultOf((place) => place < 20, { name: 'all checks' });
  const fewer = await resultOf((place) => place < 15, { name: 'fewer checks' });
  const { u, p, a12, defects, notes } = compareResults(all, fewer);
  assert.deepEqual([u, a12, notes], [25, 1, []]);
  // All of the 252 ways to divide ten runs are equally probable, and two are as extreme.
  assert.ok(Math.abs(p - 2 / 252) < 1e-12);
  const lost = DEFECTS.slice(15, 20).map(({ name }) => name);
  assert.deepEqual(defects.map(({ name }) => name).sort(), lost.sort());
  assert.deepEqual(defects[0]?.runs, [5, 0]);
  const files = [
    writeInPlace('a.json', JSON.stringify(all, null, 2)),
    writeInPlace('b.json', JSON.stringify(fewer, null, 2)),
  ];
  const { code, stdout } = await runHere(['grade', 'compare', ...files]);
  assert.equal(code, 0);
  assert.match(stdout, /^A +all checks 1\.0 +5 +20 20 20 20 20$/m);
  assert.match(stdout, /^The difference is significant: p is 0\.0079\. A notices more defects\.$/m);
  assert.match(stdout, new RegExp(`^${lost[0]} +5 of 5 +0 of 5 +0\\.0079$`, 'm'));
  const json = await runHere(['grade', 'compare', '--json', ...files]);
  assert.equal(JSON.parse(json.stdout).a12, 1);
});

test('results that differ in more than the tester are compared with a note, where both have a defect', async () => {
  const all = await resultOf(() => true);
  const few = await resultOf(() => true, { variants: 7, plants: 'plants.csv', defects: DEFECTS.slice(0, 10) });
  const { notes, noticed } = compareResults(all, few);
  assert.deepEqual(noticed[0], [10, 10, 10, 10, 10]);
  assert.match(notes.join('\n'), /^The variants of the defects differ, .*\nThe files of --plants differ, /);
  assert.ok(notes.at(-1)?.startsWith('Only the defects that both gradings contain are compared (10).'));
});

test('grade compare refuses results without a common defect, and explains p if there are too few seeds', async () => {
  const file = async (name: string, from: number, to: number) => {
    const result = await resultOf(() => true, { seeds: 3, defects: DEFECTS.slice(from, to) });
    return writeInPlace(name, JSON.stringify(result, null, 2));
  };
  const [one, other] = [await file('one.json', 0, 5), await file('other.json', 5, 10)];
  const none = /nothing can be compared: the results have no defect in common/;
  refusedWith(await runHere(['grade', 'compare', one, other]), 1, none);
  const { code, stdout } = await runHere(['grade', 'compare', one, one]);
  assert.equal(code, 0);
  assert.match(stdout, /^With so few seeds, p is never below 0\.10\. Use at least four seeds each\.$/m);
});

test('grade compare needs two files, and grade page at least one', async () => {
  refusedWith(
    await runHere(['grade', 'compare', 'a.json']),
    2,
    /the command takes two files; see plantstore grade compare/,
  );
  refusedWith(await runHere(['grade', 'page']), 2, /the command takes at least one file; see plantstore grade page/);
});

test('the page escapes texts, and shows a defect that one grading does not contain', async () => {
  const all = await resultOf(() => true, { name: '<b>"all"</b>', command: ['a', '&', '<script>'] });
  const few = await resultOf(() => true, { defects: DEFECTS.slice(0, 3) });
  const page = pageOf([all, few]);
  assert.ok(!page.includes('<b>') && !page.includes('<script>'));
  assert.match(page, /&lt;b&gt;&quot;all&quot;&lt;\/b&gt; 1\.0/);
  assert.match(page, /<code>a &amp; &lt;script&gt;<\/code>/);
  assert.equal(page.split('<td class="none">not graded</td>').length - 1, DEFECTS.length - 3);
  assert.match(
    page,
    /● found<small>in 5 of 5 runs, named in 0<\/small><small>shown in request 3, after 0\.03 s<\/small>/,
  );
});

test('a comparison prints the texts of its files without characters that a terminal obeys', async () => {
  const hostile = '\u001b]0;PWNED\u0007\u009b2J\nforged\u202e';
  const renamed = async (noticed: number) => {
    const result = await resultOf((place) => place < noticed);
    const defects = result.defects.map((defect, i) => (i === 0 ? { ...defect, name: hostile } : defect));
    return { ...result, tester: { ...result.tester, name: hostile, version: hostile }, defects };
  };
  const [one, other] = [await renamed(1), await renamed(0)];
  const files = [
    writeInPlace('hostile-a.json', JSON.stringify(one, null, 2)),
    writeInPlace('b.json', JSON.stringify(other, null, 2)),
  ];
  for (const json of [[], ['--json']]) {
    const { code, stdout } = await runHere(['grade', 'compare', ...json, ...files]);
    assert.equal(code, 0);
    assert.match(stdout, /PWNED/);
    assert.doesNotMatch(stdout, /^forged|(?!\n)[\p{Cc}\p{Bidi_Control}]/mu);
  }
});

test('a result file with markup or other values for numbers and lists is refused, and never a page', async () => {
  const result = JSON.stringify(await resultOf((place) => place < 2), null, 2);
  const script = '<script>alert(1)</script>';
  // Each line: the reason, the path to the member, and its value. Without a value the member is removed.
  const wrong: readonly (readonly [why: string, path: string, value?: unknown])[] = [
    ['options seeds must be integer', 'options.seeds', script],
    ['options seeds must be <= 100', 'options.seeds', 2 ** 40],
    ['defects 0 noticed of must be <= 100', 'defects.0.noticed.of', 2 ** 40],
    ['options variants must be integer', 'options.variants', script],
    ['tiers 0 schema planted must be integer', 'tiers.0.schema.planted', script],
    ['runs 0 counts requests must be integer', 'runs.0.counts.requests', script],
    ['falseAlarms must be array', 'falseAlarms', { length: script }],
    ['groundless must be array', 'groundless', { length: script }],
    ['short must be array', 'short', { length: script }],
    ['defects 0 noticed runs must be integer', 'defects.0.noticed.runs', script],
    ['environment cores must be integer', 'environment.cores', script],
    ["must have required property 'runs'", 'runs'],
  ];
  // Other programs may write the file again, with other spaces.
  assert.equal(
    (await runHere(['grade', 'page', writeInPlace('again.json', JSON.stringify(JSON.parse(result)))])).code,
    0,
  );
  for (const [why, place, value] of wrong) {
    const file = JSON.parse(result);
    const names = place.split('.');
    const parent = names.slice(0, -1).reduce((at, name) => at[name], file);
    parent[names.at(-1) ?? ''] = value;
    const path = writeInPlace('wrong.json', JSON.stringify(file));
    const line = new RegExp(`is not a result of plantstore grade --json: ${why}\\n`);
    refusedWith(await runHere(['grade', 'page', path]), 1, line);
    refusedWith(await runHere(['grade', 'compare', path, path]), 1, line);
  }
});

test('results with different numbers of seeds are compared without an alarm', async () => {
  // With one seed every defect is noticed in all runs or in none, so many shares differ.
  const one = await resultOf((place) => place < 10, { seeds: 1, controls: 3 });
  const five = await resultOf((place, round) => place < 10 && round <= 3);
  const { notes, noticed, defects } = compareResults(one, five);
  assert.deepEqual(noticed, [[10], [10, 10, 10, 0, 0]]);
  assert.deepEqual(notes, ['The numbers of seeds differ. Each p allows for this.']);
  assert.deepEqual([defects[0]?.runs, defects[0]?.of, defects[0]?.p], [[1, 3], [1, 5], 1]);
  const files = [one, five].map((result, i) => writeInPlace(`seeds-${i}.json`, JSON.stringify(result)));
  const { code, stdout } = await runHere(['grade', 'compare', ...files]);
  assert.equal(code, 0);
  assert.match(stdout, /^Luck can explain each of these rows: no p is below 0\.05\.$/m);
  assert.doesNotMatch(stdout, /other causes than the tester/);
  // The control: other controls for each seed are a note.
  const more = await resultOf((place) => place < 10, { controls: 20 });
  assert.match(compareResults(five, more).notes.join(), /numbers of controls for each seed differ/);
  assert.doesNotMatch((await runHere(['grade', 'compare', ...files.toReversed()])).stdout, /controls/);
});
