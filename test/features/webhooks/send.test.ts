/** One attempt of a delivery, to receivers of the test on loopback that do what receivers on the network do. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, get, setGlobalProxyFromEnv } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import {
  type AddressInfo,
  createServer,
  getDefaultAutoSelectFamilyAttemptTimeout,
  type Server,
  type Socket,
  setDefaultAutoSelectFamilyAttemptTimeout,
} from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { freePort } from '../../../lab/grade/receiver/free-port.ts';
import type { Outcome } from '../../../src/feature.ts';
import { createDestinations, type Destination } from '../../../src/features/events/webhooks/destination.ts';
import { createSender, type SenderOptions } from '../../../src/features/events/webhooks/send.ts';
import { version } from '../../../src/util/version.generated.ts';

const check = createDestinations(['127.0.0.0/8'], async (name) =>
  /^receiver\.example\.?$/.test(name) ? ['127.0.0.1'] : ['10.0.0.1'],
);
const FOREVER = new AbortController().signal;

interface Receiver extends AsyncDisposable {
  readonly url: URL;
  /** How many connections were opened. */
  readonly opened: () => number;
}

async function listen(server: Server, scheme = 'http'): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let opened = 0;
  let isClosed = false;
  server.on('connection', (socket: Socket) => {
    opened++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    // A connection that was accepted late would keep the server open for ever.
    if (isClosed) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/hook?store=a%20b`),
    opened: () => opened,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** A receiver that does something with each connection after the first bytes of a request. */
const onRequest = (act: (socket: Socket) => void) =>
  listen(createServer((socket) => socket.on('data', () => act(socket))));

/** A receiver that sends these bytes to each request. */
const responding = (response: string) => onRequest((socket) => socket.write(response));

const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';

const createTestSender = (options: Partial<SenderOptions> = {}) =>
  createSender({ timeout: 15_000, now: Date.now, ...options });

function destinationOf({ url }: { readonly url: URL }, own = check): Destination {
  const checked = own(url.href, true);
  if (typeof checked === 'string') return assert.fail(checked);
  return checked;
}

async function send(
  receiver: { readonly url: URL },
  options: Partial<SenderOptions> = {},
  body: string | Uint8Array = '{}',
  signal = FOREVER,
  own = check,
): Promise<Outcome> {
  const sender = createTestSender(options);
  try {
    return await sender.send(destinationOf(receiver, own), { 'webhook-id': 'e1' }, body, signal);
  } finally {
    sender.close();
  }
}

async function failureOf(
  receiver: { readonly url: URL },
  options?: Partial<SenderOptions>,
  own = check,
): Promise<string | undefined> {
  const { status, failure, response } = await send(receiver, options, '{}', FOREVER, own);
  assert.deepEqual([status, response], [undefined, undefined]);
  return failure;
}

describe('an attempt', () => {
  test('is a POST with the header fields and the bytes that were given', async () => {
    const body = Buffer.from('{"name":"Aloë 🌵","no":"\u2028 \\ud800"}\n');
    const seen: unknown[] = [];
    const server = createHttpServer(async (request, response) => {
      const { 'user-agent': agent, host, connection, ...headers } = request.headers;
      seen.push(request.method, request.url, agent, headers, await text(request), host === receiver.url.host);
      response.writeHead(201, { 'x-other': 'a' }).end('{"ok":true}');
    });
    await using receiver = await listen(server);
    assert.deepEqual(await send(receiver, {}, body), {
      status: 201,
      response: '{"ok":true}',
    });
    const headers = { 'content-type': 'application/json', 'content-length': `${body.length}`, 'webhook-id': 'e1' };
    const agent = `Plant-Store/${version} (webhooks)`;
    assert.deepEqual(seen, ['POST', '/hook?store=a%20b', agent, headers, body.toString(), true]);
  });

  test('goes to the address that was looked up for a name', async () => {
    await using receiver = await responding(NO_CONTENT);
    const url = new URL(receiver.url);
    url.hostname = 'receiver.example';
    assert.equal((await send({ url })).status, 204);
  });

  for (const status of [200, 299, 300, 301, 302, 303, 307, 308, 400, 404, 410, 429, 500, 503, 999]) {
    test(`has the status ${status}, and follows no redirect`, async () => {
      await using elsewhere = await responding(NO_CONTENT);
      const location = `Location: ${elsewhere.url}\r\n`;
      await using receiver = await responding(`HTTP/1.1 ${status} X\r\n${location}Content-Length: 0\r\n\r\n`);
      assert.deepEqual(await send(receiver), { status, response: '' });
      assert.equal(elsewhere.opened(), 0);
    });
  }

  test('uses no proxy of the environment', async () => {
    await using proxy = await responding('HTTP/1.1 502 Proxy\r\nContent-Length: 0\r\n\r\n');
    await using receiver = await responding(NO_CONTENT);
    const restore = setGlobalProxyFromEnv({ http_proxy: proxy.url.origin, https_proxy: proxy.url.origin });
    try {
      assert.equal((await send(receiver)).status, 204);
      assert.equal(proxy.opened(), 0);
      // The control: another client does use the proxy.
      const [response] = await once(get(receiver.url), 'response');
      assert.equal(response.statusCode, 502);
    } finally {
      restore();
    }
  });
});

describe('a name with several addresses', () => {
  test('has a receiver at one of them, which accepts the connection late', async () => {
    await using receiver = await responding(NO_CONTENT);
    const several = createDestinations(['127.0.0.0/8', '::1'], async () => {
      // The service learns late that the connection was accepted, as if the first packet had been lost.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100));
      return ['127.0.0.1', '::1'];
    });
    const url = new URL(receiver.url);
    url.hostname = 'receiver.example';
    const usual = getDefaultAutoSelectFamilyAttemptTimeout();
    setDefaultAutoSelectFamilyAttemptTimeout(10);
    try {
      assert.equal((await send({ url }, {}, '{}', FOREVER, several)).status, 204);
    } finally {
      setDefaultAutoSelectFamilyAttemptTimeout(usual);
    }
  });

  test('has a receiver at the last of them', async () => {
    await using receiver = await responding(NO_CONTENT);
    const several = createDestinations(['127.0.0.0/8', '::1'], async () => ['127.0.0.2', '::1', '127.0.0.1']);
    const url = new URL(receiver.url);
    url.hostname = 'receiver.example';
    assert.equal((await send({ url }, {}, '{}', FOREVER, several)).status, 204);
  });
});

describe('a destination that is not permitted gets nothing', () => {
  test('by its name', async () => {
    await using receiver = await responding(NO_CONTENT);
    const url = new URL(receiver.url);
    url.hostname = 'private.example';
    assert.equal(
      await failureOf({ url }),
      'the name private.example was not found, or has an address that is not in a network of --webhook-allow',
    );
    assert.equal(receiver.opened(), 0);
  });
});

describe('a receiver that is slow', () => {
  const timeout = 100;

  for (const [what, act] of Object.entries({
    'accepts and never responds': () => undefined,
    'sends a header field now and then': (socket: Socket) => {
      const timer = setInterval(() => socket.write('X-Slow: a\r\n'), 10);
      socket.write('HTTP/1.1 200 OK\r\n');
      socket.on('close', () => clearInterval(timer));
    },
    'sends informational responses now and then': (socket: Socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 10);
      socket.on('close', () => clearInterval(timer));
    },
  })) {
    test(`and ${what} has no response in time, and its connection is closed`, async () => {
      const closed = Promise.withResolvers<void>();
      await using receiver = await onRequest((socket) => {
        socket.on('close', closed.resolve);
        act(socket);
      });
      assert.equal(await failureOf(receiver, { timeout }), 'no response within 0.1 s');
      await closed.promise;
    });
  }

  test('and sends its body drop by drop has its status, and its connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    await using receiver = await onRequest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const timer = setInterval(() => socket.write('1\r\nx\r\n'), 5);
      socket.on('close', () => {
        clearInterval(timer);
        closed.resolve();
      });
    });
    const { status, failure, response } = await send(receiver, { timeout: 1_000 });
    assert.deepEqual([status, failure], [200, undefined]);
    assert.match(response ?? '', /^x+$/);
    await closed.promise;
  });

  test('does not hold an attempt when the service stops', async () => {
    const stopping = new AbortController();
    await using receiver = await onRequest(() => stopping.abort());
    const outcome = await send(receiver, {}, '{}', stopping.signal);
    assert.equal(outcome.failure, 'the attempt was ended before the response');
    const opened = receiver.opened();
    assert.equal((await send(receiver, {}, '{}', stopping.signal)).failure, outcome.failure);
    assert.equal(receiver.opened(), opened);
  });

  test('is not waited for while its name is looked up', async () => {
    const silent = createDestinations(['127.0.0.0/8'], () => new Promise<never>(() => undefined));
    const url = new URL('https://receiver.example/');
    assert.equal(await failureOf({ url }, { timeout }, silent), 'no response within 0.1 s');
  });
});

describe('a receiver that sends too much', () => {
  test('has the first KiB of its body read, and its connection is closed', async () => {
    const MOST = 64 * 2 ** 20;
    let sent = 0;
    const closed = Promise.withResolvers<void>();
    await using receiver = await onRequest((socket) => {
      socket.on('close', closed.resolve);
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const more = () => {
        while (!socket.destroyed && socket.write('é'.repeat(32_768)));
        if (socket.bytesWritten > MOST) socket.destroy();
        sent = socket.bytesWritten;
      };
      socket.on('drain', more);
      more();
    });
    const { status, response } = await send(receiver);
    assert.deepEqual([status, response], [200, 'é'.repeat(512)]);
    await closed.promise;
    assert.ok(sent < MOST);
  });

  for (const [what, text] of Object.entries({
    'informational responses': 'HTTP/1.1 102 Processing\r\n\r\n',
    'empty lines': '\r\n',
  })) {
    test(`as ${what} before the response has a part of them read, and its connection is closed`, async () => {
      const piece = text.repeat(1_000);
      const closed = Promise.withResolvers<void>();
      await using receiver = await onRequest((socket) => {
        socket.on('close', closed.resolve);
        const more = () => {
          while (!socket.destroyed && socket.write(piece));
        };
        socket.on('drain', more);
        more();
      });
      assert.equal(await failureOf(receiver), 'the receiver sent more than 256 KiB before the response');
      await closed.promise;
    });
  }

  test('has no character of its body cut into pieces, and no character that PostgreSQL cannot store', async () => {
    await using receiver = await responding(`HTTP/1.1 200 OK\r\nContent-Length: 2050\r\n\r\n\0\0${'a🌵b'.repeat(400)}`);
    const { response = '' } = await send(receiver);
    assert.equal(response, `\ufffd\ufffd${'a🌵b'.repeat(170)}a`);
  });

  test('may send header fields of 16 KiB, and no more', async () => {
    for (const [length, expected] of [
      [15_000, undefined],
      [20_000, 'the header fields of the response have more than 16 KiB'],
      [1_000_000, 'the header fields of the response have more than 16 KiB'],
    ] as const) {
      const fields = `X-Long: ${'a'.repeat(100)}\r\n`.repeat(length / 110);
      await using receiver = await responding(`HTTP/1.1 200 OK\r\n${fields}Content-Length: 0\r\n\r\n`);
      const { failure } = await send(receiver);
      assert.equal(failure, expected);
    }
  });
});

describe('a receiver that fails', () => {
  test('refuses the connection', async () => {
    const url = new URL(`http://127.0.0.1:${await freePort()}/`);
    assert.equal(await failureOf({ url }), 'the connection was refused');
  });

  for (const [what, act] of Object.entries({
    'resets the connection': (socket: Socket): void => void socket.resetAndDestroy(),
    'closes the connection': (socket: Socket): void => void socket.end(),
    'closes it after half a header': (socket: Socket): void => void socket.end('HTTP/1.1 200 OK\r\nContent-'),
    'switches to another protocol': (socket: Socket): void =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  })) {
    test(`${what}: a failure, after one connection`, async () => {
      await using receiver = await onRequest(act);
      assert.equal(await failureOf(receiver), 'the connection was closed before the response');
      assert.equal(receiver.opened(), 1);
    });
  }

  test('resets the connection within its body: the status counts', async () => {
    await using receiver = await onRequest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc', () => setImmediate(() => socket.destroy()));
    });
    const { status, failure } = await send(receiver);
    assert.deepEqual([status, failure], [200, undefined]);
  });

  for (const response of ['SSH-2.0-OpenSSH_9.6\r\n', 'HTTP/1.1 200 OK\nX\0Y: a\n\n', '+PONG\r\n', '<html>\r\n\r\n']) {
    test(`sends ${JSON.stringify(response)}: not valid HTTP`, async () => {
      await using receiver = await responding(response);
      assert.match((await failureOf(receiver)) ?? '', /^the response is not valid HTTP \(HPE_\w+\)$/);
    });
  }
});

