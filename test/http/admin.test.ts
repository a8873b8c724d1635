/** The admin listener refuses malformed requests with the same Error object as the open address. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../harness/service.ts';
import { exchange, outcome } from './raw-client.ts';

describe('the admin listener', async () => {
  const service = await startTestService({ admin: { host: '127.0.0.1', port: 0 } });
  after(() => service[Symbol.asyncDispose]());
  const { port = 0 } = service.running.admin ?? {};
  const HOST = 'Host: localhost\r\n';

  const cases: readonly [what: string, request: string, responses: number[], closes?: true][] = [
    ['an unknown method', `BREW /metrics HTTP/1.1\r\n${HOST}\r\n`, [40500], true],
    ['an unknown method at an unknown path', `BREW /plants HTTP/1.1\r\n${HOST}\r\n`, [40400], true],
    ['a field of 20,000 bytes', `GET / HTTP/1.1\r\n${HOST}A: ${'b'.repeat(20_000)}\r\n\r\n`, [40006], true],
    ['CONNECT', `CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n`, [40500], true],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', [40006]],
    ['an unknown Expect', `GET /healthz HTTP/1.1\r\n${HOST}Expect: a-miracle\r\n\r\n`, [200]],
    ['a target in absolute form', `GET http://localhost/healthz?a=b HTTP/1.1\r\n${HOST}\r\n`, [200]],
    ['an unknown path', `GET /plants HTTP/1.1\r\n${HOST}\r\n`, [40400]],
    ['a method that the path does not support', `POST /metrics HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`, [40500]],
    ['the metrics', `GET /metrics HTTP/1.1\r\n${HOST}\r\n`, [200]],
  ];
  for (const [what, request, responses, closes] of cases) {
    test(`responds to ${what} with ${responses}`, async () => {
      const got = await exchange(port, [request], closes ? Number.POSITIVE_INFINITY : responses.length);
      const outcomes = got.responses.map((response) => outcome(response));
      assert.deepEqual([outcomes, got.closed], [responses, closes ?? false]);
    });
  }

  test('responds to HEAD, and names HEAD in Allow', async () => {
    const send = (method: string) => fetch(`http://127.0.0.1:${port}/metrics`, { method });
    assert.equal((await send('HEAD')).status, 200);
    assert.equal((await send('POST')).headers.get('allow'), 'GET, HEAD, OPTIONS');
  });
});
