/** A head of many fields takes little memory, even if it never ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { createClient } from '../harness/client.ts';
import { serveProcess } from '../harness/process.ts';

/** Different names, since equal ones would share their memory. Node counts only the letters towards --max-header. */
const FIELDS = Array.from({ length: 5_000 }, (_, i) => `${i.toString(36)}:\r\n`).join('');
const HEAD = `POST /plants HTTP/1.1\r\nHost:\r\n${FIELDS}`;

async function send(url: string, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

for (const [what, text] of Object.entries({
  'fields without an end': HEAD,
  'many fields, and a body that does not arrive': `${HEAD}Content-Length: 9\r\n\r\n`,
})) {
  test(`${what}: 600 connections without a token leave memory for others`, async () => {
    await using service = await serveProcess(['--database', 'temporary'], { NODE_OPTIONS: '--max-old-space-size=96' });
    const sockets = await Promise.all(Array.from({ length: 600 }, () => send(service.url, text)));
    const client = createClient(service.url, service.token ?? '');
    assert.equal((await client.send('GET', '/plants')).status, 200);
    for (const socket of sockets) socket.destroy();
    client.close();
    assert.equal(await service.stop('SIGTERM'), 0);
  });
}
