/** What one connection may hold: its answers, its place among the connections, and everybody else's time. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestService, type TestService } from '../harness/service.ts';

const limits = { maxBody: 65_536, maxHeader: 16_384, requestTimeout: 600, maxConnections: 10_000 };
const HOST = 'Host: localhost\r\n';

const portOf = ({ client }: TestService) => Number(new URL(client.url).port);
async function open(port: number, written: string, allowHalfOpen = false): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(written);
  return socket;
}

describe('a connection that leads to nothing', () => {
  test('does the service no harm when it asks for a tunnel and is reset', async () => {
    await using service = await startTestService({ limits });
    for (let round = 0; round < 10; round++) {
      const socket = await open(portOf(service), `CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n`);
      await sleep(10);
      socket.write('x');
      socket.resetAndDestroy();
    }
    await sleep(50);
    assert.equal((await service.client.send('GET', '/healthz')).status, 200);
  });
});
