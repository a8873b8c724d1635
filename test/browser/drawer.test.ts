/** The strip and the drawer of the sandbox: their places, what they show, and the keyboard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createClient } from '../harness/client.ts';
import { serveProcess } from '../harness/process.ts';
import { assertAccessible, capture, DESKTOP, openBrowser, openPage, waitUntilStill, waitUntilTrue } from './browser.ts';
import { openForm, panelOf, publicStore, send, tokenOf } from './public-store.ts';

const browser = await openBrowser();

const SIZES = [
  [1440, 900],
  [1280, 720],
  [820, 1180],
  [390, 844],
  [320, 640],
] as const;

for (const [width, height] of SIZES) {
  test(`nothing covers anything, with an open form or without: ${width} x ${height}`, async () => {
    await using service = await publicStore('--events');
    const { page, assertQuiet } = await openPage(browser, { viewport: { width, height } }, [service.url]);
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Plant Store', level: 1 }).waitFor();
    const toggle = panelOf(page).getByRole('button', { name: 'Your sandbox' });
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
    const boxOf = (selector: string) => boxIn(page, selector);
    const [strip, drawer] = [await boxOf('#sandbox .strip'), await boxOf('#sandbox-drawer')];
    assert.deepEqual(
      [drawer.x >= 0, drawer.x + drawer.width <= width, drawer.y + drawer.height <= height],
      Array(3).fill(true),
    );
    const bar = await boxOf('.bar');
    assertWithin(strip, bar);
    assertApart(strip, await boxOf('.bar nav'));
    assertApart(drawer, bar);
    if (width >= 1100) assertApart(drawer, await boxOf('#reference'), await boxOf('.start'));
    // On a narrow screen the page scrolls until the end of the reference is above the drawer.
    else await waitUntilTrue(page, `(${isEndAbove})(${drawer.y})`);
    // The reference may still draw.
    await waitUntilTrue(page, `document.documentElement.scrollWidth === ${width}`);

    await page.evaluate('scrollTo(0, 0)');
    await openForm(page);
    await send(page);
    await page.getByRole('dialog').getByText('200 OK').waitFor();
    await panelOf(page).locator('li').getByText('#1 POST /plants → 200').waitFor();
    await panelOf(page).getByLabel('Delay every request by 2 s').click();
    await panelOf(page).getByText('1 fault', { exact: true }).waitFor();
    await page.getByRole('dialog').locator('.cm-content').first().focus();
    if (width >= 1100) await panelOf(page).getByText('Esc, then Tab: leave the editor').waitFor();
    // Only the drawer itself scrolls.
    const scrolling = await page.evaluate(`[...document.querySelectorAll('#sandbox-drawer *')].filter((one) =>
      ['auto', 'scroll'].includes(getComputedStyle(one).overflowY)).length`);
    assert.equal(scrolling, 0);
    for (const part of await page.locator('#sandbox .strip > :not(p)').filter({ visible: true }).all()) {
      assertWithin((await part.boundingBox()) as Box, strip);
    }
    await waitUntilStill(page);
    const form = await boxOf('#reference .scalar-container');
    assertApart(bar, drawer, form);
    const [dialog, close] = [await boxOf('[role="dialog"]'), await boxOf('.app-exit-button')];
    for (const part of [dialog, close]) assertWithin(part, form);
    assert.ok(dialog.y - form.y <= 1, 'the page below does not show through');
    const address = '.scalar-client .address-bar-bg-states';
    assertApart(await boxOf('.scalar-sidebar-toggle'), await boxOf(address), close);
    assertWithin(await boxOf('#reference [data-addressbar-action="send"]'), await boxOf(address));
    if (width >= 800) {
      await page.locator('.scalar-sidebar-toggle').click();
      await waitUntilTrue(page, `document.querySelector('${address}').getBoundingClientRect().x > 250`);
      await waitUntilStill(page);
      assertApart(await boxOf(address), await boxOf('.app-exit-button'));
    }
    await assertAccessible(page);
    assertQuiet();
  });
}

/** Scrolls to the end, which moves while the reference draws its last parts. */
const isEndAbove = `(y) => {
  scrollTo(0, document.documentElement.scrollHeight);
  // The browser scrolls by whole pixels.
  return document.querySelector('#reference').getBoundingClientRect().bottom < y + 1;
}`;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

async function boxIn(page: Page, selector: string): Promise<Box> {
  const box = await page.locator(selector).filter({ visible: true }).first().boundingBox();
  assert.ok(box !== null && box.width > 0 && box.height > 0, selector);
  return box;
}

