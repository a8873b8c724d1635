/** A tester, such as an AI agent, cannot read which defect its service has. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createDirectory } from '../../../test/harness/directory.ts';
import { refusedWith, runCommand, runHere } from '../../../test/harness/process.ts';

/**
 * Prints what a curious process can read: its environment, the list of processes, the environment and the command line
 * of each process, the names and the texts of all files near its report, and the responses of the service. It looks
 * only at the grader and the processes that the grader started, since others on the machine may name a defect.
 */
const LOOKS_AROUND = `
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
const read = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };
const { PLANTSTORE_URL: url, PLANTSTORE_REPORT: report, PLANTSTORE_TOKEN: token, PATH } = process.env;
const grader = String(process.ppid);
const of = ['-p', grader, '--ppid', grader];
const ps = (columns) => execFileSync('ps', ['-ww', '-o', columns, ...of], { encoding: 'utf8' });
const seen = [JSON.stringify(process.env), ps('pid,args')];
for (const pid of ps('pid=').trim().split(/\\s+/)) {
  seen.push(read('/proc/' + pid + '/cmdline'), read('/proc/' + pid + '/environ'));
}
const near = globSync(dirname(dirname(report)) + '/**', { withFileTypes: true });
for (const file of near) seen.push(file.name, file.isFile() ? read(file.parentPath + '/' + file.name) : '');
const headers = { Authorization: 'Bearer ' + token };
for (const path of ['/', '/openapi.json', '/plants']) {
  const response = await fetch(url + path, { headers });
  seen.push(JSON.stringify([...response.headers]), path === '/plants' ? await response.text() : '');
}
console.log(seen.join('\\n'));
`;

const NAMES = ['no-credential-for-an-operation', 'expired-token-accepted', 'revoked-token-accepted'];
const isNamed = (printed: string) => NAMES.filter((name) => printed.includes(name));

test('a tester that looks around finds no defect by name, unless its own command names one', async () => {
  const grade = async (...more: readonly string[]) => {
    using directory = createDirectory();
    const script = directory.at('looks.mjs');
    writeFileSync(script, LOOKS_AROUND);
    const [output, json] = [directory.at('output'), directory.at('record.json')];
    const args = ['grade', '--only', ...NAMES, '--jobs', '2', '--output', output, '--json', json];
    const { code, stderr } = await runCommand([...args, '--', process.execPath, script, ...more]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(isNamed(stderr), []);
    const { runs } = JSON.parse(readFileSync(json, 'utf8')) as {
      readonly runs: readonly { readonly output: string }[];
    };
    return runs.map((run) => readFileSync(run.output, 'utf8'));
  };
  const printed = await grade();
  assert.equal(printed.length, NAMES.length + 3);
  for (const text of printed) {
    assert.ok(text.includes('GRADE_CHANNEL') && text.includes('--database'), 'it sees the service');
    assert.deepEqual(isNamed(text), []);
  }
  const [name = ''] = NAMES;
  assert.deepEqual(isNamed((await grade(name)).at(-1) ?? ''), [name]);
});

test('what tells the defects or their order is refused in the environment, which a tester can read', async () => {
  const values = { ONLY: 'success-status-undeclared', TIER: 'schema', VARIANTS: '7', ORDER: '7' };
  for (const [name, value] of Object.entries(values)) {
    const variable = `PLANTSTORE_${name}`;
    const line = new RegExp(
      `^plantstore: ${variable}: a tester could read it .*; unset it, and use --${name.toLowerCase()}`,
    );
    for (const words of [[], ['tester']]) {
      refusedWith(await runHere(['grade', ...words, '--', 'true'], { [variable]: value }), 2, line);
    }
  }
});
