/** A page is made once, but what kept it from being made the first time does not keep it from ever being made. */
import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { contentPage } from '../../src/http/page.ts';

for (const coding of ['identity', 'gzip', 'br']) {
  test(`a page that could not be made, for lack of a file descriptor, is made when it is asked for again: ${coding}`, async () => {
    const made = ['', 'x'.repeat(2_000)];
    const page = contentPage({
      type: 'text/plain',
      make() {
        const text = made.shift();
        if (!text) throw new Error('too many open files');
        return text;
      },
    });
    const request = new IncomingMessage(new Socket());
    request.headers['accept-encoding'] = coding;
    await assert.rejects(async () => page.get(request), { message: 'too many open files' });
    const first = await page.get(request);
    assert.equal(first.status, 200);
    // Were it made anew for each request, there would be nothing left to make it of.
    assert.deepEqual(await page.get(request), first);
  });
}
