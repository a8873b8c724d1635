/** The page of the guide that lists the plants and follows the changes, opened as a page of another origin. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startPlantStore } from '../../lab/index.ts';
import { DESKTOP, openBrowser, openPage, waitUntilTrue } from './browser.ts';

const folder = new URL('../../lab/tools/readers/chromium/', import.meta.url);
const SERVICE = 'http://127.0.0.1:8080';

test('a page shows the plants of the list and each change, with exact ids', async () => {
  const plants = [
    { id: 1, name: 'Aloe' },
    { id: 2n ** 53n + 1n, name: 'Ceiba' },
  ];
  await using store = await startPlantStore({ plants, token: 'demo-of-the-browser', args: ['--events'] });
  const server = createServer(({ url }, response) => {
    const name = url === '/follow.js' ? 'follow.js' : 'plants.html';
    const text = readFileSync(new URL(name, folder), 'utf8')
      .replace(SERVICE, store.url)
      .replace("'demo'", `'${store.token}'`);
    response.setHeader('Content-Type', name.endsWith('.js') ? 'text/javascript' : 'text/html').end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await openBrowser();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [origin, store.url]);
  const shows = (text: string) =>
    waitUntilTrue(page, `document.querySelector('ul').innerText === ${JSON.stringify(text)}`);
  const send = (method: string, id: string, name?: string) =>
    fetch(store.url + (method === 'POST' ? '/plants' : `/plants/${id}`), {
      method,
      headers: { Authorization: `Bearer ${store.token}`, 'Content-Type': 'application/json' },
      ...(name !== undefined && { body: method === 'POST' ? `{"id":${id},"name":"${name}"}` : `{"name":"${name}"}` }),
    });

  await page.goto(origin);
  await shows('1 Aloe\n9007199254740993 Ceiba');
  await send('POST', '9007199254740995', 'Agave');
  await shows('1 Aloe\n9007199254740993 Ceiba\n9007199254740995 Agave');
  // The same plant in the list and in an event.
  await send('PUT', '9007199254740993', 'Salix');
  await shows('1 Aloe\n9007199254740993 Salix\n9007199254740995 Agave');
  assert.equal((await send('DELETE', '1')).status, 204);
  await shows('9007199254740993 Salix\n9007199254740995 Agave');
  assertQuiet(/favicon/, /404/);
  server.close();
});
