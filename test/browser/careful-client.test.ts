/** The careful client of the guide in a page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { DESKTOP, openBrowser, openPage } from './browser.ts';
import { demo } from './demo.ts';

const CAREFUL = stripTypeScriptTypes(
  readFileSync(new URL('../../examples/retries/careful.ts', import.meta.url), 'utf8'),
);
const MODULE = `data:text/javascript,${encodeURIComponent(CAREFUL)}`;

const browser = await openBrowser();

test('the browser does not give a cut body from its cache to a repeated request', async () => {
  await using service = await demo();
  const { client, url } = service;
  await client.send('POST', '/plants', { body: { id: 900, name: 'Aloe vera' } });
  // Without a length, a cut body looks complete to the cache.
  const rule = { fault: { kind: 'truncate', framing: 'close' }, match: { operation: 'getPlant' }, times: 1 };
  await client.send('PUT', '/sandbox/faults', { body: [rule] });
  const { page } = await openPage(browser, DESKTOP, [url]);
  await page.goto(`${url}/openapi.json`);
  const result = await page.evaluate(
    `import(${JSON.stringify(MODULE)}).then(async ({ send }) => {
      const call = { method: 'GET', url: '${url}/plants/900', headers: { Authorization: 'Bearer demo' } };
      const { belief, body } = await send(call, 5_000);
      return { belief, body };
    })`,
  );
  assert.deepEqual(result, { belief: 'done', body: '{"id":900,"name":"Aloe vera"}' });
});
