/** `plantstore grade` as a process, with testers of a few lines. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { refusedWith, runHere } from '../../../test/harness/process.ts';
import { defectsOf } from '../../defects/index.ts';
import { outcomes, place, prepare, QUICK, type Recorded, tester, writeInPlace } from '../grade/prepared-grading.ts';

test('grade prints for each defect whether the tester noticed it, missed it or did not trigger it', async () => {
  const grading = prepare(['--only', 'strong-etag-missing,location-missing,replace-creates'], tester);
  const { code, stdout, stderr } = await grading.run();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^TIER +RULE +PLANTED +TRIGGERED +NOTICED +NAMED$/m);
  assert.match(stdout, /^schema +in a schema +2 +2 +1 +0\nstate +in prose only +1 +0 +0 +0\n/m);
  assert.match(stdout, /^Noticed:\n {2}strong-etag-missing {2}/m);
  assert.match(stdout, /^Missed[^\n]*:\n {2}location-missing {2}/m);
  assert.match(stdout, /^Not triggered[^\n]*:\n {2}replace-creates {2}/m);
  assert.match(stdout, /^False alarms: 0 of 3 controls\.$/m);
  const record = grading.record();
  const expected = {
    'strong-etag-missing': 'noticed',
    'location-missing': 'missed',
    'replace-creates': 'not triggered',
  };
  assert.deepEqual(outcomes(record), expected);
  assert.deepEqual([record.tester.command, record.halt], [tester, null]);
  const runsOf = (defect: string | null) => record.runs.filter((run: Recorded) => run.defect === defect);
  const [[control], [etag]] = [runsOf(null), runsOf('strong-etag-missing')];
  assert.deepEqual([control.exitCode, control.findings, control.counts.succeeded], [0, [], 2]);
  assert.deepEqual([etag.exitCode, etag.findings.length, etag.counts.triggered], [1, 1, 1]);
  assert.equal(runsOf(null).length, 3);
  assert.match(grading.printed(null)[0] ?? '', /^ETag: "/m);
  assert.match(stderr, /^1 of 6: run-0\d, 2 requests, exit code 0, /m);
  assert.deepEqual(grading.leftovers(), []);
});

test('with --variants the services have the variants of the defects', async () => {
  const send = 'curl -s -w "%{http_code}\\n" -H "Authorization: Bearer {token}" {url}/plants';
  const deletes = `${send} --json '{"id": 12, "name": "Aloe"}' && ${send}/12 -X DELETE | grep 204`;
  const outcomeWith = async (...options: readonly string[]) => {
    const grading = prepare(['--only', 'success-status-undeclared', ...options], ['sh', '-c', deletes]);
    const { code, stdout, stderr } = await grading.run();
    assert.equal(code, 0, stderr);
    const [, seed] = options;
    assert.match(
      stdout,
      new RegExp(`^Numbers of defects \\(Plant Store [0-9.]+${seed ? `, variants ${seed}` : ''}\\):$`, 'm'),
    );
    return outcomes(grading.record())['success-status-undeclared'];
  };
  assert.equal(await outcomeWith(), 'missed');
  const changesDelete = (seed: number) =>
    defectsOf('plants', seed).some(
      ({ name, operation }) => name === 'success-status-undeclared' && operation === 'deletePlant',
    );
  let seed = 1;
  while (!changesDelete(seed)) seed++;
  assert.equal(await outcomeWith('--variants', String(seed)), 'noticed');
});

test('if several seeds only notice defects, the score advises more seeds', async () => {
  const { stdout, stderr } = await prepare([...QUICK, '--only', 'strong-etag-missing', '--seeds', '2'], tester).run();
  assert.match(stdout, /^Noticed \(perhaps by luck\):\n {2}strong-etag-missing {2}2 of 2 runs /m, stderr);
  assert.match(stdout, /^Luck may explain each noticed defect\. More --seeds can rule luck out\.$/m);
});

test('a grading is incomplete if no run that triggered a defect has a readable report', async () => {
  const send = 'curl -s -D - -H "Authorization: Bearer {token}" {url}/plants';
  const whole = '<testsuites><testsuite><testcase name=\\"read\\"/></testsuite></testsuites>';
  const isRight = `${send} --json '{"id": 12, "name": "Aloe"}'; ${send}/12 | grep -qi "^etag"`;
  const script = `if ${isRight}; then echo "${whole}"; else echo "<"; fi > {report}`;
  const options = [...QUICK, '--findings', 'junit', '--only', 'strong-etag-missing'];
  const { run, record } = prepare(options, ['sh', '-c', script]);
  const { code, stdout, stderr } = await run();
  assert.equal(code, 1, stderr);
  assert.match(stdout, /^Not judged[^\n]*:\n {2}strong-etag-missing/m);
  assert.match(stdout, /^The score is incomplete\. The tester must write a readable report in each run, /m);
  assert.deepEqual(outcomes(record()), { 'strong-etag-missing': 'not judged' });
});

test('a tester that sends no request has no score', async () => {
  const grading = prepare([...QUICK, '--only', 'strong-etag-missing'], ['true']);
  const { code, stdout, stderr } = await grading.run();
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /never got a response below 300, .*; 0 found, 0 false alarms on 3 controls; its output is in /);
  assert.deepEqual([grading.record().halt, grading.record().runs.length], ['floor', 3]);
  assert.deepEqual(stderr.match(/^\d of \d/gm), ['1 of 4', '2 of 4', '3 of 4']);
});

test('a tester that sends no credential has no score', async () => {
  const { code, stderr } = await prepare(['--tier', 'protocol'], ['curl', '-s', '{url}/plants']).run();
  assert.equal(code, 1);
  assert.match(stderr, /^plantstore: no score: on the clean service the tester never sent a credential; /m);
});

test('if the tester fails on the clean service, grade reports it and tries no defect', async () => {
  const grading = prepare([], ['false']);
  const { code, stdout, stderr } = await grading.run();
  assert.deepEqual([code, stdout, grading.record().runs.length], [1, '', 1]);
  assert.match(stderr, /the tester fails on the clean service: .*exit code 1; its output is in .*run-\d+\.txt; /);
});

test('a tester that cannot be started fails with one line and leaves no file', async () => {
  const grading = prepare([], [place.at('no-such-tester'), '{url}']);
  refusedWith(await grading.run(), 2, /the command cannot be started: \S+: no such program/);
  assert.deepEqual([grading.hasOutput(), grading.leftovers()], [false, []]);
});

test('the tester gets every placeholder in its words and in its environment, and nothing else', async () => {
  const names = [
    'url',
    'openapi',
    'seed',
    'report',
    'token',
    'readToken',
    'expiredToken',
    'revokedToken',
    'otherToken',
    'wfcAuth',
    'cwd',
  ];
  const print = `console.log(JSON.stringify([process.argv.slice(2), process.env]))`;
  const script = writeInPlace('prints.mjs', print);
  const words = [...names.map((name) => `<{${name}}>`), '{other}', '{"id": 12}'];
  const grading = prepare(['--only', 'strong-etag-missing'], [process.execPath, script, ...words]);
  // With these variables the service under test could not listen.
  const { stderr } = await grading.run({ PLANTSTORE_HOST: 'no.such.address.invalid', PLANTSTORE_SEEDS: '2' });
  assert.match(stderr, /no score: /);
  const [said, env] = JSON.parse(grading.printed(null)[0] ?? '');
  const variables = names.map((name) => env[`PLANTSTORE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`]);
  assert.deepEqual(said, [...variables.map((value) => `<${value}>`), '{other}', '{"id": 12}']);
  const own = Object.keys(env).filter((name) => name.startsWith('PLANTSTORE_'));
  assert.equal(own.length, names.length, own.join());
  const [url, openapi, seed, report, ...tokens] = variables;
  assert.equal(tokens.pop(), process.cwd());
  assert.match(tokens.pop(), /\/wfc-auth\.json$/);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.deepEqual([openapi, Number(seed)], [`${url}/openapi.json`, grading.record().runs[0].seed]);
  assert.ok(report.startsWith(place.path));
  assert.equal(new Set(tokens).size, 5);
  assert.deepEqual(grading.record().tester.command.slice(2), words);
});

test('the file {wfcAuth} has the users whose tokens are valid, with a fixed header each', async () => {
  const grading = prepare(
    ['--only', 'strong-etag-missing'],
    ['sh', '-c', 'cat {wfcAuth}; echo "{token} {readToken} {otherToken}"'],
  );
  assert.match((await grading.run()).stderr, /no score: /);
  const lines = (grading.printed(null)[0] ?? '').trim().split('\n');
  const tokens = lines.pop()?.split('}')[1]?.split(' ') ?? [];
  const { auth } = JSON.parse(`${lines.join('\n')}\n}`);
  const users = ['both-scopes', 'read-only', 'other-store'].map((name, i) => {
    return { name, fixedHeaders: [{ name: 'Authorization', value: `Bearer ${tokens[i]}` }] };
  });
  assert.deepEqual(auth, users);
});

test('each token has the property that its name describes', async () => {
  const script = writeInPlace(
    'tokens.mjs',
    `const [url, ...tokens] = process.argv.slice(2);
    for (const token of tokens) {
      const headers = { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' };
      const list = await fetch(url + '/plants', { headers });
      const body = JSON.stringify({ id: 12, name: token });
      const create = await fetch(url + '/plants', { method: 'POST', headers, body });
      console.log(list.status, (await list.json()).error ?? 'read', create.status);
    }`,
  );
  const tokens = ['{token}', '{readToken}', '{expiredToken}', '{revokedToken}', '{otherToken}'];
  const grading = prepare(['--only', 'strong-etag-missing'], [process.execPath, script, '{url}', ...tokens]);
  assert.equal((await grading.run()).code, 0);
  const said = ['200 read 200', '200 read 403', '401 40102 401', '401 40101 401', '200 read 200'];
  for (const printed of [...grading.printed(null), ...grading.printed('strong-etag-missing')]) {
    assert.deepEqual(printed.trim().split('\n'), said);
  }
});

/** Always reports one finding, with other data each time, and a second one if a plant has no ETag. */
const REPORTS = `
import { writeFileSync } from 'node:fs';
const { PLANTSTORE_URL: url, PLANTSTORE_TOKEN: token, PLANTSTORE_REPORT: report } = process.env;
const headers = { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' };
const id = 1 + Math.floor(Math.random() * 1e6);
const created = await fetch(url + '/plants', { method: 'POST', headers, body: JSON.stringify({ id, name: 'Aloe' }) });
const read = await fetch(url + '/plants/' + id, { headers });
const failures = ['plant ' + id + ' is not "' + token + '"'];
if (!created.headers.has('location')) failures.push('plant 1 is not "x"');
if (!read.headers.has('etag')) failures.push('plant ' + id + ' has no "ETag"');
const cases = failures.map((message) => '<failure message="' + message.replaceAll('"', '&quot;') + '">…</failure>');
writeFileSync(report, '<testsuites><testsuite name="plants"><testcase name="GET ' + url + '">' + cases.join('') +
  '</testcase><testcase name="POST"/></testsuite></testsuites>');
process.exit(1);
`;

