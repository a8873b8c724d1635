/** A body in many small chunks takes little memory and few turns, whoever sends it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../harness/client.ts';
import { serveProcess } from '../harness/process.ts';
import { startTestService } from '../harness/service.ts';

const CHUNK = '1\r\n \r\n';
const CHUNKED = 'POST /plants HTTP/1.1\r\nHost:\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
const END = '0\r\n\r\n';

async function send(url: string, text: string, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

const heapOf = (megabytes: number) => ({ NODE_OPTIONS: `--max-old-space-size=${megabytes}` });

describe('a body in chunks of one byte', { concurrency: true }, () => {
  // Node keeps up to 16 KiB of a body that nobody reads, and needs 211 bytes of memory for each of its chunks.
  test('takes no more memory than its bytes, also on many connections without a token', async () => {
    await using service = await serveProcess(['--database', 'temporary', '--request-timeout', '5m'], heapOf(144));
    const text = `${CHUNKED}\r\n${CHUNK.repeat(15_000)}`;
    const sockets = await Promise.all(Array.from({ length: 60 }, () => send(service.url, text)));
    for (const response of await Promise.all(sockets.map((socket) => once(socket, 'data')))) {
      assert.match(String(response), /^HTTP\/1\.1 401 /);
    }
    for (const socket of sockets) socket.destroy();
    const client = createClient(service.url, service.token ?? '');
    assert.equal((await client.send('GET', '/plants')).status, 200);
    client.close();
  });

  test('takes no memory after its client has left', async () => {
    await using service = await serveProcess(['--database', 'temporary'], heapOf(144));
    const text = `${CHUNKED}\r\n${CHUNK.repeat(15_000)}`;
    const sockets = await Promise.all(Array.from({ length: 300 }, () => send(service.url, text)));
    await sleep(200);
    for (const socket of sockets) socket.resetAndDestroy();
    // A request of the same address has its turn after theirs.
    const client = createClient(service.url, service.token ?? '');
    assert.equal((await client.send('GET', '/plants')).status, 200);
    client.close();
  });

  test('arrives whole, and so do the requests behind it', async () => {
    await using service = await startTestService();
    const { url, token } = service.client;
    const body = (id: number) => [...`{"id":${id},"name":"Aloe"}`].map((byte) => CHUNK.replace(' ', byte)).join('');
    const create = (id: number) =>
      `${CHUNKED}Authorization: Bearer ${token}\r\n\r\n`.concat(`${CHUNK.repeat(20_000)}${body(id)}${END}`);
    const socket = await send(url, `${create(1)}${create(2)}GET /healthz HTTP/1.1\r\nHost:\r\n\r\n${create(3)}`);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    while (received.split('HTTP/1.1 200 OK').length - 1 < 4) await once(socket, 'data');
    socket.destroy();
    assert.equal((await service.client.send('GET', '/plants')).text.split('Aloe').length - 1, 3);
  });

  test('that is refused does not keep the connection from serving the next request', async () => {
    await using service = await startTestService();
    const { url } = service.client;
    const socket = await send(url, `${CHUNKED}\r\n${CHUNK}`);
    const [refusal] = await once(socket, 'data');
    assert.match(String(refusal), /^HTTP\/1\.1 401 /);
    socket.write(`${CHUNK.repeat(50_000)}${END}GET /healthz HTTP/1.1\r\nHost:\r\n\r\n`);
    const [response] = await once(socket, 'data');
    assert.match(String(response), /^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});
