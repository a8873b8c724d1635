/** The findings that are read from the reports of testers. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createDirectory } from '../../../test/harness/directory.ts';
import { replaceEnclosed } from '../../grade/enclosed.ts';
import { normalise as normaliseWith } from '../../grade/normalise.ts';
import { readVocabulary } from '../../grade/vocabulary.ts';
import { type Format, findingsIn, VOCABULARY } from './own-findings.ts';

const place = createDirectory();
after(() => place[Symbol.dispose]());

function read(format: Format, report: string) {
  writeFileSync(place.at('report'), report);
  return findingsIn(format, place.at('report')).map(({ text }) => text);
}

/** The findings of a real report. */
const readReal = (format: Format, name: string) => findingsIn(format, `lab/test/grade/reports/${name}`);

const normalise = (text: string) => normaliseWith(text, VOCABULARY.words);

const SAME: readonly (readonly [what: string, one: string, other: string])[] = [
  ['another number', 'plant 12 has the id -9223372036854775808', 'plant 3 has the id 1.5e9'],
  ['another quoted value', 'the name "Aloe \\"vera\\"" is refused', "the name 'x' is refused"],
  ['other data', '{"id": 12, "tags": ["a", {"b": 1}]} is not valid', '[null] is not valid'],
  ['another address', 'GET http://127.0.0.1:40123/plants/7', 'GET http://127.0.0.1:8080/plants/12'],
  ['another id in an address', 'no http://127.0.0.1:1/plants/404', 'no http://127.0.0.1:1/plants/12'],
  ['another token', 'Bearer pst_0aB1 was not accepted', 'Bearer pst_9zY8 was not accepted'],
  ['another test case', 'Test Case ID: zGW74b', 'Test Case ID: 1HPr9u'],
  ['another UUID', 'no 0b1c2d3e-ab12-4cde-8f00-a0b1c2d3e4f5', 'no 01234567-89ab-4def-a012-0123456789ab'],
  ['another UUID without hyphens', 'no abcdefabcdefabcdefabcdefabcdefab', 'no 0123456789abcdef0123456789abcdef'],
  ['another X-Request-Id', 'X-Request-Id=ed977cc51833-bf', 'X-Request-Id=0a1b2c3d4e5f-1z'],
  ['another time of Postman', 'expected 523 to be below 200', 'expected 341 to be below 200'],
  [
    'another time of Jest',
    'expect(received).toBeLessThan(expected)\nReceived:   523',
    'expect(received).toBeLessThan(expected)\nReceived:   341',
  ],
  ['another time of RSpec', 'expected: < 200\n     got:   523', 'expected: < 200\n     got:   341'],
  [
    'another time of PHPUnit',
    'Failed asserting that 523 is less than 200',
    'Failed asserting that 341 is less than 200',
  ],
  ['another time with its unit', 'the time was 420 milliseconds', 'the time was 523 milliseconds'],
  ['another time in milliseconds', 'want 100ms, got 420ms', 'want 100ms, got 523ms'],
  ['another hour', 'at 2026-11-29T17:59:58.404Z', 'at 2026-11-29T18:00:02.217Z'],
  ['a shorter time in another unit', 'the request took 1.2s', 'the request took 904.5ms'],
  ['a longer time with minutes', 'the request took 59s', 'the request took 1m2.5s'],
  ['another id in a tuple', 'assert 342 in (1, 2)', 'assert 3 in (4, 5)'],
  ['another argument', 'assert 4 == f(342, 7)', 'assert 4 == f(3, 7)'],
  ['a quotation mark in a text that pytest shows', "AssertionError: assert 'a' == 'b'", 'assert "c\'" == \'d"\''],
  ['another cursor', 'no /plants?after=AAAAAAAAAAC2NxJ-QMcqj-XrV', 'no /plants?after=AAAAAAAAAAC7NxJLQMcq_jLXrV'],
  ['another text that pytest compares', '- a\n  + b', '- c\n  ? ^\n  + d c\n  ? ++'],
  ['another text that Jest compares', '- a\n+ b\n+ c\nat x', '- d\n- e\n+ f\n+ c\nat x'],
  ['another text that Mocha compares', '-a\n+b', '-c\n+d'],
  ['other bytes', "assert b'ab\\xc3' == b'c'", "assert b'd' == b'e\\n'"],
  ['another line of code', 'test_plants.py:404: expected a status', 'test_plants.py:217: expected a status'],
  ['another line number', 'line 404, status is wrong', 'line 12, status is wrong'],
  ['a colour', 'expected \u001b[1;32m200\u001b[0m, got \u001b[31m404\u001b[39m', 'expected 200, got 404'],
  ['a colour as pytest writes it', '#x1B[1m#x1B[31mE  assert 500 == 200#x1B[0m', 'E assert 500 == 200'],
  ['another order of lines', 'url = 1\ntoken = 2', 'token = 3\nurl = 4'],
  ['another order of a set', "missing: {'name', 'tag'}", "missing: {'tag', 'name'}"],
];
for (const [what, one, other] of SAME) {
  test(`${what} makes no new finding`, () => assert.equal(normalise(one), normalise(other)));
}

