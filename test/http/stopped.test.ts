/** The process is stopped for longer than a request may take to arrive, as on a laptop that sleeps. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateToken } from '../../src/auth/token.ts';
import { createDirectory } from '../harness/directory.ts';
import { serveProcess } from '../harness/process.ts';

test('serves requests that arrived while the process was stopped, and still refuses late ones', async (context) => {
  const token = generateToken();
  using directory = createDirectory();
  const args = ['--database', `sqlite:${directory.at('plants.db')}`, '--request-timeout', '1s'];
  const service = await serveProcess(args, { PLANTSTORE_TOKEN: token });
  context.after(() => service.stop('SIGKILL'));
  const fields = `Host: localhost\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n`;
  const create = (id: number) => {
    const body = `{"id":${id},"name":"Aloe"}`.padEnd(60_000);
    const head = `POST /plants HTTP/1.1\r\n${fields}Content-Type: application/json\r\n`;
    return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  const open = async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  /** Bytes of the request that each connection sends before the stop. */
  const before = [0, 1, 20, 500, 30_000];
  const sockets = await Promise.all(before.map(open));
  for (const [id, socket] of sockets.entries()) socket.write(create(id).slice(0, before[id]));
  const late = await open();
  late.write(create(9).slice(0, 100));
  await sleep(200);
  service.child.kill('SIGSTOP');
  for (const [id, socket] of sockets.entries()) socket.write(create(id).slice(before[id]));
  await sleep(2_000);
  service.child.kill('SIGCONT');
  for (const socket of sockets) assert.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(await text(late), /^HTTP\/1\.1 400 [\s\S]*did not arrive within 1000 ms/);
});
