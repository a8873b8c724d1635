/** The events of the sandbox in the drawer: live, beside its requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createClient } from '../harness/client.ts';
import { serveProcess } from '../harness/process.ts';
import { assertAccessible, DESKTOP, openBrowser, openPage, VIEWS, waitUntilTrue } from './browser.ts';
import { demo } from './demo.ts';
import { openForm, panelOf, publicStore, responded, send, tokenOf } from './public-store.ts';

const browser = await openBrowser();

const eventsIn = (page: Page) => panelOf(page).locator('#sandbox-events > li');
/** Counts the streams of events that the page opens. */
function countStreams(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/events') count++;
  });
  return () => count;
}

for (const [name, options] of Object.entries(VIEWS)) {
  test(`each change in a demo appears on its open page: ${name}`, async () => {
    await using service = await demo();
    const { client } = service;
    const { page, assertQuiet } = await openPage(browser, options, [service.url]);
    await page.goto(service.url);
    const toggle = panelOf(page).getByRole('button', { name: 'sandbox' });
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
    const newest = eventsIn(page).first();
    await client.send('POST', '/plants', { body: { id: 12, name: 'Aloe' } });
    await newest.getByText(/^#1 plant\.created · /).waitFor();
    await newest.getByText('12 · Aloe', { exact: true }).waitFor();
    await client.send('PUT', '/plants/12', { body: { id: 12, name: 'Aloe vera', tag: 'succulent' } });
    await newest.getByText('12 · Aloe vera · succulent').waitFor();
    await newest.getByText('before: Aloe · no tag').waitFor();
    await client.send('DELETE', '/plants/12');
    await newest.getByText(/^#3 plant\.deleted · /).waitFor();
    await client.send('POST', '/sandbox/reset');
    await newest.getByText(/^#4 store\.reset · /).waitFor();
    await client.send('POST', '/plants', { body: { id: 9223372036854775807n, name: 'Agave' } });
    await newest.getByText('9223372036854775807 · Agave').waitFor();
    assert.equal(await eventsIn(page).count(), 5);
    await assertAccessible(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), page.viewportSize()?.width);
    assertQuiet();
  });
}

test('the page shows the plants after another client has reset the sandbox', async () => {
  await using service = await demo();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  const agave = panelOf(page).locator('#sandbox-plants').getByText('Agave of another client');
  await client.send('POST', '/plants', { body: { id: 9_000, name: 'Agave of another client' } });
  await agave.waitFor();
  await client.send('POST', '/sandbox/reset');
  await agave.waitFor({ state: 'detached' });
  assertQuiet();
});

test('a new sandbox shows the event of the request that created it, and the record leaves the page out', async () => {
  await using service = await publicStore('--events');
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  assert.equal(await panelOf(page).locator('.events').isVisible(), false);
  await openForm(page);
  await send(page);
  await eventsIn(page).getByText('12 · Aloe vera · succulent').waitFor();
  await panelOf(page).locator('#sandbox-requests > li').getByText('#1 POST /plants → 200').waitFor();
  assert.equal(await panelOf(page).locator('#sandbox-requests > li').count(), 1);
  await responded(page);
  // After a reload the page shows the events so far.
  await page.reload();
  await eventsIn(page).getByText('12 · Aloe vera · succulent').waitFor();
  assertQuiet();
});

test('a service without events shows nothing of them, and its page does not request the feed', async () => {
  await using service = await publicStore();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  const streams = countStreams(page);
  await page.goto(service.url);
  await openForm(page);
  await send(page);
  await panelOf(page).locator('#sandbox-requests > li').getByText('#1 POST /plants → 200').waitFor();
  assert.equal(await panelOf(page).locator('.events').isVisible(), false);
  assert.equal(streams(), 0);
  assertQuiet();
});

test('a fault of the sandbox does not reach the stream of the page', async () => {
  await using service = await demo();
  const rules = [{ fault: { kind: 'status', status: 503 }, times: 1 }, { fault: { kind: 'silent' } }];
  assert.equal((await service.client.send('PUT', '/sandbox/faults', { body: rules })).status, 200);
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  const body = { id: 12, name: 'Aloe' };
  const opened = "document.querySelector('.events').checkVisibility()";
  await waitUntilTrue(page, opened);
  assert.equal((await service.client.send('POST', '/plants', { body })).status, 503);
  assert.equal((await service.client.send('POST', '/plants', { body })).status, 200);
  await eventsIn(page).getByText('12 · Aloe').waitFor();
  assertQuiet();
});

test('a hidden page ends its stream, and continues after its last event when it is visible again', async () => {
  await using service = await demo();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  const streams = countStreams(page);
  await page.goto(service.url);
  await client.send('POST', '/plants', { body: { id: 12, name: 'Aloe' } });
  await eventsIn(page).getByText('12 · Aloe').waitFor();
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'));
  await hide(page, true);
  await ended;
  await client.send('DELETE', '/plants/12');
  const resumed = page.waitForRequest((request) => request.url().endsWith('/events'));
  await hide(page, false);
  assert.match((await (await resumed).allHeaders())['last-event-id'] ?? '', /^[\w-]{40}$/);
  await eventsIn(page).first().getByText('#2 plant.deleted').waitFor();
  assert.equal(await eventsIn(page).count(), 2);
  assert.equal(streams(), 2);
  assertQuiet();
});

/** Headless Chromium never hides a page. */
async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`);
}

test('two tabs of one visitor each have a stream, and a refused one shows why and connects again', async () => {
  // Room for two streams of 64 KiB in a sandbox, which has an eighth of the memory.
  await using service = await publicStore('--events', '--sandbox-memory', '1500KiB');
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  await openForm(page);
  await send(page);
  await eventsIn(page).getByText('12 · Aloe vera · succulent').waitFor();
  const kept = await page.evaluate("sessionStorage.getItem('plant-store-sandbox')");
  const open = async () => {
    const tab = await page.context().newPage();
    await tab.addInitScript(`sessionStorage.setItem('plant-store-sandbox', ${JSON.stringify(kept)})`);
    await tab.goto(service.url);
    return tab;
  };
  const second = await open();
  await eventsIn(second).getByText('12 · Aloe vera · succulent').waitFor();
  const third = await open();
  await third.getByRole('status').getByText('A sandbox may have at most').waitFor();
  await second.close();
  await eventsIn(third).getByText('12 · Aloe vera · succulent').waitFor();
  await third.getByRole('status').getByText('A sandbox may have at most').waitFor({ state: 'detached' });
  assert.match(await tokenOf(page), /^pss_/);
  assertQuiet();
});

test('the page begins again if the events after its last one are no longer kept', async () => {
  await using service = await publicStore('--events');
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  await openForm(page);
  await send(page);
  await eventsIn(page).getByText('12 · Aloe vera · succulent').waitFor();
  await hide(page, true);
  const client = createClient(service.url, await tokenOf(page));
  const ids = Array.from({ length: 700 }, (_, i) => i + 1_000);
  await Promise.all(ids.map((id) => client.send('POST', '/plants', { body: { id, name: `Agave ${id}` } })));
  client.close();
  const refused = page.waitForResponse((response) => response.status() === 410);
  await hide(page, false);
  await refused;
  await eventsIn(page).first().getByText('#702 ').waitFor();
  assert.equal(await eventsIn(page).count(), 100);
  assert.equal(await eventsIn(page).getByText('12 · Aloe vera').count(), 0);
  assertQuiet(/410/);
});

test('the page connects again if nothing comes from its stream for 40 seconds', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  // The page's clock stands still unless the test moves it.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  let streams = 0;
  // The first connection is lost: no byte of a response arrives.
  await page.route('**/events', (route) => (++streams === 1 ? undefined : route.continue()));
  const first = page.waitForRequest('**/events');
  await page.goto(service.url);
  await service.client.send('POST', '/plants', { body: { id: 12, name: 'Aloe' } });
  await first;
  await page.clock.fastForward(39_000);
  assert.equal(streams, 1);
  await page.clock.fastForward(2_000);
  await page.clock.resume();
  await eventsIn(page).getByText('12 · Aloe').waitFor();
  assert.equal(streams, 2);
  assertQuiet();
});

test('the page begins again with a service that has another database', async () => {
  await using first = await demo();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [first.url]);
  await page.goto(first.url);
  await page.getByRole('heading', { name: 'Plant Store', level: 1 }).waitFor();
  await first.client.send('POST', '/plants', { body: { id: 12, name: 'Aloe' } });
  await eventsIn(page).getByText('12 · Aloe').waitFor();
  await first.stop('SIGTERM');
  const again = await serveProcess(['--demo', '--port', new URL(first.url).port]);
  const client = createClient(again.url, 'demo');
  try {
    assert.equal((await client.send('POST', '/plants', { body: { id: 900, name: 'Agave' } })).status, 200);
    await eventsIn(page).getByText('900 · Agave').waitFor();
    assert.equal(await eventsIn(page).count(), 1);
    assertQuiet(/ERR_|400/);
  } finally {
    client.close();
    await again.stop('SIGTERM');
  }
});