function assertApart(...boxes: readonly Box[]): void {
  for (const [i, a] of boxes.entries()) {
    for (const b of boxes.slice(i + 1)) {
      const overlaps = a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
      assert.ok(!overlaps, JSON.stringify([a, b]));
    }
  }
}

function assertWithin(inner: Box, outer: Box): void {
  const isWithin =
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height;
  assert.ok(isWithin, JSON.stringify([inner, outer]));
}

/** Opens the page, its request form, and stores a plant. */
async function storePlant(url: string, ...expected: readonly RegExp[]) {
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [url]);
  await page.goto(url);
  await openForm(page);
  await send(page);
  await page.getByRole('dialog').getByText('200 OK').waitFor();
  const panel = panelOf(page);
  await panel.locator('li').getByText('#1 POST /plants → 200').waitFor();
  const client = createClient(url, await tokenOf(page));
  const end = () => {
    client.close();
    assertQuiet(...expected);
  };
  return { page, panel, client, note: page.locator('#sandbox-note'), [Symbol.dispose]: end };
}

test('the newest request comes first, and opens to its head and body', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { panel, client, page } = sandbox;
  await client.send('POST', '/plants', { body: { id: 12, name: 'Agave' }, headers: { 'X-Client': 'garden' } });
  const newest = panel.locator('#sandbox-requests > li').first();
  await newest.getByText(/^#2 POST \/plants → 400 \(40009\) · \d+ ms$/).click();
  await newest.getByText('X-Client: garden').waitFor();
  await newest.getByText('{"id":12,"name":"Agave"}').waitFor();
  await newest.getByText('Authorization: Bearer …').waitFor();
  await newest.getByText('The service sent status 400 and error 40009.').waitFor();
  await page.getByRole('status').getByText('POST /plants → 400 (40009)').waitFor();
  await client.send('DELETE', '/sandbox/requests');
  await panel.getByText('0 requests').waitFor();
  await panel.getByText('None yet.').waitFor();
  await client.send('GET', '/plants/12');
  await panel.locator('li').getByText('#3 GET /plants/12 → 200').waitFor();
  await panel.getByText('None yet.').waitFor({ state: 'hidden' });
  await panel.getByText('1 request', { exact: true }).waitFor();
});

test('a request in progress is shown, and so is how it ends', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { panel, client } = sandbox;
  const leaving = new AbortController();
  const waiting = fetch(`${service.url}/plants/9`, {
    headers: { Authorization: `Bearer ${client.token}`, Fault: 'delay;ms=30000' },
    signal: leaving.signal,
  });
  const items = panel.locator('#sandbox-requests > li');
  await items.getByText(/^#2 GET \/plants\/9 → in progress · \d+ ms · fault: delay/).waitFor();
  assert.equal((await client.send('GET', '/plants/12')).status, 200);
  await items.getByText('#3 GET /plants/12 → 200').waitFor();
  leaving.abort();
  await assert.rejects(waiting);
  await items.getByText(/^#2 GET \/plants\/9 → (?:503 \(50300\)|the client left)/).waitFor();
  assert.equal(await items.count(), 3);
});

test('rules of every kind are shown', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { panel, client } = sandbox;
  const rules = [
    { fault: { kind: 'proxy', status: 502, media: 'html', body: '<h1>Bad Gateway</h1>' } },
    { fault: { kind: 'close', connection: 'reused' } },
    { fault: { kind: 'idle', ms: 100 } },
    { fault: { kind: 'truncate', ms: 50, part: 'head', bytes: 12, framing: 'chunked' } },
    { fault: { kind: 'delay', ms: 5, leave: 'continue' } },
    { fault: { kind: 'race', other: 'recreate' }, when: 'afterCommit' },
  ];
  await client.send('PUT', '/sandbox/faults', { body: rules });
  for (const rule of rules) await panel.locator('#sandbox-others li').getByText(JSON.stringify(rule)).waitFor();
  await panel.getByText('6 faults', { exact: true }).waitFor();
});

test('a plant comes first, although the page read it before its request ended', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { page, panel, client } = sandbox;
  const headers = { 'Content-Type': 'application/json', Fault: 'delay;ms=3000;when=afterCommit' };
  const storing = client.send('POST', '/plants', { body: '{"id":77,"name":"Agave"}', headers });
  while ((await client.send('GET', '/plants/77', { headers: { Fault: 'none' } })).status !== 200);
  await page.reload();
  const cards = panel.locator('#sandbox-plants > li');
  await cards.getByText('77', { exact: true }).waitFor();
  assert.equal((await storing).status, 200);
  await cards.first().getByText('77', { exact: true }).waitFor();
});

