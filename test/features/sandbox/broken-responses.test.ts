/** Responses that leave the description, that break off, or that close their connection, as clients see them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { type Client, errorOf } from '../../harness/client.ts';
import { startTestService } from '../../harness/service.ts';
import { enterSandbox, QUICK } from './sandbox.ts';

const NOW = Date.parse('2026-11-24T12:00:00.400Z');
const BODY = '{"id":1,"name":"Fern"}';

describe('broken responses', async () => {
  const service = await startTestService({ sandboxes: 1_000, sandboxTimes: QUICK, now: () => NOW });
  after(() => service[Symbol.asyncDispose]());
  const enter = async (...rules: readonly object[]) => {
    const client = await enterSandbox(service);
    after(() => client.close());
    const response = await client.send('PUT', '/sandbox/faults', { body: rules });
    assert.deepEqual([response.status, response.json()], [200, rules]);
    return client;
  };
  const create = (client: Client, more: object = {}) =>
    client.send('POST', '/plants', { body: { id: 1, name: 'Fern' }, ...more });
  const stored = async (client: Client) => (await client.send('GET', '/sandbox/plants')).text;

  test('a proxy fault sends any error status, Retry-After in both forms, and its own body', async () => {
    const html = '<html><h1>502 Bad Gateway – nginx</h1></html>';
    for (const [fault, retryAfter, type, body] of [
      [{ status: 408 }, undefined, undefined, ''],
      [{ status: 425, retry: 0 }, '0', undefined, ''],
      [{ status: 429, retry: 2, form: 'date' }, 'Tue, 24 Nov 2026 12:00:03 GMT', undefined, ''],
      [{ status: 502, media: 'html', body: html }, undefined, 'text/html', html],
      [{ status: 503, retry: 120, form: 'seconds', media: 'json', body: '{}' }, '120', 'application/json', '{}'],
      [{ status: 504, media: 'text', body: 'stream timeout' }, undefined, 'text/plain', 'stream timeout'],
      [{ status: 599 }, undefined, undefined, ''],
    ] as const) {
      for (const when of ['before', 'afterCommit']) {
        const client = await enter({ fault: { kind: 'proxy', ...fault }, when });
        const { status, headers, text } = await create(client, { mayLeaveDescription: true });
        assert.deepEqual([status, text], [fault.status, body]);
        assert.deepEqual([headers['retry-after'], headers['content-type']], [retryAfter, type]);
        assert.equal(headers['content-security-policy'], 'sandbox');
        assert.equal(await stored(client), when === 'before' ? '[]' : `[${BODY}]`);
        const [recorded] = (await client.send('GET', '/sandbox/requests')).json() as [
          { status: number; error?: number },
        ];
        assert.deepEqual([recorded.status, recorded.error], [fault.status, undefined]);
      }
    }
    // Every other response of a sandbox must be declared.
    const client = await enter({ fault: { kind: 'proxy', status: 502 } });
    await assert.rejects(create(client), /502/);
    const half = await enter({ fault: { kind: 'proxy', status: 400, media: 'json', body: '{' } });
    await assert.rejects(create(half), /the body is no JSON: POST \/plants -> 400 \{/);
  });

  test('the log does not report a proxy fault as a refused credential', async () => {
    const client = await enter({ fault: { kind: 'proxy', status: 401 } });
    const before = service.log().length;
    assert.equal((await create(client, { mayLeaveDescription: true })).status, 401);
    assert.doesNotMatch(service.log().slice(before), /refused/);
    const control = await client.send('GET', '/plants', { token: 'pss_unknown' });
    assert.equal(control.status, 401);
    assert.match(service.log().slice(before), /a credential was refused/);
  });

  test('the rules are limited: their number, and their bodies, each and together', async () => {
    const client = await enter();
    const put = (...bodies: readonly string[]) =>
      client.send('PUT', '/sandbox/faults', {
        body: bodies.map((body) => ({ fault: { kind: 'proxy', status: 502, body } })),
      });
    const longest = 'ä'.repeat(1_024);
    assert.equal(errorOf(await put(`${longest}a`)), 40005);
    assert.equal((await put(...Array(15).fill(longest))).status, 200);
    // A character is a code point, as in the length of a name.
    assert.equal((await put(...Array(15).fill('🌱'.repeat(1_024)))).status, 200);
    const refused = await put(...Array(16).fill(longest));
    assert.equal(errorOf(refused), 40020);
    assert.match(refused.text, /The rules have over 16384 characters as JSON/);
    assert.equal((await put(...Array(20).fill(''))).status, 200);
    assert.equal(errorOf(await put(...Array(21).fill(''))), 40005);
  });

  /** Sends a request and reads until the connection ends. `onData` is called with all bytes so far. */
  const readAll = async (client: Client, fault: string, line = 'GET /plants/1', onData?: (socket: Socket) => void) => {
    const socket = connect({ port: Number(new URL(client.url).port), host: '127.0.0.1', allowHalfOpen: true });
    let found = '';
    let how = 'closed';
    socket.on('data', (chunk) => {
      found += chunk;
      onData?.(socket);
    });
    socket.on('end', () => {
      how = 'end';
      socket.end();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      how = error.code ?? error.message;
    });
    const fields = `Host: x\r\nAuthorization: Bearer ${client.token}\r\nFault: ${fault}`;
    socket.write(`${line} HTTP/1.1\r\n${fields}\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    const [head = '', body] = found.split('\r\n\r\n');
    return { head, body, how };
  };
  const CHUNK = `${BODY.length.toString(16)}\r\n`;

  test('a body is cut at a byte, whatever shows the client where it ends', async () => {
    const client = await enter();
    await create(client);
    for (const [fault, body, framing] of [
      ['truncate', BODY.slice(0, 11), /Content-Length: 22\r\n/],
      ['truncate;bytes=3', '{"i', /Content-Length: 22\r\n/],
      ['truncate;bytes=0', '', /Content-Length: 22\r\n/],
      ['truncate;bytes=99', BODY.slice(0, -1), /Content-Length: 22\r\n/],
      ['truncate;bytes=3;framing=chunked', `${CHUNK}{"i`, /Transfer-Encoding: chunked\r\n/],
      ['truncate;bytes=0;framing=chunked', CHUNK, /Transfer-Encoding: chunked\r\n/],
      ['truncate;bytes=3;framing=close', '{"i', /^(?!.*(?:Content-Length|Transfer-Encoding))/s],
      ['truncate;bytes=3;ms=20', '{"i', /Content-Length: 22\r\n/],
    ] as const) {
      const found = await readAll(client, fault);
      assert.deepEqual([found.body, found.how], [body, 'end'], fault);
      assert.match(found.head, /^HTTP\/1\.1 200 OK\r\nDate: .+\r\nConnection: close$/s);
      assert.match(found.head, framing, fault);
    }
  });

  test('a response is cut inside its head, and the record shows that the client got none', async () => {
    const client = await enter();
    const found = await readAll(client, 'truncate;part=head;bytes=12', 'GET /plants');
    assert.deepEqual([found.head, found.body, found.how], ['HTTP/1.1 200', undefined, 'end']);
    const half = await readAll(client, 'truncate;part=head;when=afterCommit', 'DELETE /plants/7');
    assert.match(half.head, /^HTTP\/1\.1 404 Not Found\r\n/);
    assert.equal(half.body, undefined);
    const recorded = (await client.send('GET', '/sandbox/requests')).json() as { status: number; response?: string }[];
    assert.deepEqual(
      recorded.map(({ status, response }) => [status, response]),
      [
        [200, 'lost'],
        [404, 'lost'],
      ],
    );
  });

  test('after the head nothing follows until the client leaves', async () => {
    const client = await enter();
    await create(client);
    let isOpen = false;
    const found = await readAll(client, 'truncate;bytes=0;ms=30000', 'GET /plants/1', (socket) => {
      isOpen = socket.readable;
      socket.end();
    });
    assert.deepEqual([found.body, found.how, isOpen], ['', 'end', true]);
    assert.match(found.head, /Content-Length: 22\r\n/);
  });

  test('a close ends the connection with FIN, and a reset with RST', async () => {
    const client = await enter();
    assert.deepEqual(await readAll(client, 'close'), { head: '', body: undefined, how: 'end' });
    assert.deepEqual(await readAll(client, 'reset'), { head: '', body: undefined, how: 'ECONNRESET' });
  });

  /** Sends requests on one connection as long as the service keeps it open. */
  const onOneConnection = (client: Client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    after(() => agent.destroy());
    let id = 0;
    return async (fault = '') => {
      const headers = { Authorization: `Bearer ${client.token}`, 'Content-Type': 'application/json' };
      const sent = request(`${client.url}/plants`, {
        method: 'POST',
        agent,
        headers: { ...headers, ...(fault !== '' && { Fault: fault }) },
      });
      sent.end(JSON.stringify({ id: ++id, name: 'Fern' }));
      const response = await new Promise<IncomingMessage | undefined>((resolve) => {
        sent.on('response', resolve);
        sent.on('error', () => resolve(undefined));
      });
      await response?.resume().toArray();
      return {
        text: `${response?.statusCode ?? 'nothing'}, ${sent.reusedSocket ? 'reused' : 'new'}`,
        socket: sent.socket,
      };
    };
  };

  for (const kind of ['close', 'reset']) {
    test(`an idle connection ends as a request arrives, which is not carried out (${kind})`, async () => {
      const client = await enter({
        fault: { kind, connection: 'reused' },
        match: { operation: 'createPlant' },
        times: 1,
      });
      const post = onOneConnection(client);
      const found = [];
      for (let i = 0; i < 4; i++) found.push((await post()).text);
      assert.deepEqual(found, ['200, new', 'nothing, reused', '200, new', '200, reused']);
      assert.doesNotMatch(await stored(client), /"id":2,/);
    });
  }

  test('a connection ends while it is idle after its response', async () => {
    const client = await enter();
    const post = onOneConnection(client);
    const first = await post('idle;ms=20');
    assert.equal(first.text, '200, new');
    assert.ok(first.socket);
    if (!first.socket.destroyed) await once(first.socket, 'close');
    assert.equal((await post('idle;ms=30000')).text, '200, new');
    assert.equal((await post()).text, '200, reused');
  });

  test('and no request that already waits on the connection is lost by that', async () => {
    const client = await enter();
    const socket = connect({ port: Number(new URL(client.url).port), host: '127.0.0.1' });
    const get = (fault: string, more = '') =>
      `GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\nFault: ${fault}\r\n${more}\r\n`;
    socket.write(get('idle;ms=1') + get('delay;ms=200', 'Connection: close\r\n'));
    const text = (await socket.toArray()).join('');
    assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 2, text);
  });
});
