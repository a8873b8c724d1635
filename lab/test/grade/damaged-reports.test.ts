/** Reports that strict parsers refuse, and failures that a report has in an unusual place. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createDirectory } from '../../../test/harness/directory.ts';
import { type Format, findingsIn } from './own-findings.ts';

const place = createDirectory();
after(() => place[Symbol.dispose]());

function read(format: Format, report: string | Uint8Array) {
  writeFileSync(place.at('report'), report);
  return findingsIn(format, place.at('report')).map(({ text }) => text);
}

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const failing = (message: string, before = '', name = 'a') =>
  `<testsuite>${before}<testcase name="${name}"><failure>${message}</failure></testcase></testsuite>`;
const DECLARED = '<?xml version="1.0" encoding="UTF-8"?>';

const JUNIT: readonly (readonly [what: string, report: string | Uint8Array, finding?: string])[] = [
  ['a reference to a control character', failing('x&#27;y'), 'a | failure | x\ufffdy'],
  ['a hexadecimal reference to a control character', failing('x&#x1B;y'), 'a | failure | x\ufffdy'],
  ['a control character', failing('x\u001by'), 'a | failure | x\ufffdy'],
  ['colours', failing('&#27;[31mexpected &#x1b;[32m200&#27;[39m'), 'a | failure | expected 200'],
  ['U+0000', failing('x\0y'), 'a | failure | x\ufffdy'],
  ['a reference to U+0000', failing('x&#0;y'), 'a | failure | x\ufffdy'],
  ['a reference to half a pair', failing('x&#xD800;y'), 'a | failure | x\ufffdy'],
  ['a reference beyond Unicode', failing('x&#x110000;y'), 'a | failure | x\ufffdy'],
  ['a reference of many digits', failing(`x&#${'9'.repeat(400)};y`), 'a | failure | x\ufffdy'],
  ['U+FFFF', failing('x\uffffy'), 'a | failure | x\ufffdy'],
  ['a control character in a CDATA section', failing('<![CDATA[x\u0001y]]>'), 'a | failure | x\ufffdy'],
  [
    'a control character in the name of a passed test',
    failing('x', '<testcase name="&#8;\u0002"/>'),
    'a | failure | x',
  ],
  ['a control character in the output', failing('x', '<system-out>\u001b[31m</system-out>'), 'a | failure | x'],
  ['a blank line before the declaration', `\n${DECLARED}${failing('x')}`],
  ['text before the declaration', `3 tests\n${DECLARED}${failing('x')}`],
  ['text behind the document', `${DECLARED}${failing('x')}\ndone`],
  ['a mark of the byte order', `\ufeff${DECLARED}${failing('x')}`],
  ['UTF-16', utf16(DECLARED.replace('8', '16') + failing('x'))],
  ['UTF-16 with the high byte first', utf16(failing('x')).swap16()],
  ['UTF-16 without a mark', utf16(failing('x')).subarray(2)],
  ['ISO 8859-1', Buffer.from(DECLARED.replace('UTF-8', 'ISO-8859-1') + failing('é'), 'latin1'), 'a | failure | é'],
  ['an entity of HTML', failing('x&nbsp;y'), 'a | failure | x&nbsp;y'],
  ['an ampersand', failing('x & y &; z'), 'a | failure | x & y &; z'],
  ['a document type', `${DECLARED}<!DOCTYPE testsuite [<!ENTITY a "b">]>${failing('x')}`],
  ['a namespace prefix', failing('x').replaceAll(/(<\/?)/g, '$1j:')],
  ['a declaration in its text', failing('<![CDATA[<?xml version="1.0"?>x]]>')],
];
for (const [what, report, finding = 'a | failure | x'] of JUNIT) {
  test(`a JUnit report with ${what} can be read`, () => assert.deepEqual(read('junit', report), [finding]));
}

test('characters beyond U+FFFF, which would cost much memory, are replaced like forbidden ones', () => {
  assert.deepEqual(read('junit', failing('x🌵y&#x1F335;z')), ['a | failure | x\ufffdy\ufffdz']);
});

test('a file with two JUnit documents has the findings of both', () => {
  const both = `${DECLARED}${failing('x')}\n${DECLARED}${failing('y', '', 'b')}`;
  assert.deepEqual(read('junit', both), ['a | failure | x', 'b | failure | y']);
});

const ELSEWHERE: readonly (readonly [what: string, format: Format, report: string, findings: readonly string[]])[] = [
  ['a failure of a suite', 'junit', '<testsuite name="s"><error message="m"/></testsuite>', ['s | error | m']],
  ['a failure of all suites', 'junit', '<testsuites name="s"><failure message="m"/></testsuites>', ['s | failure | m']],
  [
    'the number of errors',
    'junit',
    '<testsuites><testsuite name="s" tests="1" errors="1"/></testsuites>',
    ['s | failed'],
  ],
  ['the number of failures', 'junit', '<testsuites failures="2"><testsuite name="s"/></testsuites>', ['failed']],
  ['no failures', 'junit', '<testsuite failures="0" errors=""><testcase name="a" status="run"/></testsuite>', []],
  ['a status', 'junit', '<testsuite><testcase name="a" status="Failed"/></testsuite>', ['a | failed']],
  ['a result', 'junit', '<testsuite><testcase name="a" result="failure"/></testsuite>', ['a | failed']],
  ['a failure of each try', 'junit', failing('x').replaceAll('failure', 'rerunFailure'), ['a | rerunFailure | x']],
  ['a failure of a try before a success', 'junit', failing('x').replaceAll('failure', 'flakyFailure'), []],
  ['a number of faults', 'wfc', '{"faults": {"totalNumber": 2}}', ['failed']],
  [
    'a fault without a category',
    'wfc',
    '{"faults": {"foundFaults": [{"operationId": "GET:/x"}]}}',
    ['GET:/x | failed'],
  ],
  ['a mark of the byte order', 'wfc', '\ufeff{"faults": {"totalNumber": 0}}', []],
  [
    'a failed check without details',
    'schemathesis',
    '{"ScenarioFinished":{"status":"failure","recorder":{"label":"GET /x","cases":{},"interactions":{},' +
      '"checks":{"a":[{"name":"c","status":"failure","failure_info":null},{"name":"d","status":"success"}]}}}}',
    ['GET /x | c | failed'],
  ],
  ['a failed phase', 'schemathesis', '{"Initialize":{}}\n{"PhaseFinished":{"status":"error"}}\n', ['failed']],
  [
    'a failed scenario',
    'schemathesis',
    '{"ScenarioFinished":{"status":"failure","label":"GET /x"}}',
    ['GET /x | failed'],
  ],
  ['a successful phase', 'schemathesis', '{"Initialize":{}}\n{"PhaseFinished":{"status":"success"}}\n', []],
];
for (const [what, format, report, findings] of ELSEWHERE) {
  test(`${what} in a report counts: ${format}`, () => assert.deepEqual(read(format, report), findings));
}
