/** Requests take turns also when their bodies arrive later than their heads. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { startTestService } from '../harness/service.ts';

const CLIENTS = 30;
/** A body whose JSON takes some milliseconds to read: 1.0 makes the service read all numbers again as text. */
const BODY = `{"name":"Aloe","id":1.0${Array.from({ length: 3_000 }, (_, i) => `,"m${i}":1`).join('')}}`;

/** The CPU time of this thread in milliseconds, which does not count the time of other programs. */
function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

test('many long bodies that end at the same time leave turns of the event loop to others', async () => {
  await using service = await startTestService();
  const { url, token } = service.client;
  const head = `POST /plants HTTP/1.1\r\nHost:\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  const start = async () => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.write(`${head}Content-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, -1)}`);
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, start));
  // Until the service has read all of them.
  await sleep(500);

  const responses = Promise.all(sockets.map((socket) => once(socket, 'data')));
  let isOver = false;
  const began = cpuTime();
  for (const socket of sockets) socket.write('}');
  const longest = (async () => {
    let [last, most] = [cpuTime(), 0];
    while (!isOver) {
      await nextTurn();
      const now = cpuTime();
      most = Math.max(most, now - last);
      last = now;
    }
    return most;
  })();
  for (const response of await responses) assert.match(String(response), /^HTTP\/1\.1 200 /);
  const taken = cpuTime() - began;
  isOver = true;
  for (const socket of sockets) socket.destroy();
  const turn = await longest;
  assert.ok(turn < taken / 4, `one turn took ${turn} of ${taken} ms of CPU time`);
});
