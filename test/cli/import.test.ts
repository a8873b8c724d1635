import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { createClient } from '../harness/client.ts';
import { createDatabase } from '../harness/database.ts';
import { createDirectory } from '../harness/directory.ts';
import { MAIN, runCommand, serveProcess } from '../harness/process.ts';
import { scatteredId } from '../harness/scattered.ts';

const MAX = 2n ** 63n - 1n;

async function workplace() {
  const database = await createDatabase();
  const directory = createDirectory();
  const { at } = directory;
  return {
    at,
    database: database.url,
    write(name: string, content: string | Buffer) {
      writeFileSync(at(name), content);
      return at(name);
    },
    async [Symbol.asyncDispose]() {
      directory[Symbol.dispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

function lines(count: number, from = 0): string {
  const line = (i: number) => `{"id":${scatteredId(i)},"name":"Plant ${i}"}\n`;
  return Array.from({ length: count }, (_, i) => line(from + i)).join('');
}

test('an import stores what createPlant would accept and names each line that it refuses, with the reason', async () => {
  await using place = await workplace();
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
      Buffer.from(`"}\n{"id":11,"name":"${'x'.repeat(2 ** 20)}"}\n{"id":14,"name":"the last line has no end"}`),
    ]),
  );
  const imported = await runCommand(['import', file, '--database', place.database]);
  assert.equal(imported.code, 1);
  assert.equal(imported.stdout, '5 stored, 1 there already, 10 refused\n');
  assert.deepEqual(
    imported.stderr.split('\n').map((line) => line.split(':')[0]),
    ['line 5', 'line 6', 'line 7', 'line 8', 'line 9', 'line 10', 'line 11', 'line 13', 'line 15', 'line 16', ''],
  );
  assert.match(imported.stderr, /^line 5: id must be an integer from -9223372036854775808 to 9223372036854775807$/m);
  assert.match(imported.stderr, /^line 7: name is missing: it must be a string/m);
  assert.match(imported.stderr, /^line 13: id 12 is already taken by a different plant$/m);
  const exported = await runCommand(['export', '--database', place.database]);
  assert.equal(
    exported.stdout,
    [
      `{"id":${-MAX - 1n},"name":"é\\"","tag":""}`,
      `{"id":9,"name":"${'🌱'.repeat(1_024)}"}`,
      '{"id":12,"name":"Zwölf 🌱"}',
      '{"id":14,"name":"the last line has no end"}',
      `{"id":${MAX},"name":"Aloe","tag":"succulent"}`,
      '',
    ].join('\n'),
  );
});

test('an import from standard input that is repeated stores nothing twice, and ends with 0', async () => {
  await using place = await workplace();
  for (const summary of ['2 stored, 0 there already, 0 refused\n', '0 stored, 2 there already, 0 refused\n']) {
    const child = spawn(process.execPath, [MAIN, 'import', '-', '--database', place.database, '--store', 'second']);
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stdin.end(lines(2));
    assert.deepEqual(await once(child, 'close'), [0, null]);
    assert.equal(stdout, summary);
  }
  const elsewhere = await runCommand(['export', '--database', place.database]);
  assert.equal(elsewhere.stdout, '');
  const { stdout } = await runCommand(['export', '--database', place.database, '--store', 'second']);
  assert.deepEqual(stdout.split('\n').sort(), lines(2).split('\n').sort());
});

test('a plant that was deleted and imported anew never has a tag of the one before', async () => {
  await using place = await workplace();
  const file = place.write('plants.ndjson', lines(1));
  const service = await serveProcess(['--database', place.database]);
  const client = createClient(service.url, service.token ?? '');
  const tags = new Set<string | undefined>();
  for (let i = 0; i < 2; i++) {
    assert.equal((await runCommand(['import', file, '--database', place.database])).code, 0);
    tags.add((await client.send('GET', `/plants/${scatteredId(0)}`)).headers.etag);
    assert.equal((await client.send('DELETE', `/plants/${scatteredId(0)}`)).status, 204);
  }
  client.close();
  assert.equal(await service.stop('SIGTERM'), 0);
  assert.equal(tags.size, 2);
});

test('a report of refused lines is overwritten by the next import, and no other file is', async () => {
  await using place = await workplace();
  const file = place.write('plants.ndjson', `${lines(1)}nonsense\n`);
  const importTo = (report: string) => runCommand(['import', file, '--database', place.database, '--refused', report]);
  for (const [name, content] of [
    ['notes.txt', 'mine'],
    ['other.db', 'SQLite format 3\0'],
    ['plants.ndjson', readFileSync(file, 'utf8')],
  ] as const) {
    const other = place.write(name, content);
    assert.deepEqual(await importTo(other), {
      code: 1,
      stdout: '',
      stderr: `plantstore: ${other} already exists and is left as it is\n`,
    });
    assert.equal(readFileSync(other, 'utf8'), content);
  }
  for (const before of ['', 'line 2: an earlier reason\nline 3: and another\n']) {
    const report = place.write('refused.txt', before);
    assert.match((await importTo(report)).stdout, / 1 refused\n$/);
    assert.match(readFileSync(report, 'utf8'), /^line 2: it is not JSON[^\n]*\n$/);
  }
});

test('of several plants of one id the first line is stored, in whatever order the ids come', async () => {
  await using place = await workplace();
  const plants = [
    [5, 'Aloe'],
    [-1, 'Fern'],
    [5, 'Agave'],
    [-1, 'Fern'],
    [-1, 'Moss'],
  ] as const;
  const file = place.write('plants.ndjson', plants.map(([id, name]) => `{"id":${id},"name":"${name}"}\n`).join(''));
  assert.deepEqual(await runCommand(['import', file, '--database', place.database]), {
    code: 1,
    stdout: '2 stored, 1 there already, 2 refused\n',
    stderr: 'line 3: id 5 is already taken by a different plant\nline 5: id -1 is already taken by a different plant\n',
  });
});

test('CSV is read by its header, tells the empty tag from none, and refuses into a file', async () => {
  await using place = await workplace();
  const file = place.write(
    'plants.csv',
    `\uFEFFname,colour,id,tag\r\n"Aloe, ""vera""\nof two lines",green,${MAX},\r\nFern,,-5,""\r\nx,,1.5,\r\nx,,,\r\nx,,2,,5\r\n`,
  );
  const refused = place.at('refused.txt');
  const imported = await runCommand(['import', file, '--database', place.database, '--refused', refused]);
  assert.deepEqual([imported.code, imported.stdout], [1, '2 stored, 0 there already, 3 refused\n']);
  assert.deepEqual(
    readFileSync(refused, 'utf8')
      .split('\n')
      .map((line) => line.split(' must')[0]),
    ['line 5: id', 'line 6: id is missing: it', 'line 7: it has more fields than the header', ''],
  );
  const exported = place.at('out.csv');
  assert.equal((await runCommand(['export', exported, '--database', place.database])).code, 0);
  assert.equal(
    readFileSync(exported, 'utf8'),
    `id,name,tag\r\n-5,Fern,""\r\n${MAX},"Aloe, ""vera""\nof two lines",\r\n`,
  );
  const printed = await runCommand(['export', '--format', 'csv', '--database', place.database]);
  assert.equal(printed.stdout, readFileSync(exported, 'utf8'));
  assert.equal((await runCommand(['export', place.at('OUT.CSV'), '--database', place.database])).code, 0);
  assert.equal(readFileSync(place.at('OUT.CSV'), 'utf8'), printed.stdout);
  await using elsewhere = await createDatabase();
  const again = elsewhere.url;
  assert.equal((await runCommand(['import', exported, '--database', again])).code, 0);
  const both = await Promise.all([again, place.database].map((url) => runCommand(['export', '--database', url])));
  assert.equal(both[0]?.stdout, both[1]?.stdout);
});

test('an import that is killed and repeated stores every plant once, beside a service that writes', async () => {
  await using place = await workplace();
  const count = 50_000;
  const file = place.write('plants.ndjson', lines(count));
  const service = await serveProcess(['--database', place.database]);
  const client = createClient(service.url, service.token ?? '');
  const child = spawn(process.execPath, [MAIN, 'import', file, '--database', place.database]);
  const killed = once(child, 'close');
  let created = 0;
  // Until a batch is stored.
  while ((await client.send('GET', `/plants/${scatteredId(4_999)}`)).status === 404 && child.exitCode === null) {
    const { status } = await client.send('POST', '/plants', { body: { id: created, name: `By hand ${created}` } });
    assert.equal(status, 200);
    created += 1;
  }
  child.kill('SIGKILL');
  assert.deepEqual(await killed, [null, 'SIGKILL']);
  const repeated = await runCommand(['import', file, '--database', place.database]);
  client.close();
  assert.equal(await service.stop('SIGTERM'), 0);
  const [, stored = '', same = ''] =
    /^([\d,]+) stored, ([\d,]+) there already, 1 refused\n$/.exec(repeated.stdout) ?? [];
  assert.ok(Number(same.replace(',', '')) > 0, repeated.stdout);
  assert.equal(Number(stored.replace(',', '')) + Number(same.replace(',', '')), count - 1);
  const { stdout } = await runCommand(['export', '--database', place.database]);
  const exported = stdout.split('\n').filter((line) => !line.includes('By hand'));
  // Id 0 was created by hand first: the file's plant 0 is refused.
  const expected = lines(count).split('\n').slice(1);
  assert.deepEqual(exported.sort(), expected.sort());
});

test('on a terminal the progress makes way for messages: refusals, and why the import ended', async () => {
  await using place = await workplace();
  /** More than a batch. */
  const many = (from: number) =>
    Array.from({ length: 4_000 }, (_, i) => `{"id":${from + i},"name":"${'x'.repeat(1_000)}"}\n`).join('');
  async function* failing() {
    yield Buffer.from(many(0));
    yield Buffer.from(`nonsense\n${many(4_000)}`);
    throw Object.assign(new Error('input/output error'), { code: 'EIO', syscall: 'read' });
  }
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const code = await run(['import', '-', '--database', place.database], {
    env: {},
    stdin: Readable.from(failing()),
    stdout: new PassThrough(),
    stderr,
    stopped: () => new Promise(() => undefined),
    exit: () => assert.fail('an import ends by itself'),
  });
  assert.equal(code, 1);
  stderr.end();
  const told = (await text(stderr)).split('\r\u001B[K');
  assert.deepEqual(
    told.filter((one) => !/^$|a second$/.test(one)),
    [
      'line 4001: it is not JSON in UTF-8: it ends too early or has a syntax error\n',
      'plantstore: cannot read -: EIO\n',
    ],
  );
});

test('an import of what is no file, or no database of ours, ends with one line', async () => {
  await using place = await workplace();
  const absent = await runCommand(['import', place.at('absent'), '--database', place.database]);
  assert.deepEqual([absent.code, absent.stderr.split('\n').length], [1, 2]);
  assert.equal((await runCommand(['import', '--database', place.database])).code, 2);
  const foreign = place.write('foreign.db', 'this is no database'.repeat(10));
  const refused = await runCommand(['import', foreign, '--database', `sqlite:${foreign}`]);
  assert.match(refused.stderr, /^plantstore: cannot use the database file .* not a SQLite database/);
});