test('with a report, a defect is noticed by a finding that no control has', async () => {
  const script = writeInPlace('reports.mjs', REPORTS);
  const options = ['--findings', 'junit', '--only', 'strong-etag-missing,location-missing'];
  const grading = prepare(options, [process.execPath, script]);
  const { code, stdout, stderr } = await grading.run();
  assert.equal(code, 0, stderr);
  // The finding about the missing Location differs only in its data from a finding of every control.
  assert.deepEqual(outcomes(grading.record()), { 'strong-etag-missing': 'noticed', 'location-missing': 'missed' });
  assert.match(stderr, /^The tester already reports 1 finding on the clean service, which does not count; see /m);
  assert.match(stderr, /run-0\d\.txt and the report beside it$/m);
  assert.match(stdout, /^False alarms: 3 of 3 controls: run-0\d, run-0\d, run-0\d\.$/m);
  assert.match(grading.record().defects[1].findings[0].text, /has no "ETag"$/);
});

test('grade reports a tester without a readable report', async () => {
  const none = await prepare([...QUICK, '--findings', 'junit'], tester).run();
  assert.equal(none.code, 1);
  assert.match(none.stderr, /wrote no readable report to \{report\}: there is none; its output is in /);
  const broken = await prepare([...QUICK, '--findings', 'junit'], ['sh', '-c', 'echo "<testsuites>" > {report}']).run();
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /^plantstore: the tester wrote no readable report [^\n]+\n/m);
});

