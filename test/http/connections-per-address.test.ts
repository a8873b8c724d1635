/** One address cannot take all connections: addresses of loopback stand for clients and proxies. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import selfsigned from 'selfsigned';
import { createDirectory } from '../harness/directory.ts';
import { startTestService, type TestService } from '../harness/service.ts';

const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
const SERVED = /^HTTP\/1\.1 200 /;
const portOf = ({ client }: TestService) => Number(new URL(client.url).port);

/** Sends a request. Resolves to the response, or to nothing if the service closes the connection. */
function ask(socket: Socket): Promise<string> {
  socket.on('error', () => undefined);
  socket.write(REQUEST);
  return new Promise((resolve) => {
    socket.once('data', (received) => resolve(received.toString('latin1')));
    socket.once('close', () => resolve(''));
  });
}

const open = (port: number, localAddress: string) => connect({ port, host: '127.0.0.1', localAddress });

/** Opens a connection for one request. */
function askOnce(socket: Socket): Promise<string> {
  return ask(socket).finally(() => socket.destroy());
}

const from = (port: number, address: string) => askOnce(open(port, address));

/** Opens a connection that stays open after its request was served. */
async function hold(port: number, address: string): Promise<Socket> {
  const socket = open(port, address);
  assert.match(await ask(socket), SERVED);
  return socket;
}

test('an address at its limit gets no further connection, until one closes; another address gets one', async () => {
  await using service = await startTestService({ maxConnectionsPerAddress: 3 });
  const port = portOf(service);
  const held = await Promise.all([1, 2, 3].map(() => hold(port, '127.0.0.1')));
  assert.equal(await from(port, '127.0.0.1'), '');
  assert.match(await from(port, '127.0.0.2'), SERVED);
  assert.match(await ask(held[0] as Socket), SERVED, 'the connections that it has stay open');
  held[0]?.destroy();
  // The service notices the end of a connection a moment later.
  let again = open(port, '127.0.0.1');
  while ((await ask(again)) === '') again = open(port, '127.0.0.1');
  assert.equal(await from(port, '127.0.0.1'), '');
  for (const socket of [...held, again]) socket.destroy();
  assert.match(
    service.log(),
    /"from":"127\.0\.0\.1","why":"the limit of --max-connections-per-address is reached",.*a new connection was closed/,
  );
});

test('the limit per address does not apply to a trusted proxy', async () => {
  await using service = await startTestService({ maxConnectionsPerAddress: 1, trustProxy: ['127.0.0.2/31'] });
  const port = portOf(service);
  const held = await Promise.all(['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((address) => hold(port, address)));
  for (const proxy of ['127.0.0.2', '127.0.0.3']) assert.match(await from(port, proxy), SERVED);
  assert.equal(await from(port, '127.0.0.1'), '');
  for (const socket of held) socket.destroy();
});

test('an IPv4 address is the same address on a socket of IPv6', async () => {
  await using service = await startTestService({ host: '::', maxConnectionsPerAddress: 1, trustProxy: ['127.0.0.2'] });
  const port = portOf(service);
  const held = await Promise.all(['127.0.0.1', '127.0.0.2'].map((address) => hold(port, address)));
  assert.match(await from(port, '127.0.0.2'), SERVED);
  assert.match(await from(port, '127.0.0.3'), SERVED);
  assert.equal(await from(port, '127.0.0.1'), '');
  for (const socket of held) socket.destroy();
});

test('connections within their TLS handshake count, and the service survives those that it refuses', async () => {
  using directory = createDirectory();
  const { private: key, cert } = await selfsigned.generate([{ name: 'commonName', value: 'localhost' }]);
  const [tlsKey, tlsCert] = [directory.at('key.pem'), directory.at('cert.pem')];
  writeFileSync(tlsKey, key);
  writeFileSync(tlsCert, cert);
  await using service = await startTestService({ tlsKey, tlsCert, maxConnectionsPerAddress: 1 });
  const port = portOf(service);
  const secure = (address: string) => askOnce(connectTls({ socket: open(port, address), rejectUnauthorized: false }));
  const silent = open(port, '127.0.0.1');
  await once(silent, 'connect');
  // The service accepts connections in their order.
  for (let round = 0; round < 10; round++) assert.equal(await secure('127.0.0.1'), '');
  assert.match(await secure('127.0.0.2'), SERVED);
  silent.destroy();
  while ((await secure('127.0.0.1')) === '') await sleep(10);
});
