/** The result file of `plantstore grade`, and the demands that CI jobs make on it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { refusedWith, runHere } from '../../../test/harness/process.ts';
import { minimums, shortfalls } from '../../commands/grade-demands.ts';
import { readResult } from '../../commands/grade-result.ts';
import { recordText } from '../../commands/record-text.ts';
import { place, prepare, QUICK, tester, writeInPlace } from './prepared-grading.ts';
import { resultOf } from './results.ts';

const ajv = new Ajv2020({
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
  allowUnionTypes: true,
});

/** The errors by the schema with every object closed, so that a member that it does not describe is an error. */
const validate = (() => {
  const schema: object = JSON.parse(
    readFileSync('contract/grade-result.schema.json', 'utf8').replaceAll(
      '"type": "object"',
      '"type": "object", "additionalProperties": false',
    ),
  );
  const check = ajv.compile(schema);
  return (result: unknown) => (check(result) ? [] : (check.errors ?? []));
})();

test('a result has exactly the members that its schema describes, and the environment', async () => {
  const html = place.at('page.html');
  const options = ['--only', 'strong-etag-missing,location-missing', '--seeds', '2', '--controls', '3', '--html', html];
  const named = ['--tester-name', 'My tester', '--tester-version', '1.2', '--max-requests', '100'];
  const grading = prepare([...options, ...named], tester);
  assert.equal((await grading.run()).code, 0);
  const record = grading.record();
  assert.deepEqual(validate(record), []);
  assert.deepEqual(record.tester, { name: 'My tester', version: '1.2', command: tester, findings: 'exit-code' });
  assert.match(record.environment.commit ?? '0'.repeat(40), /^[0-9a-f]{40}$/);
  assert.deepEqual(record.reached, ['createPlant 200', 'getPlant 200']);
  const [{ exposure, noticed }] = record.defects.filter(({ name }: { name: string }) => name === 'strong-etag-missing');
  assert.deepEqual([exposure.requests, noticed.rounds], [2, [1, 2]]);
  assert.match(readFileSync(html, 'utf8'), /<td class="fair">◐ noticed<small>in 2 of 2 runs, named in 0<\/small>/);
  assert.equal(validate({ ...record, planted: undefined }).length, 1);
  assert.equal(validate({ ...record, more: 1 }).length, 1);
});

test('the file of a result has one line for each run and each defect, and holds the same as the result', async () => {
  const result = await resultOf((place) => place < 10);
  const path = place.at('lines.json');
  writeFileSync(path, recordText(result));
  const lines = readFileSync(path, 'utf8').split('\n');
  for (const item of [...result.runs, ...result.defects]) {
    const line = JSON.stringify(item);
    assert.equal(lines.filter((one) => one.trim().replace(/,$/, '') === line).length, 1, line);
  }
  assert.deepEqual(readResult(path), JSON.parse(JSON.stringify(result)));
});

test('a record leaves out what is undefined, and escapes what a terminal would obey', () => {
  const text = recordText({ a: 1, b: undefined, none: [], some: [{ c: '\u001b' }, 'two'] });
  assert.equal(text, '{\n  "a": 1,\n  "none": [],\n  "some": [\n    {"c":"\\u001b"},\n    "two"\n  ]\n}\n');
});

test('a result that a test makes has these members too', async () => {
  const result = JSON.parse(JSON.stringify(await resultOf((place) => place < 10)));
  assert.deepEqual(validate(result), []);
});

test('a file that is no result, is cut off or has a later format is refused with one line', async () => {
  const whole = JSON.stringify(await resultOf(() => false), null, 2);
  const files: readonly (readonly [text: string, line: RegExp])[] = [
    ['{}', /is not a result of plantstore grade --json\n/],
    [whole.slice(0, 1_000), /is not a result of plantstore grade --json: it is cut off\n/],
    [whole.replace('"1.', '"2.'), /in a format that this version reads, which is 1\.\d+\.\d+\n/],
  ];
  for (const [text, line] of files) {
    refusedWith(await runHere(['grade', 'page', writeInPlace('refused.json', text)]), 1, line);
  }
  for (const [path, reason] of [
    [place.at('absent.json'), /cannot read .*absent\.json: no such file or directory \(ENOENT\); correct the path\n/],
    [place.path, /cannot read .*: it is a directory \(EISDIR\); choose the path of a file\n/],
  ] as const) {
    refusedWith(await runHere(['grade', 'page', path]), 1, reason);
    refusedWith(await runHere(['grade', '--baseline', path, '--', 'true']), 1, reason);
    refusedWith(await runHere(['grade', 'compare', path, path]), 1, reason);
  }
  writeFileSync(place.at('whole.json'), whole);
  assert.equal(readResult(place.at('whole.json')).planted, JSON.parse(whole).planted);
});