test('a new plant appears as a row, and is marked while its response is lost', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { panel, client } = sandbox;
  const id = '9223372036854775807';
  const cards = panel.locator('#sandbox-plants > li');
  await cards.first().getByText('Aloe vera').waitFor();
  const headers = { 'Content-Type': 'application/json', Fault: 'reset;when=afterCommit' };
  const body = `{"id":${id},"name":"Agave","tag":"desert"}`;
  await assert.rejects(client.send('POST', '/plants', { body, headers }));
  const card = cards.filter({ hasText: id });
  await card.getByText('response lost').waitFor();
  await panel
    .locator('li')
    .getByText(/POST \/plants → no response · \d+ ms · fault: reset, after commit/)
    .waitFor();
  assert.equal((await client.send('POST', '/plants', { body })).status, 200);
  await card.getByText('response lost').waitFor({ state: 'detached' });
  await client.send('DELETE', `/plants/${id}`);
  await card.waitFor({ state: 'detached' });
});

test('the switch for lost responses applies to the next request, which the browser does not repeat', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url, /ERR_CONNECTION_RESET|Failed to fetch|ERR_EMPTY_RESPONSE/);
  const { page, panel, note } = sandbox;
  await panel.getByLabel('Store the plant but drop the response').click();
  await note.getByText('The fault is on.').waitFor();
  const items = panel.locator('#sandbox-requests > li');
  for (const number of [2, 3, 4]) {
    await send(page);
    await items.getByText(new RegExp(`^#${number} POST /plants → no response`)).waitFor();
    assert.equal(await items.count(), number);
  }
  const card = panel.locator('#sandbox-plants > li').filter({ hasText: 'Aloe vera' });
  await card.getByText('response lost').waitFor();
});

test('a switch changes only its own rule, and the rules of others are shown', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { panel, client, note } = sandbox;
  const other = { fault: { kind: 'status', status: 500 }, match: { operation: 'getPlant', id: 7 }, times: 2 };
  await client.send('PUT', '/sandbox/faults', { body: [other] });
  await panel.getByText(JSON.stringify(other)).waitFor();
  await panel.getByText('1 fault', { exact: true }).waitFor();
  const delay = panel.getByLabel('Delay every request by 2 s');
  await delay.click();
  await note.getByText('The fault is on.').waitFor();
  const rules = async () => (await client.send('GET', '/sandbox/faults')).json();
  assert.deepEqual(await rules(), [{ fault: { kind: 'delay', ms: 2000 } }, other]);
  await panel.getByText('2 faults', { exact: true }).waitFor();
  await delay.click();
  await note.getByText('The fault is off.').waitFor();
  assert.deepEqual(await rules(), [other]);
  // Another client turns on a rule that has a switch.
  await client.send('PUT', '/sandbox/faults', { body: [{ fault: { kind: 'truncate' } }] });
  await panel.locator('input[data-rule*="truncate"]:checked').waitFor();
  await panel.getByText(JSON.stringify(other)).waitFor({ state: 'detached' });
});

test('two switches in quick succession change both rules, and a failure is shown', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url, /ERR_/);
  const { page, panel, client, note } = sandbox;
  // Each read of the rules takes so long that the second click comes before the first change.
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/sandbox/faults', async (route) => {
    if (route.request().method() !== 'GET' || route.request().headers()['fault'] === 'none') return route.continue();
    const response = await route.fetch();
    await held;
    return route.fulfill({ response });
  });
  const [delay, cut] = [panel.getByLabel('Delay every request by 2 s'), panel.getByLabel('Cut off responses halfway')];
  await delay.click();
  await cut.click();
  release();
  await panel.getByText('2 faults', { exact: true }).waitFor();
  assert.deepEqual([await delay.isChecked(), await cut.isChecked()], [true, true]);
  assert.equal((await (await client.send('GET', '/sandbox/faults')).json()).length, 2);

  await page.route('**/sandbox/**', (route) => route.abort());
  await delay.click();
  await note.getByText('The service cannot be reached').waitFor();
  assert.equal(await delay.isChecked(), true);
});

test('a rule of another client is switched off and on again, with an exact id', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { page, panel, client, note } = sandbox;
  const rule = '{"fault":{"kind":"status","status":500},"match":{"operation":"getPlant","id":9223372036854775807}}';
  await client.send('PUT', '/sandbox/faults', { body: `[${rule}]`, headers: JSON_TYPE });
  const text = async () => (await client.send('GET', '/sandbox/faults')).text;
  const other = panel.getByLabel(rule);
  await other.and(page.locator(':checked')).waitFor();
  await other.focus();
  await page.keyboard.press('Space');
  await note.getByText('The fault is off.').waitFor();
  assert.equal(await text(), '[]');
  await page.keyboard.press('Space');
  await note.getByText('The fault is on. It applies from your next request.').waitFor();
  assert.equal(await text(), `[${rule}]`);
  // A switch of the page leaves the other rule as it is.
  await panel.getByLabel('Delay every request by 2 s').click();
  await note.getByText('The other rules count from zero again.').waitFor();
  assert.equal(await text(), `[{"fault":{"kind":"delay","ms":2000}},${rule}]`);
});

