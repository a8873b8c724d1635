/** `plantstore grade compare` and `plantstore grade page` for results of clients and of receivers. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { refusedWith, runHere } from '../../../test/harness/process.ts';
import { compareRecords } from '../../commands/scenario-compare.ts';
import { scenarioPage } from '../../commands/scenario-page.ts';
import type { RecordedRun, ScenarioRecord } from '../../commands/scenario-record.ts';
import { place, writeInPlace } from './prepared-grading.ts';
import { resultOf } from './results.ts';

const CONDUCT = { attempts: 1, early: 0, repeatedFinal: 0, hasChangedBody: false };

/** A result with these outcomes. Each scenario is named for its key. */
function recordOf(outcomes: Readonly<Record<string, Partial<RecordedRun>>>, given: Partial<ScenarioRecord> = {}) {
  return {
    form: 1,
    plantStore: '1.0.0',
    client: 'urllib 3.12',
    command: ['python3', '{cwd}/client.py'],
    attemptTimeout: 1_000,
    timeout: 30_000,
    jobs: 8,
    outcomes: Object.entries(outcomes).map(([scenario, run]) => {
      return { scenario, does: `What ${scenario} does.`, outcome: 'right' as const, conduct: CONDUCT, ...run };
    }),
    ...given,
  };
}

let files = 0;
const fileOf = (result: object) => writeInPlace(`result-${files++}.json`, JSON.stringify(result));

const BEFORE = recordOf({
  same: {},
  worse: { outcome: 'unknown' },
  better: { outcome: 'lost' },
  busy: { outcome: 'void', reason: 'the machine was too busy' },
  gone: {},
});
const AFTER = recordOf(
  { same: {}, worse: { outcome: 'ghost' }, better: {}, busy: { outcome: 'overwritten' }, added: { outcome: 'lost' } },
  { client: 'urllib 3.13', attemptTimeout: 2_000 },
);

test('grade compare lists what is worse and better in the second client, and exits with 3 if one is', async () => {
  const [before, after] = [fileOf(BEFORE), fileOf(AFTER)];
  const { code, stdout } = await runHere(['grade', 'compare', before, after]);
  assert.equal(code, 3);
  const [clients, ...parts] = stdout.trimEnd().split('\n\n');
  assert.match(clients ?? '', /^A +2 right, 1 unknown, 1 lost, 1 void +urllib 3\.12$/m);
  assert.match(clients ?? '', /^B +2 right, 1 ghost, 1 lost, 1 overwritten +urllib 3\.13$/m);
  assert.deepEqual(parts, [
    'Worse in B:',
    'SCENARIO  A        B\nworse     unknown  ghost',
    'Better in B:',
    'SCENARIO  A     B\nbetter    lost  right',
    'Void in A or B, so neither better nor worse:',
    'SCENARIO  A     B\nbusy      void  overwritten',
    'The outcome is the same in 1 scenario.',
    'The time-outs of an attempt differ.',
    'Only the scenarios that both gradings contain are compared.',
  ]);
  const json = await runHere(['grade', 'compare', '--json', before, after]);
  assert.equal(json.code, 3);
  assert.deepEqual(JSON.parse(json.stdout).worse, [{ scenario: 'worse', before: 'unknown', after: 'ghost' }]);
});

test('grade compare exits with 0 if no scenario is worse in the second client', async () => {
  for (const outcome of ['unknown', 'right', 'void'] as const) {
    const after = recordOf({ worse: { outcome } });
    const { code, stdout } = await runHere(['grade', 'compare', fileOf(BEFORE), fileOf(after)]);
    assert.equal(code, 0, stdout);
    assert.doesNotMatch(stdout, /Worse/);
  }
  assert.equal(compareRecords(BEFORE, BEFORE).same, 5);
});