test('a tester that notices fewer defects than its baseline, or too few of a tier, ends with 3', async () => {
  const worse = ['sh', '-c', `curl -sf {url}/plants -H 'Authorization: Bearer {token}'`];
  const only = [...QUICK, '--only', 'strong-etag-missing,location-missing'];
  const before = prepare(only, tester);
  assert.equal((await before.run()).code, 0);
  const baseline = place.at('baseline.json');
  writeFileSync(baseline, JSON.stringify(before.record(), null, 2));
  const same = await prepare([...only, '--baseline', baseline, '--fail-under', 'schema=1'], tester).run();
  assert.equal(same.code, 0, same.stdout);
  assert.doesNotMatch(same.stdout, /^Baseline: /m);
  const lost = await prepare([...only, '--baseline', baseline], worse).run();
  assert.equal(lost.code, 3);
  assert.match(lost.stdout, /^Worse than the baseline, no run noticed: strong-etag-missing\.$/m);
  const few = await prepare([...only, '--fail-under', 'schema=2'], tester).run();
  assert.equal(few.code, 3);
  assert.match(few.stdout, /^Too few: 1 defect of the tier schema was noticed, not 2\.$/m);
});

test('a baseline of another service is refused, and one with other variants or more defects is noted', async () => {
  const baseline = place.at('another.json');
  const save = async (options: Parameters<typeof resultOf>[1]) =>
    writeFileSync(baseline, JSON.stringify(await resultOf(() => false, options), null, 2));
  const grading = prepare(['--only', 'location-missing', '--baseline', baseline], tester);
  await save({ service: { name: 'Tea shop', version: '1.0.0', openapi: '/openapi.json', needsCredential: false } });
  refusedWith(await grading.run(), 2, /--baseline: the result is of Tea shop, not of Plant Store\n/);
  assert.equal(grading.hasOutput(), false);
  await save({ variants: 7 });
  const { code, stdout, stderr } = await grading.run();
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^Baseline: The variants of the defects differ, so other causes than the tester are possible\.$/m,
  );
  assert.match(stdout, /^Baseline: Only the defects that both gradings contain are compared \(1\)\.$/m);
});

test('a baseline without any of the graded defects is refused, since every tester would meet it', async () => {
  const baseline = place.at('no-common.json');
  for (const command of [['false'], tester]) {
    const before = prepare([...QUICK, '--only', 'location-missing'], command);
    await before.run();
    writeFileSync(baseline, JSON.stringify(before.record()));
    const now = prepare([...QUICK, '--only', 'replace-creates', '--baseline', baseline], tester);
    const why = /^plantstore: --baseline: the result has none of the defects that are graded now\n/;
    refusedWith(await now.run(), 2, why);
    assert.equal(now.hasOutput(), false);
  }
});

test('with several seeds only a found defect counts, and only a defect that no run notices is lost', async () => {
  const all = await resultOf(() => true);
  const once = await resultOf((place, round) => place > 0 && round === 1);
  const { failUnder, baseline } = { failUnder: minimums('schema=1'), baseline: all };
  assert.deepEqual(shortfalls(all, { baseline, failUnder }), []);
  const [few, lost, ...more] = shortfalls(once, { baseline, failUnder });
  assert.match(few ?? '', /^Too few: 0 defects of the tier schema were found, not 1\.$/);
  assert.match(lost ?? '', /^Worse than the baseline, no run noticed: required-member-missing\.$/);
  assert.deepEqual(more, []);
});

test('--fail-under refuses other words than a tier and a number', () => {
  assert.deepEqual(minimums('schema=2, state=0'), { schema: 2, state: 0 });
  for (const text of ['schema', 'Schema=1', 'schema=-1', 'schema=1.5', ''])
    assert.throws(() => minimums(text), /TIER=NUMBER/);
});