const OTHER: readonly (readonly [what: string, one: string, other: string])[] = [
  ['another status', 'expected status 200 but got 404', 'expected status 200 but got 500'],
  ['another status that was not expected', 'expected 200 to equal 404', 'expected 200 to equal 500'],
  ['another compared status', 'assert 201 == 200', 'assert 500 == 200'],
  ['another status of PHPUnit', 'that 400 is identical to 201', 'that 422 is identical to 201'],
  ['another status in a tuple', 'assert 400 in (200, 201)', 'assert 422 in (200, 201)'],
  ['another status in a set', 'assert 400 in {200, 201}', 'assert 422 in {201, 200}'],
  ['another expected status in a tuple', 'assert 400 in (200, 201)', 'assert 400 in (200, 204)'],
  ['another status in brackets', '[400] is not declared', '[500] is not declared'],
  ['another member of a set', "missing: {'name'}", "missing: {'tag'}"],
  ['another status of HTTP', 'HTTP/1.1 200 OK', 'HTTP/1.1 201 OK'],
  ['another status in colour', 'got \u001b[31m404\u001b[39m', 'got \u001b[31m500\u001b[39m'],
  ['another member', '"name" is a required property', '"error" is a required property'],
  ['another type', "12 is not of type 'string'", "12 is not of type 'integer'"],
  ['another header field', 'the header `ETag` is missing', 'the header `Location` is missing'],
  ['another code', 'ST107', 'ST108'],
  ['another compared member', '-   status: 200,\n+   status: 404,', '-   status: 200,\n+   status: 500,'],
  ['another reason', '  +  where 404 = <Response [404]>', '  +  where 500 = <Response [500]>'],
  ['another item', '- Server error\n- Missing header', '- Server error\n- Unknown status'],
  ['another text', "it doesn't respond, and isn't there", "it doesn't respond, and is there"],
];
for (const [what, one, other] of OTHER) {
  test(`${what} makes a new finding`, () => assert.notEqual(normalise(one), normalise(other)));
}

const ENCLOSED: readonly (readonly [text: string, shown: string])[] = [
  ['a [1, {2}] b {3}', 'a … b …'],
  ['[[keep]]', '[[keep]]'],
  ['{[keep]}', '…'],
  ['[{[keep]}]', '…'],
  ['] [ 1 } {2} {', '] [ 1 } … {'],
  ['[ { ] }', '… }'],
  ['{ [ } ]', '… ]'],
];
for (const [text, shown] of ENCLOSED) {
  test(`data is replaced from the inside out: ${text}`, () => {
    assert.equal(
      replaceEnclosed(text, (data) => (data === '[keep]' ? data : '…')),
      shown,
    );
  });
}