test('grade compare and grade page refuse mixed results, and files that are no result', async () => {
  const [client, tester] = [fileOf(BEFORE), fileOf(await resultOf(() => true))];
  const other = fileOf(recordOf({ other: {} }));
  const none = /nothing can be compared: the results have no scenario in common/;
  refusedWith(await runHere(['grade', 'compare', client, other]), 1, none);
  const kinds = /the files have results of testers and of clients; give only results of the same kind/;
  for (const files of [
    [client, tester],
    [tester, client],
  ]) {
    refusedWith(await runHere(['grade', 'compare', ...files]), 1, kinds);
    refusedWith(await runHere(['grade', 'page', ...files]), 1, kinds);
  }
  const wrong: readonly (readonly [why: RegExp, record: object])[] = [
    [/grade client --json: form must be an integer from 1 to 1/, { ...BEFORE, form: 2 }],
    [/grade client --json: outcomes is missing/, { ...BEFORE, outcomes: undefined }],
    [
      /outcomes\.0\.conduct\.hasChangedBody must be true or false/,
      recordOf({ one: { conduct: { ...CONDUCT, hasChangedBody: '<b>' as unknown as boolean } } }),
    ],
    [/outcomes\.0\.outcome must be one of right, /, recordOf({ one: { outcome: 'great' } })],
    [/is not a result of plantstore grade --json/, {}],
    [/is not a result of plantstore grade --json/, []],
  ];
  for (const [why, record] of wrong) {
    const file = fileOf(record);
    refusedWith(await runHere(['grade', 'compare', client, file]), 1, why);
    refusedWith(await runHere(['grade', 'page', file]), 1, why);
  }
});

/** A result of a receiver. */
const receiverOf = (outcomes: Parameters<typeof recordOf>[0]) => {
  const { client: _, attemptTimeout: __, ...record } = recordOf(outcomes);
  const runs = record.outcomes.map(({ conduct, ...run }) => run);
  return { ...record, kind: 'receiver' as const, receiver: 'Flask 3', path: '/hooks', outcomes: runs };
};

test('grade compare and grade page show results of receivers, and refuse to mix them with others', async () => {
  const [good, bad] = [
    receiverOf({ right: { outcome: 'verified' }, old: { outcome: 'verified' } }),
    receiverOf({ right: { outcome: 'verified' }, old: { outcome: 'accepted a replay', reason: 'answered 204' } }),
  ];
  const [before, after] = [fileOf(good), fileOf(bad)];
  const worse = await runHere(['grade', 'compare', before, after]);
  assert.equal(worse.code, 3);
  assert.match(worse.stdout, /^B +1 verified, 1 accepted a replay +Flask 3$/m);
  assert.match(worse.stdout, /^old +verified +accepted a replay$/m);
  assert.equal((await runHere(['grade', 'compare', after, before])).code, 0);
  const { stdout: page } = await runHere(['grade', 'page', after]);
  assert.match(page, /<h1>Which messages Flask 3 believes<\/h1>/);
  assert.match(page, /<td class="bad">accepted a replay<small>answered 204<\/small><\/td>/);
  assert.match(page, /<li>accepted a replay: it stored a message whose time was wrong or was changed\.<\/li>/);
  assert.match(page, /Path of the address<\/th><td>\/hooks/);
  assert.match(scenarioPage([good, bad]), /<h1>Which messages receivers believe<\/h1>/);
  const mixed = /the files have results of clients and of receivers; give only results of the same kind/;
  refusedWith(await runHere(['grade', 'compare', fileOf(BEFORE), before]), 1, mixed);
  const ghost = fileOf(receiverOf({ right: { outcome: 'ghost' } }));
  refusedWith(
    await runHere(['grade', 'page', ghost]),
    1,
    /grade receiver --json: outcomes\.0\.outcome must be one of veri/,
  );
});

test('grade compare and grade page read a result that another program has written in another encoding', async () => {
  const path = place.at('encoded.json');
  const texts = [BEFORE, await resultOf(() => true)].map((result) => `\ufeff${JSON.stringify(result)}`);
  for (const bytes of texts.flatMap((text) => [Buffer.from(text), Buffer.from(text, 'utf16le')])) {
    writeFileSync(path, bytes);
    for (const args of [['compare', path], ['page']]) {
      const { code, stderr } = await runHere(['grade', ...args, path]);
      assert.equal(code, 0, stderr);
    }
  }
});

