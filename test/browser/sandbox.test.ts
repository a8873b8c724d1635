/** A visitor of a public Plant Store: two clicks to a plant in a private store, and switches for faults. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { assertAccessible, DESKTOP, openBrowser, openPage, VIEWS, waitUntilTrue } from './browser.ts';
import { openForm, panelOf, publicStore, send, tokenOf } from './public-store.ts';

const browser = await openBrowser();

for (const [name, options] of Object.entries(VIEWS)) {
  test(`two clicks on the page store a plant, without a token: ${name}`, async () => {
    await using service = await publicStore();
    const { page, assertQuiet } = await openPage(browser, options, [service.url]);
    await page.goto(service.url);
    await openForm(page);
    await send(page);
    await page.getByRole('dialog').getByText('200 OK').waitFor();
    await panelOf(page)
      .getByText(/ left$/)
      .waitFor();
    if (!('isMobile' in options)) await panelOf(page).locator('li').getByText('#1 POST /plants → 200').waitFor();
    await assertAccessible(page);

    const token = await tokenOf(page);
    const isFilledIn = `[...document.querySelectorAll('input')].some(({ value }) => value === '${token}')`;
    await waitUntilTrue(page, isFilledIn);
    const command = `document.querySelector('.start code').textContent.includes('Bearer ${token}')`;
    await waitUntilTrue(page, command);
    // After a reload the page uses the same sandbox and fills in its token again.
    await page.reload();
    const stored = await fetch(`${service.url}/plants/12`, { headers: { Authorization: `Bearer ${token}` } });
    assert.deepEqual(await stored.json(), { id: 12, name: 'Aloe vera', tag: 'succulent' });
    await waitUntilTrue(page, isFilledIn);
    await waitUntilTrue(page, command);
    assertQuiet();
  });
}

test('the panel works also if the session storage holds something else under its name', async () => {
  await using service = await publicStore();
  for (const kept of ['{not JSON', '5', '[]', '{"token":1}']) {
    const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
    await page.addInitScript(`sessionStorage.setItem('plant-store-sandbox', ${JSON.stringify(kept)})`);
    await page.goto(service.url);
    await openForm(page);
    await send(page);
    await page.getByRole('dialog').getByText('200 OK').waitFor();
    assertQuiet();
  }
});

test('a sandbox whose use has postponed its end is kept, and an ended one is not', async () => {
  await using service = await publicStore();
  const headers = { 'Content-Type': 'application/json' };
  const made = await fetch(`${service.url}/sandboxes`, { method: 'POST', headers, body: '{}' });
  const { token } = await made.json();
  // The end that the page knows has passed.
  const keep = (token: string) => {
    const known = JSON.stringify({ token, expiresAt: '2020-01-01T00:00:00Z' });
    return `sessionStorage.setItem('plant-store-token', '${token}');
      sessionStorage.setItem('plant-store-sandbox', '${known}')`;
  };
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(`${service.url}/guide/first-request`);
  await page.evaluate(keep(token));
  await page.goto(service.url);
  await panelOf(page)
    .getByText(/ left$/)
    .waitFor();
  assert.equal(await tokenOf(page), token);
  const kept = JSON.parse(String(await page.evaluate("sessionStorage.getItem('plant-store-sandbox')")));
  assert.ok(Date.parse(kept.expiresAt) > Date.now());

  await page.goto(`${service.url}/guide/first-request`);
  await page.evaluate(keep('pss_old'));
  await page.goto(service.url);
  await page.locator('#sandbox-note').getByText('no longer has your sandbox: it expired, it was deleted, or').waitFor();
  await page.locator('.start code').getByText('Bearer TOKEN').waitFor();
  await openForm(page);
  await send(page);
  await page.getByRole('dialog').getByText('200 OK').waitFor();
  assertQuiet(/401/);
});

test('the page shows the time that a sandbox really has left, also if the clock of the browser is wrong', async () => {
  await using service = await publicStore();
  for (const hours of [-30, 30]) {
    const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
    await page.addInitScript(`const now = Date.now; Date.now = () => now() + ${hours} * 3_600_000`);
    await page.goto(service.url);
    await openForm(page);
    await send(page);
    await panelOf(page).getByText('24 h left').waitFor();
    assertQuiet();
  }
});

test('without JavaScript the page shows nothing that needs it, and leads to the guide', async () => {
  await using service = await publicStore();
  const { page, assertQuiet } = await openPage(browser, { ...DESKTOP, javaScriptEnabled: false }, [service.url]);
  await page.goto(service.url);
  assert.equal(await page.getByRole('button').filter({ visible: true }).count(), 0);
  assert.equal(await page.getByText('curl').isVisible(), false);
  await page.getByRole('link', { name: 'Guide' }).click();
  await page.getByRole('heading', { name: 'First request' }).waitFor();
  assertQuiet();
});

test('a fault that is switched on applies to the next request, and a reset restores the initial plants', async () => {
  await using service = await publicStore();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  const panel = panelOf(page);
  const fault = panel.getByLabel('Respond to POST with 503');
  assert.equal(await fault.isDisabled(), true);
  await openForm(page);
  await send(page);
  await page.getByRole('dialog').getByText('200 OK').waitFor();
  await fault.click();
  const note = page.locator('#sandbox-note');
  await note.getByText('The fault is on. It applies from your next request.').waitFor();
  await send(page);
  await page.getByRole('dialog').getByText('503 Service Unavailable').waitFor();
  await panel
    .locator('li')
    .getByText(/POST \/plants → 503 \(50300\) · \d+ ms · fault: status/)
    .waitFor();
  await fault.click();
  await note.getByText('The fault is off.').waitFor();
  await panel.getByRole('button', { name: 'Reset the plants' }).click();
  await note.getByText('Your plants are back to the initial set.').waitFor();
  const token = await tokenOf(page);
  assert.equal(
    (await fetch(`${service.url}/plants/12`, { headers: { Authorization: `Bearer ${token}` } })).status,
    404,
  );
  assertQuiet(/503/);
});

test('a page of another origin creates a sandbox, stores a plant and asks for faults', async () => {
  await using service = await publicStore();
  const own = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<h1>Mine</h1>'));
  own.listen(0, '127.0.0.1');
  await once(own, 'listening');
  const origin = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [origin, service.url]);
  await page.goto(origin);
  const seen = await page.evaluate(`(async () => {
    const headers = { 'Content-Type': 'application/json' };
    const made = await fetch('${service.url}/sandboxes', { method: 'POST', headers, body: '{}' });
    const { token } = await made.json();
    const create = (more) => fetch('${service.url}/plants', {
      method: 'POST',
      headers: { ...headers, Authorization: 'Bearer ' + token, ...more },
      body: JSON.stringify({ id: 12, name: 'Aloe vera' }),
    });
    const stored = await create({});
    const failed = await create({ Prefer: 'code=503' });
    const slow = await create({ Fault: 'delay;ms=10' });
    return [made.status, stored.status, failed.status, failed.headers.get('Preference-Applied'), slow.status];
  })()`);
  assert.deepEqual(seen, [201, 200, 503, 'code=503', 200]);
  assertQuiet(/503/);
  own.close();
});
