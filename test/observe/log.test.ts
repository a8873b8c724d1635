import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { operations } from '../../src/contract/openapi.generated.ts';
import { Problem, StoreFailure } from '../../src/errors.ts';
import { SANDBOX_ENTRY } from '../../src/features/sandbox/entry.ts';
import { Exchange } from '../../src/http/exchange.ts';
import { requestLog } from '../../src/http/observers.ts';
import { problemResponse } from '../../src/http/response.ts';
import { createLogger, openLogger } from '../../src/observe/log.ts';
import { createClient } from '../harness/client.ts';
import { createDirectory } from '../harness/directory.ts';
import { serveProcess } from '../harness/process.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

async function serve(...args: string[]) {
  const directory = createDirectory();
  const service = await serveProcess(['--database', `sqlite:${directory.at('p.db')}`, ...args]);
  const client = createClient(service.url, service.token ?? '');
  return {
    client,
    /** Stops the service and returns its log, one record per line. */
    async log(): Promise<Record<string, unknown>[]> {
      client.close();
      assert.equal(await service.stop('SIGTERM'), 0);
      directory[Symbol.dispose]();
      return service
        .stderr()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
  };
}

test('by default the log contains the start and the stop, but no request', async () => {
  const service = await serve();
  await service.client.send('GET', '/plants');
  const messages = (await service.log()).map(({ msg }) => msg);
  assert.deepEqual(messages, ['started', 'stopped']);
});

test('the access log has the id and the trace of each request, and nothing secret', async () => {
  const service = await serve('--access-log');
  const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`;
  await service.client.send('GET', '/plants?tag=private', { headers: { traceparent, 'X-Request-Id': 'mine' } });
  await service.client.send('GET', '/plants', { headers: { traceparent: `00-${'0'.repeat(32)}-zz-01` } });
  const records = (await service.log()).filter(({ msg }) => msg === 'request');
  assert.equal(records.length, 2);
  const [first, second] = records;
  assert.deepEqual([first?.['method'], first?.['path'], first?.['status']], ['GET', '/plants', 200]);
  assert.deepEqual([first?.['requestId'], first?.['traceId'], first?.['from']], ['mine', TRACE, '127.0.0.1']);
  assert.equal(second?.['traceId'], undefined);
  assert.doesNotMatch(JSON.stringify(records), /private|pst_|[Bb]earer/);
});

test('the access log names the fault that a client asked for', async () => {
  const service = await serve('--access-log', '--sandboxes', '10');
  const made = await service.client.send('POST', '/sandboxes', { token: null, body: {} });
  const { token } = made.json() as { readonly token: string };
  await service.client.send('GET', '/plants', { token, headers: { Prefer: 'code=503' } });
  await service.client.send('GET', '/plants', { token });
  const records = (await service.log()).filter(({ path }) => path === '/plants');
  assert.deepEqual(
    records.map(({ level, status, note }) => [level, status, note]),
    [
      [30, 503, 'fault: status'],
      [30, 200, undefined],
    ],
  );
});

test('the log has only the path of a request target', async () => {
  const service = await serve('--access-log');
  const targets = {
    '/plants?access_token=secret': '/plants',
    '/plants#access_token=secret': '/plants',
    '/plants#a?access_token=secret': '/plants',
    'http://user:secret@localhost/plants': '/plants',
    'HTTP://user:secret@localhost': '/',
    'http://user:secret@localhost?access_token=secret': '/',
    'ftp://user:secret@localhost/plants': '/plants',
    '//user:secret@localhost/plants': '/plants',
    '/plants/%31': '/plants/%31',
  };
  for (const target of Object.keys(targets)) await service.client.send('GET', target);
  const records = (await service.log()).filter(({ msg }) => msg === 'request');
  assert.deepEqual(
    records.map(({ path }) => path),
    Object.values(targets),
  );
  assert.doesNotMatch(JSON.stringify(records), /secret/);
});

test('neither the log nor a response repeats a token in a path', async () => {
  const service = await serve('--access-log');
  const { token } = service.client;
  const targets = { [`/${token}`]: '/…', [`/plant/${token}`]: '/plant/…', [`/plants/${token}`]: '/plants/…' };
  // The client checks that no response contains its token.
  for (const target of Object.keys(targets)) await service.client.send('GET', target);
  const records = (await service.log()).filter(({ msg }) => msg === 'request');
  assert.deepEqual(
    records.map(({ path }) => path),
    Object.values(targets),
  );
  assert.doesNotMatch(JSON.stringify(records), /pst_/);
});

test('the log does not repeat a token that a client sent as the id of its request', async () => {
  const service = await serve('--access-log');
  const headers = { 'X-Request-Id': `pst_${'a'.repeat(36)}` };
  await service.client.send('GET', '/plants', { headers });
  const [record] = (await service.log()).filter(({ msg }) => msg === 'request');
  assert.equal(record?.['requestId'], '…');
});

test('the log does not repeat PLANTSTORE_TOKEN in a path', async () => {
  const token = 'not/a-secret~key';
  const args = ['--database', 'temporary', '--access-log'];
  const service = await serveProcess(args, { PLANTSTORE_TOKEN: token });
  await (await fetch(`${service.url}/plants/${token}/x`)).text();
  assert.equal(await service.stop('SIGTERM'), 0);
  assert.match(service.stderr(), /"path":"\/plants\/…\/x"/);
  assert.ok(!service.stderr().includes(token));
});

test('refused credentials are logged at most ten times a minute, so that strangers cannot fill the log', async () => {
  const service = await serve();
  for (let i = 0; i < 50; i++) await service.client.send('GET', '/plants', { token: `pst_${i}` });
  const refused = (await service.log()).filter(({ msg }) => String(msg).startsWith('a credential was refused'));
  assert.equal(refused.length, 10);
  assert.match(String(refused.at(-1)?.['msg']), /further ones are not logged for a minute/);
  assert.deepEqual([refused[0]?.['error'], refused[0]?.['why']], [40101, 'its length or its checksum is wrong']);
  assert.doesNotMatch(JSON.stringify(refused), /pst_/);
});

test('the log has the failures of the store with their causes, at most ten a minute, and its recovery', async () => {
  const service = await serve('--max-queue', '1');
  const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, id) =>
      service.client.send('POST', '/plants?secret', { headers, body: { id, name: 'Aloe' } }),
    ),
  );
  const refused = responses.filter(({ status }) => status === 503).map(({ headers }) => headers['x-request-id']);
  assert.ok(refused.length > 10);
  const records = await service.log();
  const warnings = records.filter(({ msg }) => String(msg).startsWith('the store could not serve'));
  assert.equal(warnings.length, 10);
  assert.match(String(warnings.at(-1)?.['msg']), /; further ones are not logged for a minute$/);
  for (const { requestId } of warnings) assert.ok(refused.includes(String(requestId)));
  assert.deepEqual(new Set(warnings.map(({ why }) => why)), new Set(['the store is overloaded']));
  assert.deepEqual(new Set(warnings.map(({ traceId }) => traceId)), new Set([TRACE]));
  assert.deepEqual(new Set(warnings.map(({ method, path }) => `${method} ${path}`)), new Set(['POST /plants']));
  assert.doesNotMatch(JSON.stringify(warnings), /stack|\.ts:\d/);
  const back = records.filter(({ msg }) => msg === 'the store serves again');
  assert.ok(back.length > 0 && back.length <= warnings.length);
  assert.ok(Number(back[0]?.['failed']) > 0);
  // Node's error for a host that has several addresses.
  const refusal = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
  assert.equal(new StoreFailure('unreachable', refusal).why, 'the store is unreachable: ECONNREFUSED');
});

test('the reason of a store failure includes every cause', () => {
  const cause = new Error('the connection was lost', { cause: new Error('no response in time') });
  const { why } = new StoreFailure('unreachable', cause);
  assert.equal(why, 'the store is unreachable: the connection was lost: no response in time');
});

test('requests that take longer than --slow-request are logged', async () => {
  const service = await serve('--slow-request', '1ms');
  // The first requests take longer than a millisecond, since nothing is compiled yet.
  await Promise.all(
    Array.from({ length: 100 }, (_, id) => service.client.send('POST', '/plants', { body: { id, name: 'Aloe' } })),
  );
  const slow = (await service.log()).filter(({ msg }) => msg === 'a request was slow');
  assert.ok(slow.length > 0);
  for (const { milliseconds } of slow) assert.ok(Number(milliseconds) > 1);
});

test('slow requests are logged without a limit for clients, at most ten a minute for strangers', async (context) => {
  const stream = new PassThrough();
  const log = createLogger('info', stream);
  const observe = requestLog(log, { slow: 1_000, all: false });
  const ask = (url: string, problem?: Problem) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url });
    const exchange = new Exchange(request, new ServerResponse(request), 'id', AbortSignal.any([]));
    exchange.began -= 2_000;
    if (url === '/plants') {
      const handler = () => ({ status: 200 });
      const contextOf = () => undefined;
      exchange.match = { operation: operations.listPlants, handler, contextOf, parameters: {}, query: '' };
    }
    const response = problem === undefined ? { status: 200, headers: {} } : problemResponse(problem);
    observe(exchange, response);
  };
  for (let i = 0; i < 20; i++) ask('/readyz', new Problem(50300, 'The service is not ready.'));
  for (let i = 0; i < 20; i++)
    ask('/plants', new Problem(50300, 'The issuer cannot be reached.', {}, { unavailable: 'issuer' }));
  for (let i = 0; i < 20; i++) ask('/plants', new Problem(40006, 'The request did not arrive within 1000 ms.'));
  for (let i = 0; i < 20; i++) ask('/plants');
  const aMinuteOn = performance.now() + 60_000;
  // Restored at once, since other tests of the process have the same clock.
  const { mock } = context.mock.method(performance, 'now', () => aMinuteOn);
  ask('/plants', new Problem(40300, 'The token lacks the scope plants:read.'));
  mock.restore();
  stream.end();
  const lines = await text(stream);
  assert.match(lines, /"error":40300,"why":"The token lacks the scope plants:read.","msg":"a credential was refused"/);
  const slow = lines.match(/a request was slow(; further ones are not logged for a minute)?/g);
  assert.equal(slow?.length, 31);
  assert.equal(
    slow.findIndex((line) => line.includes('further')),
    9,
  );
});

test('an unread log keeps 1 MiB in memory, and logs the number of dropped lines once it is read again', async () => {
  const stream = new PassThrough();
  const log = createLogger('info', stream);
  const padding = 'x'.repeat(1_000);
  for (let i = 0; i < 10_000; i++) log.info({ padding }, 'request');
  assert.ok(stream.writableLength < 2 * 2 ** 20, `${stream.writableLength} bytes wait`);
  const read = text(stream);
  await setImmediate();
  log.info({}, 'read again');
  log.info({}, 'and again');
  stream.end();
  const records: { msg: string; lines?: number }[] = (await read)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const kept = records.filter(({ msg }) => msg === 'request').length;
  const [dropped, ...others] = records.slice(kept);
  assert.deepEqual(
    others.map(({ msg }) => msg),
    ['read again', 'and again'],
  );
  assert.equal(dropped?.msg, 'the log was not read in time, so lines were left out');
  assert.equal(dropped?.lines, 10_000 - kept);
});

test('a single dropped line is reported too', async () => {
  const stream = new PassThrough();
  const log = createLogger('info', stream);
  while (stream.writableLength <= 2 ** 20) log.info({ padding: 'x'.repeat(1_000) }, 'request');
  log.info({}, 'left out');
  const read = text(stream);
  await setImmediate();
  log.info({}, 'read again');
  stream.end();
  const records = (await read).trim().split('\n');
  assert.equal(JSON.parse(records.at(-2) ?? '').lines, 1);
});

test("the log leaves out the input that a database server's error quotes", async () => {
  const stream = new PassThrough();
  const err = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (name)=(a)', where: "$1 = 'a'" });
  createLogger('info', stream).error({ err }, 'a request failed');
  stream.end();
  const record: { err: object } = JSON.parse(await text(stream));
  assert.deepEqual(Object.keys(record.err).sort(), ['code', 'message', 'stack', 'type']);
});

test('the log at a terminal has no colours if NO_COLOR is set', () => {
  const log = new URL('../../src/observe/log.ts', import.meta.url);
  const program = `import { openLogger } from ${JSON.stringify(log)}; process.stdout.isTTY = true;
    (await openLogger('info', process.stdout)).info({}, 'started');`;
  const lines = (env: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' }).stdout;
  assert.match(lines({ FORCE_COLOR: '1' }), /\u001B\[32mINFO/);
  assert.match(lines({ NO_COLOR: '1' }), /^\[[\d:.]+\] INFO: started\n$/);
});

test('at a terminal the log has lines for people instead of JSON', async () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const log = await openLogger('info', terminal);
  const written = new Promise((resolve) => terminal.once('data', (chunk) => resolve(String(chunk))));
  log.info({ url: 'http://127.0.0.1:8080' }, 'started');
  const line = String(await written);
  assert.match(line, /INFO.*started/);
  assert.throws(() => JSON.parse(line));
});

test('at a terminal each request is one line, without control characters from its path', async () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true });
  const observe = requestLog(await openLogger('info', stream), { slow: 1_000, all: true });
  const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/plants/\u009b2J?secret' });
  const exchange = new Exchange(request, new ServerResponse(request), 'id', AbortSignal.any([]));
  observe(exchange, problemResponse(new Problem(40401, 'There is no plant 12.')));
  observe(exchange, { status: 200, headers: {} });
  stream.end();
  const lines = stripVTControlCharacters(await text(stream))
    .trimEnd()
    .split('\n');
  assert.match(lines[0] ?? '', /^\d\d:\d\d:\d\d GET \/plants\/�2J 404 40401 There is no plant 12\. [\d.]+ ms$/);
  assert.match(lines[1] ?? '', /^\d\d:\d\d:\d\d GET \/plants\/�2J 200 [\d.]+ ms$/);
  assert.equal(lines.length, 2);
});

test('a token that a client sent as the name of a member is neither in the access log nor in the message', async () => {
  const service = await serve('--access-log', '--sandboxes', '10');
  const token = `pss_${'a1B2'.repeat(9)}`;
  for (const name of [token, `${'x'.repeat(50)}${token}`]) {
    const response = await service.client.send('POST', '/sandboxes', { token: null, body: { [name]: 1 } });
    assert.doesNotMatch(response.text, /pss_/);
  }
  const records = (await service.log()).filter(({ path }) => path === '/sandboxes');
  assert.deepEqual(
    records.map(({ status }) => status),
    [400, 400],
  );
  assert.doesNotMatch(JSON.stringify(records), /pss_/);
});

/** Sets the title, clears the screen, forges a line, and reverses a text. */
const HOSTILE = '\u001b]0;PWNED\u0007\u001b[2J\u009b2J\n12:00:00 GET /forged\u2028\u202e';
const HOSTILE_SHOWN = '\ufffd]0;PWNED\ufffd\ufffd[2J\ufffd2J 12:00:00 GET /forged \ufffd';

test('at a terminal no text of a client is obeyed, and none begins a line', async () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true });
  const log = await openLogger('info', stream);
  log.info({ method: 'POST', path: '/sandboxes', status: 400, error: 40005, why: HOSTILE, milliseconds: 1 }, 'request');
  log.info({ method: HOSTILE, path: HOSTILE, status: 400, note: HOSTILE, milliseconds: 1 }, 'request');
  log.warn({ why: HOSTILE, [HOSTILE]: [{ deep: HOSTILE }], err: new Error(HOSTILE) }, HOSTILE);
  stream.end();
  const shown = stripVTControlCharacters(await text(stream));
  assert.doesNotMatch(shown, /(?!\n)[\p{Cc}\u2028\u202e]/u);
  const lines = shown.split('\n');
  assert.ok(lines[0]?.endsWith(` POST /sandboxes 400 40005 ${HOSTILE_SHOWN} 1 ms`), shown);
  assert.ok(lines[1]?.endsWith(` ${HOSTILE_SHOWN} ${HOSTILE_SHOWN} 400 (${HOSTILE_SHOWN}) 1 ms`), shown);
  assert.match(lines[2] ?? '', /WARN: \ufffd\]0;PWNED/);
  assert.equal(lines.filter((line) => /^\d\d:\d\d:\d\d /.test(line) && line.includes('/forged')).length, 2);
});

test('a terminal shows the JSON lines of the log without obeying a text of a client', () => {
  const written: string[] = [];
  const log = createLogger('info', { write: (line: string) => written.push(line) > 0, writableLength: 0 });
  log.info({ why: `${HOSTILE}\u007f`, [HOSTILE]: HOSTILE }, HOSTILE);
  const line = written.join('');
  assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
  const { why, [HOSTILE]: named, msg } = JSON.parse(line);
  assert.deepEqual([why, named, msg], [`${HOSTILE}\u007f`, HOSTILE, HOSTILE]);
});

test('at a terminal the requests of an open page to its sandbox have no line, unless they fail', async () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true });
  const log = await openLogger('info', stream, [SANDBOX_ENTRY.polled]);
  const paths = ['/sandbox', '/sandbox/faults', '/api/sandbox/plants', '/sandbox/requests', '/sandbox/openapi.json'];
  paths.push('/webhooks', '/webhooks/7Kq2mXw9ZbTd/deliveries', '/webhooks/7Kq2mXw9ZbTd');
  for (const path of paths) log.info({ method: 'GET', path, status: 200 }, 'request');
  log.info({ method: 'GET', path: '/sandbox/requests', status: 401 }, 'request');
  log.info({ method: 'PUT', path: '/sandbox/faults', status: 200 }, 'request');
  stream.end();
  const lines = stripVTControlCharacters(await text(stream)).match(/ [A-Z]+ \S+ \d{3} /g);
  assert.deepEqual(lines, [
    ' GET /sandbox/openapi.json 200 ',
    ' GET /webhooks/7Kq2mXw9ZbTd 200 ',
    ' GET /sandbox/requests 401 ',
    ' PUT /sandbox/faults 200 ',
  ]);
});

test('on :: the service listens on IPv6 and IPv4, and logs an IPv4 address in its usual spelling', async () => {
  const { client, log } = await serve('--access-log', '--host', '::');
  const { port } = new URL(client.url);
  for (const host of ['127.0.0.1', '[::1]']) assert.equal((await fetch(`http://${host}:${port}/readyz`)).status, 200);
  const requests = (await log()).filter(({ msg }) => msg === 'request');
  assert.deepEqual(
    requests.map(({ from }) => from),
    ['127.0.0.1', '::1'],
  );
});
