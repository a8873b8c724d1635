/**
 * Where webhooks may be sent. Each decision about a hostile URL or name is compared, with name servers of the test.
 * Nothing is ever sent to a public address.
 */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { getServers, setServers } from 'node:dns';
import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import {
  createDestinations,
  type Destination,
  DestinationError,
} from '../../../src/features/events/webhooks/destination.ts';

interface Rules {
  readonly allow?: readonly string[];
  readonly resolve?: Parameters<typeof createDestinations>[1];
  readonly isPublicPermitted?: boolean;
}

/** Returns the check of the URLs of webhooks. Default: of an operator's store. */
function create({ allow = [], resolve = async () => ['8.8.8.8'], isPublicPermitted = true }: Rules = {}) {
  const check = createDestinations(allow, resolve);
  return (url: string) => check(url, isPublicPermitted);
}

/** Why a URL is refused. Undefined if it is permitted. */
function refusal(url: string, rules: Rules = {}): string | undefined {
  const result = create(rules)(url);
  return typeof result === 'string' ? result : undefined;
}

/** The result of looking up a name whose name servers have these addresses: the addresses, or the error. */
async function lookUp(addresses: readonly string[], url = 'https://receiver.example/', rules: Rules = {}) {
  return resultOf(create({ resolve: async () => addresses, ...rules }), url);
}

function resultOf(check: ReturnType<typeof create>, text: string): Promise<readonly string[] | string> {
  const { url, lookup } = permitted(check(text));
  return new Promise((resolve) => {
    lookup(url.hostname, { all: true }, (error, found) => {
      if (error !== null) return resolve(`${error.name}: ${error.message}`);
      resolve(Array.isArray(found) ? found.map(({ address, family }) => `${address} IPv${family}`) : [found]);
    });
  });
}

function permitted(checked: Destination | string): Destination {
  if (typeof checked === 'string') return assert.fail(checked);
  return checked;
}

/** Addresses that nobody may reach, as name servers can give them. */
const NOT_PUBLIC = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
  ...['127.0.0.1', '127.255.255.254', '169.254.0.1', '169.254.169.254', '169.254.170.2', '172.16.0.1'],
  ...['172.31.255.255', '192.0.0.1', '192.0.0.192', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1'],
  ...['192.168.0.1', '192.175.48.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
  ...['239.255.255.255', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
  ...['::', '::1', '::2', '::7f00:1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:10.0.0.1'],
  ...['::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::169.254.169.254', '64:ff9b:1::a00:1', '100::1'],
  ...['100:0:0:1::1', '2001::1', '2001:0:7f00:1::', '2001:2::1', '2001:3::1', '2001:4:112::1', '2001:10::1'],
  ...['2001:20::1', '2001:30::1', '2001:db8::1', '2002:7f00:1::', '2002:a9fe:a9fe::', '2620:4f:8000::1'],
  ...['3fff::1', '4000::1', '5f00::1', '8000::1', 'fc00::1', 'fd00:ec2::254', 'fd20:ce::254', 'fe80::1'],
  ...['fe80::1%eth0', 'fec0::1', 'ff02::1', 'ff0e::1'],
];

const PUBLIC = ['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.32.0.1', '192.0.3.1', '198.20.0.1'];
const PUBLIC_IPV6 = ['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001::200e', '::ffff:8.8.8.8'];

/** The URL of an address. A zone cannot be part of a URL. */
const urlOf = (address: string) => `https://${address.includes(':') ? `[${address}]` : address}/hook`;

/** The response of a name server (RFC 1035): the first label of the name chooses which addresses it has. */
function respond(query: Buffer): Buffer {
  const question = query.subarray(12, query.indexOf(0, 12) + 5);
  const label = question.toString('latin1', 1, 1 + (question[0] ?? 0));
  const isIPv4 = question.readUInt16BE(question.length - 4) === 1;
  const address = isIPv4 ? Buffer.from([8, 8, 8, 8]) : Buffer.from('26064700470000000000000000001111', 'hex');
  const found = label === 'both' || (label === 'four' && isIPv4);
  const status = { none: 3, failing: 2 }[label] ?? 0;
  const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80 | status, 0, 1, 0, +found, 0, 0, 0, 0]);
  const answer = Buffer.from([0xc0, 12, 0, isIPv4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, address.length, ...address]);
  return Buffer.concat([head, question, ...(found ? [answer] : [])]);
}