test('every run begins with the plants of --plants, and a refused line ends the grading', async () => {
  const plants = writeInPlace('plants.ndjson', '{"id": 7, "name": "Agave"}\n');
  const read = ['curl', '-sf', '{url}/plants/7', '-H', 'Authorization: Bearer {token}'];
  const options = ['--plants', plants, '--only', 'strong-etag-missing', '--seeds', '2'];
  const grading = prepare(options, read);
  assert.equal((await grading.run()).code, 0);
  const printed = [...grading.printed(null), ...grading.printed('strong-etag-missing')];
  assert.deepEqual(printed, Array(8).fill('{"id":7,"name":"Agave"}'));
  const wrong = prepare(['--plants', writeInPlace('wrong.ndjson', '\n{"id": 7}\n')], read);
  refusedWith(await wrong.run(), 1, /cannot import .*wrong\.ndjson: line 2: name is missing and /);
  // The remedy is for this command, too, not only for `import`.
  const array = prepare(['--plants', writeInPlace('plants.json', '[{"id": 7, "name": "Agave"}]')], read);
  refusedWith(await array.run(), 1, /is a JSON array; .*: jq -c '\.\[\]' FILE > NEWFILE\.ndjson$/m);
  const csv = prepare(['--plants', writeInPlace('plants.txt', 'id,name\n7,Agave\n')], read);
  refusedWith(await csv.run(), 1, /is CSV, not NDJSON; name the file \.csv, or import it with --format csv$/m);
});