describe('a kept connection', () => {
  test('is used again', async () => {
    await using receiver = await responding(NO_CONTENT);
    const sender = createTestSender();
    for (let count = 0; count < 3; count++) {
      assert.equal((await sender.send(destinationOf(receiver), {}, '{}', FOREVER)).status, 204);
    }
    sender.close();
    assert.equal(receiver.opened(), 1);
  });

  for (const how of ['closed', 'reset'] as const) {
    test(`that the receiver has ${how} when the next request comes is replaced by a fresh one`, async () => {
      let requests = 0;
      const receiver = await onRequest((socket) => {
        requests++;
        if (requests !== 2) socket.write(NO_CONTENT);
        else if (how === 'closed') socket.end();
        else socket.resetAndDestroy();
      });
      const sender = createTestSender();
      for (let count = 0; count < 2; count++) {
        const outcome = await sender.send(destinationOf(receiver), {}, '{}', FOREVER);
        assert.deepEqual(outcome, { status: 204, response: '' });
      }
      assert.deepEqual([requests, receiver.opened()], [3, 2]);
      sender.close();
      await receiver[Symbol.asyncDispose]();
    });
  }

  test('is not replaced by another one that may be closed too', async () => {
    let requests = 0;
    const first: Socket[] = [];
    await using receiver = await onRequest((socket) => {
      requests++;
      if (requests <= 2) first.push(socket);
      if (requests === 2) for (const each of first) each.write(NO_CONTENT);
      if (requests === 3 || requests === 4) socket.resetAndDestroy();
      if (requests > 4) socket.write(NO_CONTENT);
    });
    const sender = createTestSender();
    const attempt = () => sender.send(destinationOf(receiver), {}, '{}', FOREVER);
    const both = await Promise.all([attempt(), attempt()]);
    assert.deepEqual([both.map(({ status }) => status), receiver.opened()], [[204, 204], 2]);
    const { failure } = await attempt();
    assert.deepEqual([failure, receiver.opened()], ['the connection was closed before the response', 3]);
    assert.equal((await attempt()).status, 204);
    sender.close();
  });

  test('is replaced only once in an attempt', async () => {
    let requests = 0;
    await using receiver = await onRequest((socket) => {
      if (++requests === 1) socket.write(NO_CONTENT);
      else socket.resetAndDestroy();
    });
    const sender = createTestSender();
    await sender.send(destinationOf(receiver), {}, '{}', FOREVER);
    const { failure } = await sender.send(destinationOf(receiver), {}, '{}', FOREVER);
    sender.close();
    assert.deepEqual([failure, requests], ['the connection was closed before the response', 3]);
  });
});