test('grade page reads a result from a pipe, which can be read only once', async () => {
  const pipe = place.at('pipe');
  execFileSync('mkfifo', [pipe]);
  const writer = spawn('cp', [fileOf(BEFORE), pipe]);
  const { code, stdout, stderr } = await runHere(['grade', 'page', pipe]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /What urllib 3\.12 does to your data/);
  writer.kill();
});

test('the page of a client has its sum, its command, and each outcome with its notes and its meaning', () => {
  const conduct = { attempts: 3, early: 1, repeatedFinal: 0, hasChangedBody: false };
  const record = recordOf({
    'post-429-seconds': { outcome: 'ghost', conduct },
    'get-reset-reused': { outcome: 'void', reason: 'no request met the fault' },
    'get-404': { pair: 'gets' },
    'get-405': { pair: 'gets' },
  });
  const page = scenarioPage([record]);
  assert.match(page, /<h1>What urllib 3\.12 does to your data<\/h1>\s*<p class="score">1 right, 1 ghost, 1 void<\/p>/);
  assert.match(page, /<code>python3 \{cwd\}\/client\.py<\/code>/);
  assert.match(page, /4 scenarios on Plant Store 1\.0\.0</);
  assert.match(page, /count once in the sum/);
  assert.doesNotMatch(scenarioPage([BEFORE]), /count once/);
  const early = '<td class="bad">ghost<small>3 requests</small><small>did not wait for Retry-After</small></td>';
  assert.ok(page.includes(early), page);
  assert.ok(page.includes('<td class="none">void<small>1 request</small><small>no request met the fault</small></td>'));
  const meanings = [...page.matchAll(/<li>([a-z ]+):/g)].map(([, outcome]) => outcome);
  assert.deepEqual(meanings, ['right', 'ghost', 'void']);
  assert.doesNotMatch(page, /<script|src=|href="(?!data:)/);
});

test('the page of several clients has a column for each, and escapes texts', () => {
  const { client: _, ...other } = recordOf({ added: {} }, { command: ['a', '<script>'] });
  const page = scenarioPage([recordOf({ same: {} }, { client: '<b>' }), other]);
  assert.match(page, /<h1>What HTTP clients do to your data<\/h1>/);
  assert.match(page, /<th scope="col">&lt;b&gt;<\/th><th scope="col">a &lt;script&gt;<\/th>/);
  assert.ok(!page.includes('<b>') && !page.includes('<script>'));
  assert.equal(page.split('<td class="none">not graded</td>').length - 1, 2);
});

test('the page names the files of results that have the same title', async () => {
  const [before, after] = [fileOf(BEFORE), fileOf({ ...AFTER, client: BEFORE.client })];
  const { client } = BEFORE;
  const { stdout: page } = await runHere(['grade', 'page', before, after, fileOf(recordOf({}, { client: 'other' }))]);
  const heads = `<th scope="col">${client} (${before})</th><th scope="col">${client} (${after})</th>`;
  assert.ok(page.includes(`${heads}<th scope="col">other</th>`), page);
  assert.ok(page.includes(`<h2>${client} (${after})</h2>`), page);
});

test('a comparison of clients prints the texts of its files without characters that a terminal obeys', async () => {
  const hostile = '\u001b]0;PWNED\u0007\u009b2J\nforged\u202e';
  const record = (outcome: 'right' | 'lost') => fileOf(recordOf({ [hostile]: { outcome } }, { client: hostile }));
  for (const json of [[], ['--json']]) {
    const { stdout } = await runHere(['grade', 'compare', ...json, record('right'), record('lost')]);
    assert.match(stdout, /PWNED/);
    assert.doesNotMatch(stdout, /^forged|(?!\n)[\p{Cc}\p{Bidi_Control}]/mu);
  }
});
