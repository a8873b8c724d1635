/** Hostile and odd HTTP gets a response or a closed connection in time. It never shifts responses by a request. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { version } from '../../src/util/version.generated.ts';
import { startTestService } from '../harness/service.ts';
import { exchange, outcome } from './raw-client.ts';
import { cases } from './raw-socket-cases.ts';

const HEALTH = `{"status":"ok","version":"${version}"}`;

describe('on a separate connection', { concurrency: 16 }, async () => {
  const service = await startTestService({ requestTimeout: 3_000 });
  after(() => service[Symbol.asyncDispose]());
  const { client } = service;
  const port = Number(new URL(client.url).port);

  for (const [number, { title, steps, responses, closes, stores, isLate }] of cases.entries()) {
    const statuses = responses.length > 5 ? `${responses.length} responses` : responses.join(', ') || 'no response';
    test(`gives ${statuses}${closes ? ' and closes the connection' : ''}: ${title}`, async () => {
      const id = 1_000 + number;
      const probe = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: probe-${id}\r\n\r\n`;
      const sent = steps(`Authorization: Bearer ${client.token}\r\n`, id);
      const expected = responses.filter((response) => response >= 200).length;
      const got = await exchange(
        port,
        closes ? sent : [...sent, probe],
        closes ? Number.POSITIVE_INFINITY : expected + 1,
      );
      const outcomes = got.responses.map((response) => outcome(response));
      assert.deepEqual(outcomes, closes ? responses : [...responses, 200]);
      assert.equal(got.closed, closes ?? false);
      const wasLate = got.responses.some(({ text }) => text.includes('did not arrive'));
      assert.equal(wasLate, isLate ?? false, 'refused at the time-out or not');
      for (const { status, headers } of got.responses)
        if (status >= 200) assert.ok(headers['date'], `${status}: no Date`);
      if (!closes) assert.equal(got.responses.at(-1)?.headers['x-request-id'], `probe-${id}`, 'out of step');
      const fresh = await client.send('GET', `/plants/${id}`);
      assert.equal(fresh.status, stores ? 200 : 404);
    });
  }

  test('a hundred requests in one write get their responses in order', async () => {
    const requests = Array.from({ length: 100 }, (_, i) => {
      const body = `{"id":${2_000 + i},"name":"plant ${i}"}`;
      const head = i % 3 === 0 ? 'GET /healthz' : 'POST /plants';
      const fields = `Host: localhost\r\nAuthorization: Bearer ${client.token}\r\nX-Request-Id: n-${i}\r\n`;
      return i % 3 === 0
        ? `${head} HTTP/1.1\r\n${fields}\r\n`
        : `${head} HTTP/1.1\r\n${fields}Content-Type: application/json\r\n` +
            `Content-Length: ${body.length}\r\n\r\n${body}`;
    });
    const { responses } = await exchange(port, [requests.join('')], 100);
    assert.deepEqual(
      responses.map(({ headers, text }) => [headers['x-request-id'], text]),
      requests.map((_, i) => [`n-${i}`, i % 3 === 0 ? HEALTH : `{"name":"plant ${i}"}`]),
    );
  });

  for (const [what, ...written] of [
    ['a blank in its target', 'HEAD /a b HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a blank in its target, and comes in pieces', 'HE', 'AD /a', ' b HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a long header', `HEAD / HTTP/1.1\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', 'HEAD / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['no end', 'HEAD / HTTP/1.1\r\nHost: loc'],
    ['another before it, and two lengths', 'GET / HTTP/1.1\r\n\r\nHEAD / HTTP/1.1\r\nContent-Length: 1, 2\r\n\r\n'],
  ] as const) {
    test(`a HEAD request with an unreadable head gets a body, and the connection is closed: ${what}`, async () => {
      const { responses, closed } = await exchange(port, [...written.flatMap((piece) => [piece, { wait: 20 }])], 9);
      const last = responses.at(-1);
      assert.ok(closed);
      assert.deepEqual([last?.status, last?.headers['connection']], [400, 'close']);
      assert.equal(last?.text.length, Number(last?.headers['content-length']));
    });
  }

  test('a HEAD request with a malformed body gets no body, like every response to HEAD', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('HEAD /plants HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
    assert.match(await text(socket), /HTTP\/1\.1 400 (?:.+\r\n)*Content-Length: [1-9]\d*\r\n\r\n$/);
  });

  test('the refusal of a target that is not percent-encoded says so, as curl sends what its user typed', async () => {
    for (const target of ['/plants?tag=Kr\u00E4uter', '/pl\u00E4nts', 'plants']) {
      const { responses } = await exchange(port, [`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`], 1);
      assert.match(responses[0]?.text ?? '', /^\{"error":40006,"message":".*percent-encoded/);
    }
  });

  test('CONNECT gets a response with its own request id and the allowed methods', async () => {
    const asked = 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\n\r\n';
    const { responses } = await exchange(port, [asked], Number.POSITIVE_INFINITY);
    assert.deepEqual(
      responses.map(({ headers }) => [headers['x-request-id'], headers['allow'], headers['content-type']]),
      [['mine', 'GET, HEAD, OPTIONS', 'application/json']],
    );
  });

  for (const [what, expected, target, length] of [
    ['that is refused', 40100, 'POST /plants', 2],
    ['with a body over the limit', 40003, 'POST /plants', 100_000],
    ['for a page', 200, 'GET /healthz', 2],
  ] as const) {
    test(`a request with an upgrade gets its response only after its body: ${what}`, async () => {
      const fields =
        `Host: localhost\r\n${expected === 40003 ? `Authorization: Bearer ${client.token}\r\n` : ''}` +
        'Content-Type: application/json\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n';
      const head = `${target} HTTP/1.1\r\n${fields}Content-Length: ${length}\r\n\r\n`;
      const socket = connect(port, '127.0.0.1');
      socket.write(head + ' '.repeat(length - 1));
      // A client that has its response sends the next request, perhaps together with the end of this body.
      const response = once(socket, 'data').then(([bytes]) => String(bytes));
      const early = await Promise.race([response, sleep(100)]);
      socket.write(' ');
      assert.equal(early, undefined);
      assert.match(await response, expected < 400 ? /^HTTP\/1\.1 200 / : new RegExp(`"error":${expected},`));
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 200 /);
      socket.destroy();
    });
  }

  test('the service logged no error', () => {
    assert.doesNotMatch(service.log(), /"level":(50|60)/);
  });
});