describe('https', async () => {
  const ofReceiver = (options: Parameters<typeof generate>[1] = {}) =>
    generate([{ name: 'commonName', value: 'receiver.example' }], {
      keySize: 2048,
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'receiver.example' }] }],
      ...options,
    });
  const good = await ofReceiver();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const old = await ofReceiver({ notBeforeDate: daysAgo(2), notAfterDate: daysAgo(1) });
  const authority = await generate([{ name: 'commonName', value: 'authority' }], {
    keySize: 2048,
    extensions: [{ name: 'basicConstraints', cA: true }],
  });
  const ofAuthority = await ofReceiver({ ca: { key: authority.private, cert: authority.cert } });
  const usual = getCACertificates('default');
  after(() => setDefaultCACertificates(usual));
  const open = ({ cert, private: key }: typeof good, options: ServerOptions = {}) =>
    listen(
      createHttpsServer({ cert, key, ...options }, (_request, response) => response.writeHead(204).end()),
      'https',
    );
  const named = ({ url }: Receiver, name = 'receiver.example') => {
    const result = new URL(url);
    result.hostname = name;
    return { url: result };
  };

  test('a receiver with a certificate that the machine trusts gets the message', async () => {
    await using receiver = await open(good);
    setDefaultCACertificates([...usual, good.cert]);
    assert.deepEqual(await send(named(receiver)), { status: 204, response: '' });
    setDefaultCACertificates(usual);
  });

  test('a receiver whose name ends with a dot gets the message, and its name without the dot', async () => {
    const names: string[] = [];
    await using receiver = await open(good, {
      SNICallback(name, callback) {
        names.push(name);
        callback(null);
      },
    });
    setDefaultCACertificates([...usual, good.cert]);
    assert.equal((await send(named(receiver, 'receiver.example.'))).status, 204);
    assert.deepEqual(names, ['receiver.example']);
    setDefaultCACertificates(usual);
  });

  test('a receiver with another certificate gets nothing, whatever NODE_TLS_REJECT_UNAUTHORIZED is', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      setDefaultCACertificates(usual);
      await using unknown = await open(good);
      assert.equal(await failureOf(named(unknown)), 'the certificate is not valid: it is self-signed');
      await using ofUnknown = await open(ofAuthority);
      assert.equal(await failureOf(named(ofUnknown)), 'the certificate is not valid: its issuer is unknown');
      setDefaultCACertificates([...usual, good.cert, old.cert, authority.cert]);
      assert.equal((await send(named(ofUnknown))).status, 204);
      assert.equal(await failureOf(unknown), 'the certificate is not valid: it belongs to another host');
      await using expired = await open(old);
      assert.equal(await failureOf(named(expired)), 'the certificate is not valid: it has expired');
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      setDefaultCACertificates(usual);
    }
  });

  test('a receiver that asks for another handshake gets none', async () => {
    await using receiver = await listen(
      createHttpsServer({ cert: good.cert, key: good.private, maxVersion: 'TLSv1.2' }, ({ socket }, response) => {
        (socket as TLSSocket).renegotiate({}, () => response.writeHead(204).end());
      }),
      'https',
    );
    setDefaultCACertificates([...usual, good.cert]);
    assert.match((await failureOf(named(receiver))) ?? '', /^the TLS handshake failed/);
    setDefaultCACertificates(usual);
  });

  test('a port that speaks no TLS gets nothing', async () => {
    await using receiver = await responding(NO_CONTENT);
    const url = new URL(receiver.url.href.replace('http:', 'https:'));
    assert.match((await failureOf({ url })) ?? '', /^the TLS handshake failed \((EPROTO|ERR_SSL_\w+)\)$/);
  });
});

