/** What the response pane says after a fault, and when the drawer shows a request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible, openBrowser, openPage, VIEWS, waitUntilTrue } from './browser.ts';
import { demo } from './demo.ts';
import { openForm, panelOf, publicStore, send } from './public-store.ts';

const browser = await openBrowser();

const FAILED = /ERR_|Failed to fetch|network error|status of 5/;
const outcomeIn = (page: Page) => page.getByRole('dialog').locator('#outcome');
const noteIn = (page: Page) => page.locator('#sandbox-note');

for (const [name, options] of Object.entries(VIEWS)) {
  test(`a response that is lost on purpose is explained in its pane, without a message above it: ${name}`, async () => {
    await using service = await demo();
    const { page, assertQuiet } = await openPage(browser, options, [service.url]);
    await page.goto(service.url);
    await openForm(page);
    assert.equal(await page.locator('.ascii-art').filter({ visible: true }).count(), 0);
    const rule = { fault: { kind: 'reset', connection: 'first' }, match: { operation: 'createPlant' } };
    await service.client.send('PUT', '/sandbox/faults', { body: [{ ...rule, when: 'afterCommit' }] });
    await closeConnections(page);
    await send(page);
    const outcome = outcomeIn(page);
    await outcome.getByText('No response, on purpose').waitFor();
    await outcome.getByText('The fault “reset, after commit” closed the connection.').waitFor();
    await outcome.getByText('The plant is stored.').waitFor();
    await outcome.getByText('A client should send the same request again: no plant is stored twice.').waitFor();
    assert.equal(await page.locator('[data-sonner-toast]').filter({ visible: true }).count(), 0);
    // Without scrolling.
    await waitUntilTrue(page, "document.querySelector('#outcome').getBoundingClientRect().bottom <= innerHeight");
    await assertAccessible(page);
    assertQuiet(FAILED);
  });
}

/** While a rule waits for a new connection, each response closes its own. */
async function closeConnections(page: Page): Promise<void> {
  await page.evaluate(`Promise.all(Array.from({ length: 6 }, () =>
    fetch('/sandbox', { headers: { Authorization: 'Bearer demo' } }).then((response) => response.text())))`);
}

test('each kind of fault is explained, and nothing is explained without a fault', async () => {
  await using service = await demo();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, VIEWS.desktop, [service.url]);
  await page.goto(service.url);
  await openForm(page);
  const outcome = outcomeIn(page);
  const cases = [
    [{ fault: { kind: 'status', status: 503 } }, '503, on purpose', 'Nothing was stored', 'as long as Retry-After'],
    [{ fault: { kind: 'status', status: 400 } }, '400, on purpose', 'Nothing was stored', 'not repeat the request'],
    [
      { fault: { kind: 'proxy', status: 502 }, when: 'afterCommit' },
      '502, on purpose',
      'The request was carried out first.',
      'again',
    ],
    [{ fault: { kind: 'truncate' } }, 'The response ended too early', 'The plant is stored.', 'must notice'],
    [{ fault: { kind: 'delay', ms: 50 } }, 'A late response, on purpose', 'It took', 'for a limited time'],
    [{ fault: { kind: 'race', other: 'delete' } }, 'A fault, on purpose', '“race, other client: delete”', 'stored'],
    [{ fault: { kind: 'race', other: 'replace' }, when: 'afterCommit' }, 'A fault, on purpose', 'stored'],
    // The plant has another name by then.
    [
      { fault: { kind: 'delay', ms: 50 }, when: 'afterCommit' },
      'A late response, on purpose',
      'refused the request with 400 / 40009, so nothing was stored.',
    ],
  ] as const;
  // The explanation appears together with the record, and the one before disappears earlier.
  const isRecorded = (number: number) =>
    panelOf(page)
      .locator('#sandbox-requests > li')
      .filter({ hasText: endOf(number) })
      .waitFor();
  for (const [i, [rule, ...texts]] of cases.entries()) {
    await client.send('PUT', '/sandbox/faults', { body: [rule] });
    await send(page);
    await isRecorded(i + 1);
    const shown = await outcome.innerText();
    for (const text of texts) assert.ok(shown.includes(text), `${text} in ${shown}`);
  }
  await client.send('DELETE', '/sandbox/faults');
  await client.send('POST', '/sandbox/reset');
  await send(page);
  await isRecorded(cases.length + 1);
  await page.getByRole('dialog').getByText('200 OK').waitFor();
  assert.equal(await outcome.innerText(), '');
  assertQuiet(FAILED, /status of 400/);
});

/** The beginning of a request in the record that has ended. */
const endOf = (number: number) => new RegExp(`^#${number} POST /plants → (?!in progress)`);

test('the stored plants are up to date after an error, if the request or another client changed a plant', async () => {
  await using service = await demo();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, VIEWS.desktop, [service.url]);
  await page.goto(service.url);
  const plants = panelOf(page).locator('#sandbox-plants > li');
  await plants.first().waitFor();
  const body = { id: 12, name: 'Aloe' };
  const Fault = 'status;status=503;when=afterCommit';
  await client.send('POST', '/plants', { body, headers: { Fault } });
  await plants.filter({ hasText: /^Aloe12$/ }).waitFor();
  await client.send('GET', '/plants/12', { headers: { Fault: 'race;other=delete' } });
  await plants.filter({ hasText: /^Aloe12$/ }).waitFor({ state: 'detached' });
  assertQuiet();
});

test('a note on the present disappears after the next request', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, VIEWS.desktop, [service.url]);
  await page.goto(service.url);
  await openForm(page);
  await panelOf(page).getByLabel('Respond to POST with 503').click();
  await noteIn(page).getByText('It applies from your next request.').waitFor();
  await send(page);
  await page.getByRole('dialog').getByText('503 Service Unavailable').waitFor();
  await noteIn(page).waitFor({ state: 'hidden' });
  const reset = panelOf(page).getByRole('button', { name: 'Reset the plants' });
  await reset.click();
  await noteIn(page).getByText('Your plants are back to the initial set.').waitFor();
  await send(page);
  await noteIn(page).waitFor({ state: 'hidden' });
  await page.route('**/sandbox/reset', (route) => route.abort());
  await reset.click();
  await noteIn(page).getByText('The service cannot be reached.').waitFor();
  await send(page);
  await noteIn(page).waitFor({ state: 'hidden' });
  assertQuiet(FAILED);
});

test('a request of another client is in the drawer as soon as its event is', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, VIEWS.desktop, [service.url]);
  await page.clock.install();
  await page.goto(service.url);
  await panelOf(page).getByText('52 plants').waitFor();
  // The page's clock stands still, so that no pause between two polls ends.
  // A stream without any line for 40 seconds would be lost.
  await page.clock.pauseAt(Date.now() + 20_000);
  await service.client.send('POST', '/plants', { body: { id: 12, name: 'Aloe' } });
  await page.locator('#sandbox-events > li').first().getByText('12 · Aloe').waitFor();
  await page.locator('#sandbox-requests > li').getByText('#1 POST /plants → 200').waitFor();
  assertQuiet();
});

test('a request that the page does not explain shows that it failed', async () => {
  const service = await publicStore();
  const { page, assertQuiet } = await openPage(browser, VIEWS.desktop, [service.url]);
  await page.goto(service.url);
  await openForm(page);
  await service.stop('SIGTERM');
  // The page cannot even create a sandbox for the request.
  await send(page);
  await page.locator('[data-sonner-toast]').filter({ visible: true }).getByText('Failed to fetch').first().waitFor();
  assertQuiet(FAILED);
});