/** Each would take hours, or the memory of the process, if the work grew with the square of the length. */
test('a megabyte of brackets in any order, or of templates, is read', () => {
  const n = 250_000;
  const texts = ['['.repeat(n) + ']'.repeat(n), '[{'.repeat(n) + '}]'.repeat(n), '[{}'.repeat(n), '[}'.repeat(n)];
  for (const text of texts) {
    replaceEnclosed(text, () => '…');
    assert.equal(
      replaceEnclosed(text, (data) => data),
      text,
    );
  }
  const paths = ['/{a'.repeat(n), `/${'{a}'.repeat(n)}`, `/${'{a}-'.repeat(n)}`];
  const get = { get: { operationId: 'x' } };
  const { operationIn } = readVocabulary(
    JSON.stringify({ paths: Object.fromEntries(paths.map((path) => [path, get])) }),
  );
  assert.equal(operationIn(`GET /${'-a'.repeat(n)}`), 'x');
});

test('an operation is found by its whole operationId, also if it begins with another', () => {
  const paths = { '/a': { get: { operationId: 'getPlant' } }, '/b': { get: { operationId: 'getPlantById' } } };
  const { operationIn } = readVocabulary(JSON.stringify({ paths }));
  for (const name of ['getPlantById', 'test_getPlantById']) assert.equal(operationIn(name), 'getPlantById');
  for (const name of ['getPlant', 'getPlantByName']) assert.equal(operationIn(name), 'getPlant');
});

test('an operation is found by a path with several templates in a segment', () => {
  const paths = { '/a{x}.{y}b/{z}': { get: { operationId: 'getOne' } } };
  const { operationIn } = readVocabulary(JSON.stringify({ paths }));
  for (const path of ['/a1.2b/3', '/a1.2b/3/', '/a..2.b/3']) assert.equal(operationIn(`GET ${path}`), 'getOne', path);
  for (const path of ['/a.b/3', '/a1.b/3', '/a1.2b', '/a1.2b/', '/a1.2b/3/4', '/1.2b/3', '/a1.2/3'])
    assert.equal(operationIn(`GET ${path}`), undefined, path);
});

test('in JUnit XML each failure and error is a finding, identified by suites, class, test, kind and message', () => {
  const report = `<?xml version="1.0"?>
    <!-- by some runner -->
    <testsuites><testsuite name="Plants"><properties/>
      <testcase classname="reading" name="GET /plants/{id} responds 200">
        <failure type="Assertion" message="got 12"/>
      </testcase>
      <testcase name="GET /plants/{id} responds 404"><failure><![CDATA[no "error" in 7]]></failure></testcase>
      <testsuite name="Inner"><testcase name="POST">
        <error message="timed out after 31 ms"/><system-out>x</system-out>
      </testcase></testsuite>
      <testcase name="POST"><skipped/></testcase><testcase name="DELETE"/>
    </testsuite></testsuites>`;
  assert.deepEqual(read('junit', report), [
    'Plants GET /plants/{id} responds 404 | failure | no "error" in #',
    'Plants Inner POST | error | timed out after # ms',
    'Plants reading GET /plants/{id} responds 200 | failure | Assertion | got #',
  ]);
  assert.deepEqual(read('junit', '<testsuite name="Plants"><testcase name="GET"/></testsuite>'), []);
});

test('an error that Newman only counts is a finding, also beside a failure', () => {
  const failure = '<testcase name="status"><failure message="got 404"/></testcase>';
  const report = (errors: number, inner: string) =>
    `<testsuites><testsuite name="GET /plants/12" failures="1" errors="${errors}">${inner}</testsuite></testsuites>`;
  const failed = read('junit', report(0, failure));
  assert.deepEqual(read('junit', report(1, `<system-err>x</system-err>${failure}`)), [
    ...failed,
    'GET /plants/# | failed',
  ]);
  assert.equal(read('junit', report(1, `${failure}<testcase name="x"><error message="y"/></testcase>`)).length, 2);
});