describe('a webhook of the public network', () => {
  for (const address of NOT_PUBLIC) {
    test(`is not sent to ${address}, neither by its address nor by a name`, async () => {
      const why = refusal(urlOf(address));
      if (address.includes('%')) assert.equal(why, 'it is not an absolute URL');
      else assert.match(why ?? '', /^its host \S+ is not a public address$/);
      const text =
        'DestinationError: the name receiver.example was not found, or has an address that is not a public address';
      assert.equal(await lookUp([address]), text);
      // One bad address among good ones.
      assert.equal(await lookUp(['8.8.8.8', address]), text);
    });
  }

  for (const address of [...PUBLIC, ...PUBLIC_IPV6]) {
    test(`may be sent to ${address}`, async () => {
      assert.equal(refusal(urlOf(address)), undefined);
      assert.deepEqual(await lookUp([address]), [`${address} IPv${address.includes(':') ? 6 : 4}`]);
    });
  }

  const OTHER_SPELLINGS: Readonly<Record<string, readonly string[]>> = {
    '127.0.0.1': [
      ...['https://2130706433/', 'https://0x7f.1/', 'https://0x7f000001/', 'https://017700000001/', 'https://127.1/'],
      ...['https://0177.0.0.1/', 'https://127.0.0.1./', 'https://127。0。0。1/', 'https://１２７.0.0.1/'],
      ...['https://%31%32%37.0.0.1/', 'https://127.0.0.1:8443/', 'https:127.0.0.1', 'https:\\\\127.0.0.1\\'],
      ...['https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/', 'https://[0:0:0:0:0:ffff:7f00:0001]/'],
      ...['\thttps://127.0.\n0.1/ ', 'HTTPS://127.0.0.1/', 'https:/127.0.0.1'],
    ],
    '169.254.169.254': ['https://0xa9fea9fe/', 'https://2852039166/', 'https://[::ffff:a9fe:a9fe]/'],
    '0.0.0.0': ['https://0/', 'https://0x0/', 'https://0.0/'],
    '::1': ['https://[0:0:0:0:0:0:0:1]/', 'https://[0000::0001]:443/'],
  };
  for (const [address, urls] of Object.entries(OTHER_SPELLINGS)) {
    for (const url of urls) {
      test(`is not sent to ${address}, spelled ${JSON.stringify(url)}`, () => {
        assert.equal(refusal(url), `its host ${address} is not a public address`);
      });
    }
  }

  const REFUSED: Readonly<Record<string, string>> = {
    'http://receiver.example/': 'its scheme must be https, since the service has no --webhook-allow',
    'http://8.8.8.8/': 'its scheme must be https, since the service has no --webhook-allow',
    'ftp://receiver.example/': 'its scheme must be https',
    'file:///etc/passwd': 'its scheme must be https',
    'javascript:alert(1)': 'its scheme must be https',
    'gopher://127.0.0.1:6379/_FLUSHALL': 'its scheme must be https',
    'https://user@receiver.example/': 'it must not contain a user or a password',
    'https://user:secret@receiver.example/': 'it must not contain a user or a password',
    'https://:secret@receiver.example/': 'it must not contain a user or a password',
    'https://receiver.example@127.0.0.1/': 'it must not contain a user or a password',
    'https://receiver.example/#top': 'it must not have a fragment',
    'https://receiver.example/#': 'it must not have a fragment',
    'https://receiver.example:22/': 'its port must be 443 or 8443',
    'https://receiver.example:80/': 'its port must be 443 or 8443',
    'https://receiver.example:6379/': 'its port must be 443 or 8443',
    'https://8.8.8.8:25/': 'its port must be 443 or 8443',
    'https://receiver.example:0/': 'its port must be 443 or 8443',
    'https://receiver.example:65536/': 'it is not an absolute URL',
    'https://[fe80::1%25eth0]/': 'it is not an absolute URL',
    'https://[::1/': 'it is not an absolute URL',
    'https://256.256.256.256/': 'it is not an absolute URL',
    'https://1.2.3.4.5/': 'it is not an absolute URL',
    'https://exa mple/': 'it is not an absolute URL',
    'https:///': 'it is not an absolute URL',
    '//receiver.example/': 'it is not an absolute URL',
    '/hook': 'it is not an absolute URL',
    '': 'it is not an absolute URL',
    'https://localhost/': 'its host localhost is not public',
    'https://LOCALHOST./': 'its host localhost. is not public',
    'https://a.localhost/': 'its host a.localhost is not public',
    'https://ⓛocalhost/': 'its host localhost is not public',
    'https://printer.local/': 'its host printer.local is not public',
    'https://metadata.google.internal/': 'its host metadata.google.internal is not public',
    'https://metadata.google.internal./': 'its host metadata.google.internal. is not public',
    [`https://receiver.example/${'a'.repeat(2_024)}`]: 'it has more than 2048 characters when it is percent-encoded',
  };
  for (const [url, why] of Object.entries(REFUSED)) {
    test(`is not sent to ${JSON.stringify(url.slice(0, 60))}: ${why}`, () => assert.equal(refusal(url), why));
  }

  const GOOD = ['https://receiver.example', 'https://receiver.example/hook?store=1', 'https://receiver.example:8443/'];
  const GOOD_NAMES = [
    'https://xn--bcher-kva.example/',
    'https://local.example/',
    'https://notlocalhost/',
    'https://a.example./',
  ];
  for (const url of [...GOOD, ...GOOD_NAMES, `https://receiver.example/${'a'.repeat(2_023)}`]) {
    test(`may be sent to ${url.slice(0, 60)}`, async () => {
      assert.equal(refusal(url), undefined);
      assert.deepEqual(await lookUp(['8.8.8.8', '2606:4700:4700::1111'], url), [
        '8.8.8.8 IPv4',
        '2606:4700:4700::1111 IPv6',
      ]);
    });
  }
});

