import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { PROGRAM } from '../../lab/program.ts';
import { runCommandLine } from '../../src/cli/run-command.ts';
import { createClient } from '../harness/client.ts';
import { MAIN, runHere, serveProcess } from '../harness/process.ts';
import { scatteredId } from '../harness/scattered.ts';
import { createPlace } from './place.ts';

const MAX = 2n ** 63n - 1n;

function lines(count: number, from = 0): string {
  const line = (i: number) => `{"id":${scatteredId(i)},"name":"Plant ${i}"}\n`;
  return Array.from({ length: count }, (_, i) => line(from + i)).join('');
}

test('an import stores every plant that createPlant accepts, and lists each refused line with the reason', async () => {
  await using place = await createPlace();
  const file = place.write(
    'plants.ndjson',
    Buffer.concat([
      Buffer.from(
        [
          `{"id":${MAX},"name":"Aloe","tag":"succulent"}`,
          `{ "tag": "", "name": "\\u00e9\\"", "id": ${-MAX - 1n}, "more": [1] }`,
          '{"id":1.2e1,"name":"Zwölf 🌱"}',
          '',
          '{"id":9223372036854775808,"name":"x"}',
          '{"id":"12","name":"x"}',
          '{"id":5}',
          'nonsense',
          '{"id":6,"name":"\\u0000"}',
          '{"id":7,"name":"\\ud800"}',
          `{"id":8,"name":"${'x'.repeat(1_025)}"}`,
          `{"id":9,"name":"${'🌱'.repeat(1_024)}"}`,
          '{"id":12,"name":"another"}',
          '{"id":12,"name":"Zwölf 🌱"}\r',
          '{"id":10,"name":"not UTF-8: ',
        ].join('\n'),
      ),
      Buffer.from([0xff]),
      Buffer.from(`"}\n{"id":11,"name":"${'x'.repeat(2 ** 20)}"}\n{"id":14,"name":"the last line\u2028has no end"}`),
    ]),
  );
  const imported = await place.run('import', file);
  assert.equal(imported.code, 1);
  assert.equal(imported.stdout, '5 created, 1 already existed, 10 refused\n');
  const told = [...imported.stderr.matchAll(/^line (\d+): /gm)].map(([, line]) => Number(line));
  assert.deepEqual(told, [5, 6, 7, 8, 9, 10, 11, 13, 15, 16]);
  assert.match(imported.stderr, /^line 5: id must be an integer from -9223372036854775808 to 9223372036854775807$/m);
  assert.match(imported.stderr, /^line 7: name is missing and must be a string/m);
  assert.match(imported.stderr, /^line 13: id 12 is already taken by a different plant$/m);
  const exported = await place.run('export');
  assert.equal(
    exported.stdout,
    [
      `{"id":${-MAX - 1n},"name":"é\\"","tag":""}`,
      `{"id":9,"name":"${'🌱'.repeat(1_024)}"}`,
      '{"id":12,"name":"Zwölf 🌱"}',
      '{"id":14,"name":"the last line\\u2028has no end"}',
      `{"id":${MAX},"name":"Aloe","tag":"succulent"}`,
      '',
    ].join('\n'),
  );
});

test('a repeated import from standard input stores nothing twice and exits with 0', async () => {
  await using place = await createPlace();
  for (const summary of ['2 created, 0 already existed, 0 refused\n', '0 created, 2 already existed, 0 refused\n']) {
    const child = spawn(process.execPath, [MAIN, ...place.on(['import', '-', '--store', 'second'])]);
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stdin.end(lines(2));
    assert.deepEqual(await once(child, 'close'), [0, null]);
    assert.equal(stdout, summary);
  }
  const elsewhere = await place.run('export');
  assert.equal(elsewhere.stdout, '');
  const { stdout } = await place.run('export', '--store', 'second');
  assert.deepEqual(stdout.split('\n').sort(), lines(2).split('\n').sort());
});

