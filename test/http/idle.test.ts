/** `--idle-timeout`: how long the service keeps a connection without a request. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { refusedWith, runHere } from '../harness/process.ts';
import { startTestService } from '../harness/service.ts';

for (const [idleTimeout, seconds] of [
  [undefined, 65],
  [620_000, 620],
  [86_400_000, 86_400],
] as const) {
  const given = idleTimeout === undefined ? 'by default' : `with --idle-timeout ${seconds}s`;
  test(`${given} a response tells the client that the connection stays for ${seconds} s`, async () => {
    await using service = await startTestService(idleTimeout === undefined ? {} : { idleTimeout });
    const { headers } = await fetch(`${service.client.url}/healthz`);
    assert.equal(headers.get('keep-alive'), `timeout=${seconds}`);
  });
}

test('an idle connection is closed without a response', async () => {
  await using service = await startTestService({ idleTimeout: 1 });
  const socket = connect(service.running.address.port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'end');
  assert.equal(received.match(/HTTP\/1\.1 /g)?.length, 1, received);
});

test('--idle-timeout is at least a second and at most a day', async () => {
  refusedWith(await runHere(['serve', '--idle-timeout', '25h']), 2, /--idle-timeout: .*at most 1d/);
  refusedWith(await runHere(['serve', '--idle-timeout', '500ms']), 2, /--idle-timeout: .*at least 1s/);
});