test('a switch leaves the order of the rules of another client, and gives a rule its old place again', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { page, panel, client, note } = sandbox;
  const [first, second, third] = [500, 429, 503].map((status) => ({ fault: { kind: 'status', status }, share: 20 }));
  // The last rule has a switch of the page.
  const rules = [first, second, third, { fault: { kind: 'delay', ms: 2000 } }];
  await client.send('PUT', '/sandbox/faults', { body: rules });
  const set = async () => (await client.send('GET', '/sandbox/faults')).json();
  const toggle = async (label: string, isOn: boolean) => {
    const put = page.waitForResponse((response) => response.request().method() === 'PUT');
    await panel.getByLabel(label).click();
    await (await put).finished();
    await note.getByText(`The fault is ${isOn ? 'on' : 'off'}.`).waitFor();
  };
  const [one, two, three] = [first, second, third].map((rule) => JSON.stringify(rule)) as [string, string, string];
  await panel.getByLabel(three).waitFor();
  await toggle(one, false);
  await toggle(one, true);
  assert.deepEqual(await set(), rules);
  for (const rule of [three, two]) await toggle(rule, false);
  assert.deepEqual(await set(), [first, rules[3]]);
  for (const rule of [three, two]) await toggle(rule, true);
  assert.deepEqual(await set(), rules);
  await toggle('Cut off responses halfway', true);
  assert.deepEqual(await set(), [{ fault: { kind: 'truncate' } }, ...rules]);
  await toggle('Cut off responses halfway', false);
  assert.deepEqual(await set(), rules);
});

test('a demo that fails from the start shows its faults, and the page switches them off', async () => {
  const service = await serveProcess(['--demo', '--fault', 'delay;ms=2000', '--fault', 'status;status=503;share=20']);
  const client = createClient(service.url, 'demo');
  try {
    const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
    await page.goto(service.url);
    const panel = panelOf(page);
    await panel.getByText('2 faults', { exact: true }).waitFor();
    assert.equal(await panel.getByLabel('Delay every request by 2 s').isChecked(), true);
    await panel.getByLabel('{"fault":{"kind":"status","status":503},"share":20}').click();
    await panel.getByText('1 fault', { exact: true }).waitFor();
    await panel.getByLabel('Delay every request by 2 s').click();
    await panel.getByText('1 fault', { exact: true }).waitFor({ state: 'detached' });
    assert.deepEqual((await client.send('GET', '/sandbox/faults')).json(), []);
    assertQuiet();
  } finally {
    client.close();
    await service.stop('SIGTERM');
  }
});

test('a name with 480 combining marks covers no other row', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { panel, client, page } = sandbox;
  await client.send('POST', '/plants', { body: { id: 200, name: 'Agave' } });
  await client.send('POST', '/plants', { body: { id: 201, name: 'Aloe' } });
  const rows = panel.locator('#sandbox-plants > li');
  const [upper, lower] = [/\D200$/, /\D201$/].map((hasText) => rows.filter({ hasText })) as [Locator, Locator];
  await lower.waitFor();
  // A newer plant, so that the upper row is no longer marked as new.
  await client.send('POST', '/plants', { body: { id: 202, name: 'Fern' } });
  await rows.filter({ hasText: /\D202$/ }).waitFor();
  // These lists grow, and would move the rows.
  await page.addStyleTag({ content: '#sandbox :is(.requests, .events) { display: none }' });
  await upper.scrollIntoViewIfNeeded();
  const box = await upper.boundingBox();
  assert.ok(box);
  // Rows begin between two pixels, so a pixel at each edge belongs to two rows.
  const clip = { x: box.x, y: Math.ceil(box.y) + 1, width: box.width, height: Math.floor(box.height) - 3 };
  const before = await capture(page, clip);
  const name = `A${'\u0301'.repeat(480)}`;
  await client.send('PUT', '/plants/201', { body: { id: 201, name } });
  await lower.getByText(name).waitFor();
  // Chromium draws at the next frame.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  assert.ok(before.equals(await capture(page, clip)));
});