test('a plant that is deleted and imported again never gets an earlier entity tag', async () => {
  await using place = await createPlace();
  const file = place.write('plants.ndjson', lines(1));
  const service = await serveProcess(place.on([]));
  const client = createClient(service.url, service.token ?? '');
  const tags = new Set<string | undefined>();
  for (let i = 0; i < 2; i++) {
    assert.equal((await place.run('import', file)).code, 0);
    tags.add((await client.send('GET', `/plants/${scatteredId(0)}`)).headers.etag);
    assert.equal((await client.send('DELETE', `/plants/${scatteredId(0)}`)).status, 204);
  }
  client.close();
  assert.equal(await service.stop('SIGTERM'), 0);
  assert.equal(tags.size, 2);
});

test('an import overwrites the report of an earlier import, but no other file', async () => {
  await using place = await createPlace();
  const file = place.write('plants.ndjson', `${lines(1)}nonsense\n`);
  const importTo = (report: string) => place.run('import', file, '--refused', report);
  for (const [name, content] of [
    ['notes.txt', 'mine'],
    ['other.db', 'SQLite format 3\0'],
    ['plants.ndjson', readFileSync(file, 'utf8')],
  ] as const) {
    const other = place.write(name, content);
    assert.deepEqual(await importTo(other), {
      code: 1,
      stdout: '',
      stderr: `plantstore: ${other} already exists and was not changed; choose another name\n`,
    });
    assert.equal(readFileSync(other, 'utf8'), content);
  }
  for (const before of ['', 'line 2: an earlier reason\nline 3: and another\n']) {
    const report = place.write('refused.txt', before);
    assert.match((await importTo(report)).stdout, / 1 refused\n$/);
    assert.match(readFileSync(report, 'utf8'), /^line 2: it is not JSON[^\n]*\n$/);
  }
});

test('if several lines have the same id, the first is stored, in any order of the ids', async () => {
  await using place = await createPlace();
  const plants = ['5,"name":"Aloe"', '-1,"name":"Fern"', '5,"name":"Agave"', '-1,"name":"Fern"', '-1,"name":"Moss"'];
  const file = place.write('plants.ndjson', plants.map((one) => `{"id":${one}}\n`).join(''));
  assert.deepEqual(await place.run('import', file), {
    code: 1,
    stdout: '2 created, 1 already existed, 2 refused\n',
    stderr: 'line 3: id 5 is already taken by a different plant\nline 5: id -1 is already taken by a different plant\n',
  });
});

test('an import reads CSV by its header and distinguishes an empty tag from no tag', async () => {
  await using place = await createPlace();
  const file = place.write(
    'plants.csv',
    `\uFEFFname,colour,id,tag\r\n"Aloe, ""vera""\nof two lines",green,${MAX},\r\n` +
      `Fern,,-5,""\r\nx,,1.5,\r\nx,,,\r\nx,,2,,5\r\n`,
  );
  const refused = place.at('refused.txt');
  const imported = await place.run('import', file, '--refused', refused);
  assert.deepEqual([imported.code, imported.stdout], [1, '2 created, 0 already existed, 3 refused\n']);
  const reasons = readFileSync(refused, 'utf8')
    .replaceAll(/ must.*/g, '')
    .split('\n');
  const expected = ['line 5: id', 'line 6: id is missing and', 'line 7: it has more fields than the header', ''];
  assert.deepEqual(reasons, expected);
  const exported = place.at('out.csv');
  assert.equal((await place.run('export', exported)).code, 0);
  assert.equal(
    readFileSync(exported, 'utf8'),
    `id,name,tag\r\n-5,Fern,""\r\n${MAX},"Aloe, ""vera""\nof two lines",\r\n`,
  );
  const again = await place.run('export', exported);
  assert.equal(again.stderr, `plantstore: ${exported} already exists and was not changed; --force replaces it\n`);
  assert.equal((await place.run('export', '--force', exported)).code, 0);
  const printed = await place.run('export', '--format', 'csv');
  assert.equal(printed.stdout, readFileSync(exported, 'utf8'));
  assert.equal((await place.run('export', place.at('OUT.CSV'))).code, 0);
  assert.equal(readFileSync(place.at('OUT.CSV'), 'utf8'), printed.stdout);
  await using elsewhere = await createPlace();
  assert.equal((await elsewhere.run('import', exported)).code, 0);
  assert.equal((await elsewhere.run('export')).stdout, (await place.run('export')).stdout);
});