describe('Retry-After', () => {
  const zone = process.env['TZ'];
  before(() => {
    // The zone of the service must not matter.
    process.env['TZ'] = 'America/New_York';
  });
  after(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  const now = () => Date.UTC(2026, 10, 26, 22, 0, 0);
  const CASES: Readonly<Record<string, number | undefined>> = {
    '0': 0,
    '1': 1_000,
    '3600': 3_600_000,
    '3601': 3_600_000,
    '99999999999999999999999999': 3_600_000,
    'Thu, 26 Nov 2026 22:00:30 GMT': 30_000,
    'Thursday, 26-Nov-26 22:00:30 GMT': 30_000,
    'Thu Nov 26 22:00:30 2026': 30_000,
    'Thu, 26 Nov 2026 21:00:00 GMT': 0,
    'Fri, 27 Nov 2026 22:00:00 GMT': 3_600_000,
    'Thu, 99 Nov 2026 22:00:00 GMT': undefined,
    soon: undefined,
    '-1': undefined,
    '1.5': undefined,
    '2026-11-26T22:00:30Z': undefined,
    '': undefined,
  };
  for (const [value, expected] of Object.entries(CASES)) {
    test(`"${value}" is ${expected} ms`, async () => {
      await using receiver = await responding(
        `HTTP/1.1 503 Busy\r\nRetry-After: ${value}\r\nContent-Length: 0\r\n\r\n`,
      );
      const { status, retryAfter } = await send(receiver, { now });
      assert.deepEqual([status, retryAfter], [503, expected]);
    });
  }
});
