/** The address of a visitor: the limits for addresses count every spelling of an address as one. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, type TestService } from '../../harness/service.ts';
import { waitUntil } from './sandbox.ts';

const PROXY = '127.0.0.1';
const WARNING = 'sent X-Forwarded-For';

/** Creates a sandbox for a visitor that a trusted proxy forwards; resolves to the status. */
async function createFor({ client }: TestService, forwarded: string): Promise<number> {
  const headers = { 'X-Forwarded-For': forwarded };
  return (await client.send('POST', '/sandboxes', { token: null, body: {}, headers })).status;
}

describe('if each address may have one sandbox', async () => {
  const service = await startTestService({ sandboxes: 100, sandboxesPerAddress: 1, trustProxy: [PROXY, '10.0.0.0/8'] });
  after(() => service[Symbol.asyncDispose]());

  for (const [kind, first, ...others] of [
    ['IPv4', '192.0.2.1', '192.0.2.1:4711', '::ffff:192.0.2.1', '[::ffff:c000:201]:443', '0:0:0:0:0:FFFF:192.0.2.1'],
    ['IPv6', '2001:db8::1', '[2001:db8::1]', '[2001:DB8:0:0::2]:443', '2001:0db8:0000:0000:ffff::', '2001:db8::%eth0'],
    [
      'an address behind several proxies',
      '198.51.100.1',
      '203.0.113.9, 198.51.100.1:80, [::ffff:10.1.2.3]:80, 10.9.9.9',
    ],
  ] as const) {
    test(`every spelling of ${kind} is the same address`, async () => {
      assert.equal(await createFor(service, first), 201);
      for (const other of others) assert.equal(await createFor(service, other), 429, other);
    });
  }

  test('two addresses, and two /64 networks, are different', async () => {
    for (const one of ['192.0.2.77:1', '192.0.2.78:1', '[2001:db8:7::1]:1', '[2001:db8:7:1::1]:1']) {
      assert.equal(await createFor(service, one), 201, one);
    }
  });

  test('the proxy counts as the client if it forwards no address', async () => {
    assert.equal(await createFor(service, 'unknown'), 201);
    assert.equal(await createFor(service, '_hidden, 10.0.0.1'), 201);
    assert.equal(await createFor(service, 'localhost'), 429);
  });

  test('no warning about X-Forwarded-For is logged', () => assert.ok(!service.log().includes(WARNING)));
});

test('X-Forwarded-For from a client that is not a trusted proxy is ignored, and logged once', async () => {
  await using service = await startTestService({ sandboxes: 10, sandboxesPerAddress: 1 });
  const { client } = service;
  assert.equal((await client.send('POST', '/sandboxes', { token: null, body: {} })).status, 201);
  assert.ok(!service.log().includes(WARNING));
  for (const one of ['192.0.2.1', '192.0.2.2']) assert.equal(await createFor(service, one), 429);
  await waitUntil(async () => service.log().includes(WARNING));
  assert.equal(service.log().split(WARNING).length, 2);
  assert.match(service.log(), /"from":"127\.0\.0\.1".*add its address to --trust-proxy/);
});
