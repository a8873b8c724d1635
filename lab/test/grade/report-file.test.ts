/** Reports that are missing, too long, or not a file. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createDirectory } from '../../../test/harness/directory.ts';
import { SCENARIOS } from '../../grade/client/scenarios.ts';
import { readReport } from '../../grade/client/task-files.ts';

const place = createDirectory();
after(() => place[Symbol.dispose]());

const MADE: readonly (readonly [what: string, make: (path: string) => void, why: string])[] = [
  ['nothing', () => undefined, 'there is none'],
  ['a folder', (path) => mkdirSync(path), 'it is not a file'],
  ['a loop of links', (path) => symlinkSync(path, path), 'it is not a file'],
  ['a FIFO', (path) => spawnSync('mkfifo', [path]), 'it is not a file'],
  ['a link to a device', (path) => symlinkSync('/dev/zero', path), 'it is not a file'],
  ['a long file', (path) => writeFileSync(path, Buffer.alloc(4_194_305)), 'it has more than 4194304 bytes'],
];
for (const [what, make, why] of MADE) {
  test(`${what} in place of a client's report is a problem of the client`, () => {
    const path = place.at(what);
    make(path);
    const { task } = SCENARIOS[0] ?? assert.fail();
    assert.equal(readReport(path, 1, task).problem, `the report cannot be read: ${why}`);
  });
}

test("a client's report may have lines that end with CR LF, and lines without any text", () => {
  const path = place.at('lines');
  writeFileSync(path, '\r\n{"task":1,"status":404}\r\n \r\nnonsense\r\n');
  const { task } = SCENARIOS[0] ?? assert.fail();
  const { belief, problem } = readReport(path, 1, task);
  assert.deepEqual([belief.status, problem], [404, 'line 4 of the report: it is not valid JSON']);
});