test('an import that is killed and repeated beside a writing service stores every plant once', async () => {
  await using place = await createPlace();
  const count = 50_000;
  const file = place.write('plants.ndjson', lines(count));
  const service = await serveProcess(place.on([]));
  const client = createClient(service.url, service.token ?? '');
  const child = spawn(process.execPath, [MAIN, ...place.on(['import', file])]);
  const killed = once(child, 'close');
  let created = 0;
  // Wait until a batch is stored.
  while ((await client.send('GET', `/plants/${scatteredId(4_999)}`)).status === 404 && child.exitCode === null) {
    const { status } = await client.send('POST', '/plants', { body: { id: created, name: `By hand ${created}` } });
    assert.equal(status, 200);
    created += 1;
  }
  child.kill('SIGKILL');
  assert.deepEqual(await killed, [null, 'SIGKILL']);
  const repeated = await place.run('import', file);
  client.close();
  assert.equal(await service.stop('SIGTERM'), 0);
  const [, stored = '', same = ''] =
    /^([\d,]+) created, ([\d,]+) already existed, 1 refused\n$/.exec(repeated.stdout) ?? [];
  assert.ok(Number(same.replace(',', '')) > 0, repeated.stdout);
  assert.equal(Number(stored.replace(',', '')) + Number(same.replace(',', '')), count - 1);
  const { stdout } = await place.run('export');
  const exported = stdout.split('\n').filter((line) => !line.includes('By hand'));
  // The test stored another plant 0 before, so the plant 0 of the file is refused.
  const expected = lines(count).split('\n').slice(1);
  assert.deepEqual(exported.sort(), expected.sort());
});

test('on a terminal the progress line is cleared before refused lines and before the final message', async () => {
  await using place = await createPlace();
  /** More plants than one batch. */
  const many = (from: number) =>
    Array.from({ length: 4_000 }, (_, i) => `{"id":${from + i},"name":"${'x'.repeat(1_000)}"}\n`).join('');
  async function* failing() {
    yield Buffer.from(many(0));
    yield Buffer.from(`nonsense\n${many(4_000)}`);
    throw Object.assign(new Error('input/output error'), { code: 'EIO', errno: -5, syscall: 'read' });
  }
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const code = await runCommandLine(
    place.on(['import', '-']),
    {
      env: {},
      stdin: Readable.from(failing()),
      stdout: new PassThrough(),
      stderr,
      stopped: () => new Promise(() => undefined),
      exit: () => assert.fail('an import ends by itself'),
    },
    PROGRAM,
  );
  assert.equal(code, 1);
  stderr.end();
  const told = (await text(stderr)).split('\r\u001B[K');
  assert.deepEqual(
    told.filter((one) => !/^$|per second$/.test(one)),
    [
      'line 4001: it is not JSON in UTF-8: there is a syntax error\n',
      'plantstore: cannot read standard input: i/o error (EIO)\n',
    ],
  );
});

test('on a terminal that cannot clear a line there is no progress line', async () => {
  await using place = await createPlace();
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const code = await runCommandLine(
    place.on(['import', '-']),
    {
      env: { TERM: 'dumb' },
      stdin: Readable.from([Buffer.from(lines(10))]),
      stdout: new PassThrough(),
      stderr,
      stopped: () => new Promise(() => undefined),
      exit: () => assert.fail('an import ends by itself'),
    },
    PROGRAM,
  );
  stderr.end();
  assert.deepEqual([code, await text(stderr)], [0, '']);
});

test('an import without input, or into a database that is not ours, fails with one line', async () => {
  await using place = await createPlace();
  assert.equal((await place.run('import')).code, 2);
  const foreign = place.write('foreign.db', 'this is no database'.repeat(10));
  const refused = await runHere(['import', foreign, '--database', `sqlite:${foreign}`]);
  assert.match(refused.stderr, /^plantstore: cannot use the database file .* not a SQLite database/);
});