test('a long list shows its newest items, and a button shows all', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { panel, client } = sandbox;
  for (let id = 2; id <= 9; id++) await client.send('GET', `/plants/${id}`);
  const items = panel.locator('#sandbox-requests > li');
  await items.getByText('#9 GET /plants/9 → 200').waitFor();
  assert.equal(await items.filter({ visible: true }).count(), 6);
  const button = panel.getByRole('button', { name: 'Show all 9' });
  await button.click();
  assert.equal(await items.filter({ visible: true }).count(), 9);
  await panel.getByRole('button', { name: 'Show fewer' }).click();
  await button.waitFor();
});

test('two tabs show the same sandbox', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { page, panel } = sandbox;
  const second = await page.context().newPage();
  const kept = await page.evaluate("sessionStorage.getItem('plant-store-sandbox')");
  await second.addInitScript(`sessionStorage.setItem('plant-store-sandbox', ${JSON.stringify(kept)})`);
  await second.goto(service.url);
  const inSecond = panelOf(second);
  await inSecond.locator('li').getByText('#1 POST /plants → 200').waitFor();
  const onlyFirst = second.getByText('Each request gets only the first fault that matches it.');
  await inSecond.getByLabel('Cut off responses halfway').click();
  await second.locator('#sandbox-note').getByText('The fault is on.').waitFor();
  assert.equal(await onlyFirst.isVisible(), false);
  await inSecond.getByLabel('Delay every request by 2 s').click();
  await onlyFirst.waitFor();
  await inSecond.getByLabel('Delay every request by 2 s').click();
  await onlyFirst.waitFor({ state: 'hidden' });
  await page.bringToFront();
  await panel.getByText('1 fault', { exact: true }).waitFor();
  assert.equal(await panel.getByLabel('Cut off responses halfway').isChecked(), true);
});

test('the page makes another sandbox after the service was restarted with an empty store', async () => {
  const first = await publicStore();
  using sandbox = await storePlant(first.url, /401|ERR_/);
  const { page, panel, note } = sandbox;
  const token = await tokenOf(page);
  await first.stop('SIGTERM');
  await using _second = await publicStore('--port', new URL(first.url).port);
  // The form still has the old token.
  await send(page);
  await note.getByText('You have another one now, with the initial plants.').waitFor();
  assert.notEqual(await tokenOf(page), token);
  await page.getByRole('dialog').getByText('200 OK').waitFor();
  await panel.locator('li').getByText('#1 POST /plants → 200').waitFor();
  await panel.getByText('1 request', { exact: true }).waitFor();
});

test('the page says that there are too many sandboxes', async () => {
  await using service = await publicStore('--sandboxes-per-address', '1');
  assert.equal(
    (await fetch(`${service.url}/sandboxes`, { method: 'POST', body: '{}', headers: JSON_TYPE })).status,
    201,
  );
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  await openForm(page);
  await send(page);
  await page.locator('#sandbox-note').getByText('the maximum').waitFor();
  assertQuiet(/429/, /the maximum/);
});

const JSON_TYPE = { 'Content-Type': 'application/json' };

test('everything works by keyboard, also while the form is open', async () => {
  await using service = await publicStore();
  using sandbox = await storePlant(service.url);
  const { page, panel, note } = sandbox;
  const press = (...keys: readonly string[]) =>
    keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
  const focused = () => page.evaluate('document.activeElement.textContent.trim()');
  await page.getByRole('dialog').locator('.cm-content').first().focus();
  await panel.getByText('Esc, then Tab: leave the editor').waitFor();
  // CodeMirror lets Tab leave the editor for two seconds after Escape.
  await page.clock.setFixedTime(Date.now());
  await press('Tab', 'Escape', 'Tab');
  assert.doesNotMatch(String(await focused()), /Aloe/);
  await press('F6');
  assert.equal(await focused(), 'Your sandbox');
  await press('Tab', 'Space');
  await note.getByText('The fault is on.').waitFor();
  assert.equal(await panel.getByLabel('Respond to POST with 503').isChecked(), true);
  for (let i = 0; i < 10 && !/^#1 POST \/plants/.test(String(await focused())); i++) await press('Tab');
  await press('Enter');
  await panel.getByText('The service sent status 200.').waitFor();
  await press('F6');
  assert.equal(await page.evaluate('document.activeElement.closest("[role=dialog]") !== null'), true);
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });

  // At an address without a fragment the focus begins at the top.
  await page.goto('about:blank');
  await page.goto(service.url);
  await page.getByRole('button', { name: 'Store a plant' }).and(page.locator(':enabled')).waitFor();
  await press('Tab');
  assert.equal(await focused(), 'Skip to your sandbox');
  await press('Enter');
  assert.equal(await focused(), 'Your sandbox');
});