describe('a look-up', () => {
  test('decides again each time, since the name servers may change an address', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1'], ['8.8.8.8', '::ffff:10.0.0.1'], ['1.1.1.1']];
    const check = create({ resolve: async () => answers.shift() ?? [] });
    const results = [];
    for (let count = 0; count < 5; count++) results.push(await resultOf(check, 'https://receiver.example/'));
    const refused =
      'DestinationError: the name receiver.example was not found, or has an address that is not a public address';
    assert.deepEqual(results, [['8.8.8.8 IPv4'], refused, refused, ['1.1.1.1 IPv4'], refused]);
  });

  test('asks once for a connection, which uses the address that was checked', async () => {
    const near = createServer((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n')).listen(0, '127.0.0.1');
    await once(near, 'listening');
    const { port } = near.address() as AddressInfo;
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const check = create({ allow: ['127.0.0.0/8'], resolve: async () => answers.shift() ?? [] });
    const { url, lookup } = permitted(check(`http://receiver.example:${port}/`));
    for (const autoSelectFamily of [true, false]) {
      const request = get(url, { lookup, agent: false, ...{ autoSelectFamily } });
      const [result] = await once(request, 'response').catch((error: unknown) => [error]);
      if (autoSelectFamily) assert.deepEqual([result.statusCode, answers.length], [204, 1]);
      // The next look-up finds another address, so nothing is sent.
      else assert.ok(result instanceof DestinationError);
    }
    near.close();
  });

  test('gives a single address to a connection that asks for one', async () => {
    const check = create({ resolve: async () => ['2606:4700:4700::1111', '8.8.8.8'] });
    const found = await new Promise((resolve) => {
      const { url, lookup } = permitted(check('https://receiver.example/'));
      lookup(url.hostname, {}, (error, address, family) => resolve([error, address, family]));
    });
    assert.deepEqual(found, [null, '2606:4700:4700::1111', 6]);
  });

  test('has the same error for an unknown name and for a private one, and another if no server responds', async () => {
    const failing = (code: string) => async () => Promise.reject(Object.assign(new Error(code), { code }));
    const unknown = await lookUp([], undefined, { resolve: failing('ENOTFOUND') });
    assert.equal(unknown, await lookUp(['10.0.0.1']));
    assert.equal(unknown, await lookUp([]));
    assert.equal(unknown, await lookUp([], undefined, { resolve: failing('ENODATA') }));
    assert.equal(unknown, await lookUp(['no address', '']));
    assert.equal(
      await lookUp([], undefined, { resolve: failing('ETIMEOUT') }),
      'DestinationError: the name receiver.example could not be looked up (ETIMEOUT)',
    );
  });

  test('asks the name servers of this machine by default', async () => {
    const server = createSocket('udp4', (query, { port, address }) => server.send(respond(query), port, address));
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    const before = getServers();
    setServers([`127.0.0.1:${server.address().port}`]);
    try {
      const check = createDestinations([]);
      const at = (name: string) => resultOf((url) => check(url, true), `https://${name}/`);
      assert.deepEqual(await at('both.example'), ['8.8.8.8 IPv4', '2606:4700:4700::1111 IPv6']);
      assert.deepEqual(await at('four.example'), ['8.8.8.8 IPv4']);
      assert.match(String(await at('none.example')), /^DestinationError: the name none.example was not found/);
      assert.match(String(await at('failing.example')), /could not be looked up \(ESERVFAIL\)$/);
    } finally {
      setServers(before);
      server.close();
    }
  });

  test('uses at most 16 addresses of a name', async () => {
    const many = Array.from({ length: 4_000 }, (_, index) => `8.8.${index >> 8}.${index & 255}`);
    assert.equal((await lookUp(many)).length, 16);
  });
});

describe('--webhook-allow', () => {
  const rules = { allow: ['127.0.0.0/8', '10.1.0.0/16', 'fd00:1::/32', '192.168.1.5'] };
  const PERMITTED = [
    ...['http://127.0.0.1:3000/', 'https://127.0.0.1:22/', 'http://2130706433/', 'http://[::ffff:127.0.0.1]:1/'],
    ...['http://10.1.2.3/', 'http://[fd00:1::5]:8080/', 'http://192.168.1.5/', 'https://8.8.8.8/'],
  ];
  for (const url of PERMITTED) {
    test(`permits ${url}`, () => assert.equal(refusal(url, rules), undefined));
  }

  const REFUSED = ['http://10.2.0.1/', 'https://10.2.0.1/', 'http://8.8.8.8/', 'https://8.8.8.8:22/', 'http://[::1]/'];
  for (const url of [...REFUSED, 'http://192.168.1.6/', 'http://169.254.169.254/']) {
    test(`does not permit ${url}`, () => {
      assert.match(refusal(url, rules) ?? '', /^its host \S+ is not (a public address or )?in a network of --webhook/);
    });
  }

  test('names both schemes to a user who left the scheme out', () => {
    assert.equal(refusal('localhost:3000/hook', rules), 'its scheme must be http or https');
    assert.equal(refusal('localhost:3000/hook'), 'its scheme must be https');
  });

  test('permits http and other ports for a name only if all its addresses are in the networks', async () => {
    const plain = ['http://receiver.example/', 'https://receiver.example:22/', 'http://receiver.internal:3000/'];
    for (const url of plain) {
      assert.equal(refusal(url, rules), undefined);
      assert.deepEqual(await lookUp(['10.1.0.1'], url, rules), ['10.1.0.1 IPv4']);
      for (const others of [['8.8.8.8'], ['10.1.0.1', '8.8.8.8'], ['10.2.0.1']]) {
        assert.match(
          String(await lookUp(others, url, rules)),
          /an address that is not in a network of --webhook-allow$/,
        );
      }
    }
    assert.deepEqual(await lookUp(['10.1.0.1', '8.8.8.8'], 'https://receiver.example/', rules), [
      '10.1.0.1 IPv4',
      '8.8.8.8 IPv4',
    ]);
    assert.match(String(await lookUp(['169.254.169.254'], 'https://metadata.google.internal/', rules)), /^Destination/);
  });

  test('permits localhost with those loopback addresses that are in the networks, without a name server', async () => {
    const resolve = () => assert.fail('asked a name server');
    const at = (allow: readonly string[], name = 'localhost') =>
      resultOf(create({ allow, resolve }), `http://${name}:3000/`);
    assert.deepEqual(await at(['127.0.0.0/8']), ['127.0.0.1 IPv4']);
    assert.deepEqual(await at(['127.0.0.1', '::1'], 'a.localhost.'), ['127.0.0.1 IPv4', '::1 IPv6']);
    assert.match(String(await at(['10.0.0.0/8'])), /^DestinationError: the name localhost was not found/);
  });

  test('without public addresses, only these networks are permitted, or none', async () => {
    const sandbox = { ...rules, isPublicPermitted: false };
    assert.equal(refusal('http://127.0.0.1:3000/', sandbox), undefined);
    assert.equal(refusal('https://8.8.8.8/', sandbox), 'its host 8.8.8.8 is not in a network of --webhook-allow');
    assert.match(String(await lookUp(['8.8.8.8'], undefined, sandbox)), /^DestinationError/);
    const inboxes = 'a demo or a sandbox of this service delivers only to inboxes';
    assert.equal(refusal('https://receiver.example/', { isPublicPermitted: false }), inboxes);
  });
});