test('the help of grade says what the command does, as the help of grade tester', async () => {
  for (const name of ['grade', 'grade tester']) {
    const { stdout } = await runHere(['help', ...name.split(' ')]);
    assert.match(
      stdout,
      /^[^\n]*an API tester[^\n]* on\s+the\s+clean\s+service\s+and\s+on\s+each\s+planted\s+defect\./,
    );
  }
});

test('a record replaces an earlier record, but no other file', async () => {
  const grading = prepare([...QUICK, '--only', 'strong-etag-missing'], ['false']);
  await grading.run();
  const [first] = grading.record().runs;
  await grading.run();
  assert.notEqual(grading.record().runs[0].startedAt, first.startedAt);
  const other = writeInPlace('notes.json', '{}');
  const args = ['grade', '--json', other, '--only', 'strong-etag-missing', '--', 'true'];
  refusedWith(await runHere(args), 1, /notes\.json already exists and was not changed/);
  assert.equal(readFileSync(other, 'utf8'), '{}');
});

test('a page replaces an earlier page, but no other file', async () => {
  const page = writeInPlace('page.html', '');
  const grading = prepare([...QUICK, '--only', 'strong-etag-missing', '--html', page], tester);
  for (const name of ['first', 'second']) {
    const { code, stderr } = await grading.run({ PLANTSTORE_TESTER_NAME: name });
    assert.equal(code, 0, stderr);
    assert.match(readFileSync(page, 'utf8'), new RegExp(`<h1>What ${name} finds</h1>`));
  }
  for (const text of ['my notes', '<!doctype html>\n<html lang="en">\n<head>\n<title>My page</title>']) {
    const other = writeInPlace('other.html', text);
    const args = ['grade', '--html', other, '--only', 'strong-etag-missing', '--', 'true'];
    refusedWith(await runHere(args), 1, /other\.html already exists and was not changed; choose another name/);
    assert.equal(readFileSync(other, 'utf8'), text);
  }
});

const WRONG: readonly (readonly [args: readonly string[], line: RegExp])[] = [
  [['--only', 'strong-etag-missing'], /is missing: put it after --, as in plantstore grade -- my-tester/],
  [
    ['--only', 'strong-etag-mising', '--', 'true'],
    /--only strong-etag-mising: no such defect \(did you mean strong-etag-missing\?\); plantstore defects/,
  ],
  [['--tier', 'shema', '--', 'true'], /--tier shema: no such tier \(did you mean schema\?\); they are schema, input, /],
  [['--tier', 'state', '--only', 'strong-etag-missing', '--', 'true'], /none of these defects is in these tiers/],
  [['--controls', '2', '--', 'true'], /--controls: it must be an integer from 3 /],
  [
    ['--fail-under', 'shema=1', '--', 'true'],
    /--fail-under shema: no such tier \(did you mean schema\?\); they are schema, /,
  ],
  [
    ['--fail-under', 'state=1', '--tier', 'schema', '--', 'true'],
    /--fail-under: no graded defect is in the tier state/,
  ],
  [['--json', 'same', '--html', './same', '--', 'true'], /--json and --html name the same file/],
  [['--findings', 'tap', '--', 'true'], /--findings: it must be one of exit-code, junit, schemathesis, wfc/],
  [['--', ''], /an argument is empty/],
];
for (const [args, line] of WRONG) {
  test(`plantstore grade ${args.join(' ')}: prints one line and exits with 2`, async () => {
    refusedWith(await runHere(['grade', ...args]), 2, line);
  });
}