test('the report of a real test runner can be read', () => {
  const suite = place.at('suite.test.mjs');
  writeFileSync(
    suite,
    `import { test } from 'node:test';\ntest('right', () => {});\ntest('wrong', () => { throw new Error('id 12'); });`,
  );
  const args = ['--test', '--test-reporter=junit', `--test-reporter-destination=${place.at('report')}`, suite];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  assert.equal(spawnSync(process.execPath, args, { env }).status, 1);
  const [finding, ...others] = findingsIn('junit', place.at('report')).map(({ text }) => text);
  assert.match(finding ?? '', /^test wrong \| failure \| testCodeFailure \| id #$/);
  assert.deepEqual(others, []);
});

test('a suite of Tavern has one finding, although its messages list variables in a random order', () => {
  const [one, other] = ['tavern-1.xml', 'tavern-2.xml'].map((name) => readReal('junit', name));
  assert.equal(one?.length, 1);
  assert.deepEqual(one, other);
  assert.match(one?.[0]?.text ?? '', /Create and read a plant.* Keys missing from response: \['name'\]/);
  const [first, second] = ['tavern-1.xml', 'tavern-2.xml'].map((name) =>
    readFileSync(`lab/test/grade/reports/${name}`, 'utf8').replace(/^.*?message="/s, ''),
  );
  assert.notEqual(first, second);
});

test('a finding of pytest has the actual status', () => {
  const [one, other] = ['pytest-201.xml', 'pytest-500.xml'].map((name) => readReal('junit', name)[0]?.text);
  const finding =
    'pytest test_plants test_create | failure | + where # = <Response [201]>.status_code assert 201 == 200';
  assert.equal(one, finding);
  assert.equal(other, finding.replaceAll('201', '500'));
});

test('a test case that names an operation is a finding about the operation', () => {
  const named: readonly (readonly [name: string, operation: string | undefined])[] = [
    ['GET /plants/12 returns 200', 'getPlant'],
    ['PUT (412) /plants/12', 'replacePlant'],
    ['HEAD http://127.0.0.1:1/plants?limit=2', 'listPlants'],
    ['[GET]::/plants/:id - Status code is 2xx', 'getPlant'],
    ['[POST] /plants returns 200', 'createPlant'],
    ['GET /plants: a page has a limit', 'listPlants'],
    ['After POST /plants, the plant can be read.', 'createPlant'],
    ['createPlant: the id is taken', 'createPlant'],
    ['test_getPlant_missing', 'getPlant'],
    ['getPlantMissing', 'getPlant'],
    ['test_get_plant_missing', 'getPlant'],
    ['TestGetPlant', 'getPlant'],
    ['testCreatePlant', 'createPlant'],
    ['TestPlants/PUT_/plants/12', 'replacePlant'],
    ['TestPlants/GET_/plants/{id}_has_an_ETag', 'getPlant'],
    ['get_plants', undefined],
    ['getPlanter', undefined],
    ['forgetPlant', undefined],
    ['PATCH /plants/12', undefined],
    ['DELETE /gardens/12', undefined],
    ['reads a plant', undefined],
  ];
  for (const [name, operation] of named) {
    writeFileSync(place.at('report'), `<testsuite><testcase name="${name}"><failure/></testcase></testsuite>`);
    assert.deepEqual(
      findingsIn('junit', place.at('report')).map((finding) => finding.operation),
      [operation],
      name,
    );
  }
});

test('tests with the same name, in inner suites with the same name, are distinguished by the outer suite', () => {
  const suites = ['GET /plants/{id}', 'POST /plants'].map((operation) => {
    const inner = '<testsuite name="errors"><testcase classname="test" name="JSON"><failure/></testcase></testsuite>';
    return `<testsuite name="${operation}">${inner}</testsuite>`;
  });
  writeFileSync(place.at('report'), `<testsuites>${suites.join('')}</testsuites>`);
  assert.deepEqual(
    findingsIn('junit', place.at('report')).map(({ operation }) => operation),
    ['getPlant', 'createPlant'],
  );
});

/** jest-junit gives a suite the name of the first group of tests in its file. */
test('an operation in the name or class of a test counts before one in the name of its suite', () => {
  for (const attributes of ['name="POST /plants returns 200"', 'classname="createPlant" name="returns 200"']) {
    const report = `<testsuite name="GET /plants/{id}"><testcase ${attributes}><failure/></testcase></testsuite>`;
    writeFileSync(place.at('report'), report);
    assert.deepEqual(
      findingsIn('junit', place.at('report')).map(({ operation }) => operation),
      ['createPlant'],
    );
  }
});

test('a UUID in the name of a test makes no new finding', () => {
  const named = (id: string) => `<testsuite><testcase name="reads ${id}"><failure message="m"/></testcase></testsuite>`;
  const [one, other] = ['c0ffee00-ab12-4cde-8f00-a0b1c2d3e4f5', '01234567-89ab-4def-a012-0123456789ab'].map(named);
  assert.deepEqual(read('junit', one ?? ''), read('junit', other ?? ''));
});

test('in a WFC report each category of a fault is a finding with its operation and code', () => {
  assert.deepEqual(readReal('wfc', 'schemathesis-wfc.json').slice(3), [
    { text: 'POST:/plants | 100 | ServerError: Server error (status 500)', operation: 'createPlant', code: 100 },
    {
      text: 'PUT:/plants/{id} | 207 | RejectedPositiveData: Schema-valid request rejected',
      operation: 'replacePlant',
      code: 207,
    },
  ]);
});

/** In the form of EvoMaster's reports before WFC 0.8.0: other names, renumbered codes, and no context in places. */
test('a WFC report of an earlier version has the same findings', () => {
  const context = "GET:/plants/{id} -> [Path '/name'] Instance type (null) does not match any allowed primitive type";
  const report = {
    schema_version: '0.0.1',
    faults: {
      found_faults: [
        { operation_id: 'GET:/plants/{id}', test_case_id: 'test_0', fault_categories: [{ code: 101, context }] },
        {
          operation_id: 'DELETE:/plants/{id}',
          test_case_id: 'test_1',
          fault_categories: [{ code: 103, context: null }],
        },
        { operation_id: 'POST:/plants', test_case_id: 'test_2', fault_categories: [{ code: 100 }] },
        { operation_id: null, test_case_id: 'test_3', fault_categories: null },
      ],
    },
    problem_details: { rest: { covered_http_status: [{ endpoint_id: 'GET:/plants', http_status: null }] } },
  };
  const old = JSON.stringify(report);
  writeFileSync(place.at('report'), old);
  const found = findingsIn('wfc', place.at('report'));
  assert.deepEqual(
    found.map(({ operation, code }) => [operation, code]),
    [
      ['deletePlant', 113],
      ['getPlant', 200],
      ['createPlant', 100],
      [undefined, undefined],
    ],
  );
  const named = old
    .replace('"code":101', '"code":200,"id":"SCHEMA_INVALID_RESPONSE"')
    .replace('"code":103', '"code":113');
  assert.deepEqual(
    read(
      'wfc',
      named.replaceAll(/_([a-z])(?=[a-z_]*":)/g, (_, letter) => letter.toUpperCase()),
    ),
    found.map(({ text }) => text),
  );
  assert.deepEqual(read('wfc', '{"faults": {"totalNumber": 0}}'), []);
  assert.throws(() => read('wfc', 'not JSON'));
});

test('a report that is not XML, or is cut off, cannot be read', () => {
  for (const report of ['', 'all is well', '<testsuites><testsuite>']) assert.throws(() => read('junit', report));
});

const OTHER_KINDS: readonly (readonly [format: Format, report: string, why: string])[] = [
  ...(['junit', 'schemathesis', 'wfc'] as const).flatMap(
    (format) =>
      [
        [format, '', 'it is empty'],
        [format, '\n', 'it is empty'],
      ] as const,
  ),
  ['junit', '<html><body/></html>', 'it is no JUnit XML: its root is html, not testsuites or testsuite'],
  ...['{}', 'null', '[]', '{"faults": {}}', '{\n  "stats": {}\n}', '{"type": "start"}\n{"type": "end"}\n'].map(
    (report) => ['schemathesis', report, 'it has no event of Schemathesis'] as const,
  ),
  ...['{}', 'null', '[]', '{"faults": 3}'].map(
    (report) => ['wfc', report, 'it is no report of Web Fuzzing Commons: it has no member faults'] as const,
  ),
];
for (const [format, report, message] of OTHER_KINDS) {
  test(`a report of another kind cannot be read as ${format}: ${JSON.stringify(report)}`, () => {
    assert.throws(() => read(format, report), { message });
  });
}

test('a report of Schemathesis that found nothing, or was interrupted, is readable', () => {
  const begin = '{"Initialize":{"command":"st run","schemathesis_version":"4.32.5","seed":1}}\n';
  assert.deepEqual(read('schemathesis', begin), []);
  assert.deepEqual(read('schemathesis', `${begin}{"Interrupted":{"timestamp":1.5}}\n{"EngineFin`), []);
});

/** An event of Schemathesis 4.32, with only the members that are read. */
function scenario(id: string, status: number, failure: object | undefined): string {
  const failed = { name: 'response_schema_conformance', status: 'failure', failure_info: { failure } };
  const right = { name: 'not_a_server_error', status: 'success', failure_info: null };
  const checks = { [id]: failure === undefined ? [right] : [right, failed] };
  const interactions = { [id]: { request: {}, response: { status_code: status } } };
  const recorder = { label: 'GET /plants/{id}', cases: {}, checks, interactions };
  return `${JSON.stringify({ ScenarioFinished: { status: 'failure', recorder } })}\n`;
}
const missing = (name: string, id: number) => ({
  type: 'JsonSchemaError',
  code: 'ST108',
  operation: 'GET /plants/{id}',
  title: 'Response violates schema',
  message:
    `"${name}" is a required property\n\nSchema:\n\n    {}\n\n` +
    `Value:\n\n    {"message": "No plant has the id ${id}."}`,
});

test('a finding of Schemathesis has the code of its class in WFC reports', () => {
  writeFileSync(place.at('report'), scenario('a', 404, missing('error', 3)));
  const [{ operation, code } = assert.fail()] = findingsIn('schemathesis', place.at('report'));
  assert.deepEqual([operation, code], ['getPlant', 200]);
});

test('a failure of Schemathesis is about the operation of its request, as in WFC reports', () => {
  const failure = { type: 'UseAfterFree', operation: 'DELETE /plants/{id}', message: 'still there' };
  const value = { method: 'GET', path: '/plants/{id}' };
  const report = scenario('a', 200, failure);
  for (const [cases, expected] of [
    [{ a: { value } }, 'getPlant'],
    [{ a: { value: { ...value, method: 'TRACE' } } }, 'deletePlant'],
    [{}, 'deletePlant'],
  ] as const) {
    writeFileSync(place.at('report'), report.replace('"cases":{}', `"cases":${JSON.stringify(cases)}`));
    const [{ operation, code } = assert.fail()] = findingsIn('schemathesis', place.at('report'));
    assert.deepEqual([operation, code], [expected, 113]);
  }
});

test('in Schemathesis each failed check is a finding, identified by operation, check, status and message', () => {
  const one = scenario('zGW74b', 404, missing('error', 12)) + scenario('1HPr9u', 200, undefined);
  const found =
    'GET /plants/{id} | response_schema_conformance | JsonSchemaError | 404 | "error" is a required property';
  assert.deepEqual(read('schemathesis', one), [found]);
  const again = scenario('birjU8', 404, missing('error', 3)) + scenario('D5GAK8', 404, missing('error', 735));
  assert.deepEqual(read('schemathesis', again), [found]);
  const hint = {
    ...missing('error', 1),
    message: '"error" is a required property\nHint: The body has ("a", "b" and 3 more)',
  };
  assert.deepEqual(read('schemathesis', scenario('a', 404, hint)), [found]);
  const others = scenario('a', 404, missing('message', 3)) + scenario('b', 200, missing('error', 3));
  assert.deepEqual(read('schemathesis', others + one).length, 3);
});

test('errors of Schemathesis itself are findings, and an incomplete last line is ignored', () => {
  const error = {
    NonFatalError: { label: 'POST /plants', value: { type: 'ConnectionError', message: 'port 8080 closed' } },
  };
  const report = `${JSON.stringify(error)}\n${scenario('a', 404, missing('error', 1)).slice(0, 40)}`;
  assert.deepEqual(read('schemathesis', report), ['POST /plants | ConnectionError | port # closed']);
  assert.throws(() => read('schemathesis', 'not JSON'));
});
