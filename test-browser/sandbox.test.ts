/** A visitor of a public Plant Store: two clicks to a plant in a private store, and switches for faults. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { serveProcess } from '../test/harness/process.ts';
import { assertAccessible, DESKTOP, launch, openPage, picture, VIEWS } from './browser.ts';

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function publicStore() {
  const service = await serveProcess(['--database', 'temporary', '--sandboxes', '100']);
  return { ...service, [Symbol.asyncDispose]: async () => void (await service.stop('SIGTERM')) };
}

const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Your sandbox' });
const send = (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name: /^Send/ }).filter({ visible: true }).first().click();

for (const [name, options] of Object.entries(VIEWS)) {
  test(`two clicks on the page store a plant, without a token: ${name}`, async () => {
    await using service = await publicStore();
    const { page, assertQuiet } = await openPage(browser, options, [service.url]);
    await page.goto(service.url);
    await page.getByRole('button', { name: 'Store a plant' }).and(page.locator(':enabled')).click();
    await send(page);
    await page.getByRole('dialog').getByText('200 OK').waitFor();
    await panelOf(page)
      .getByText(/ends in/)
      .waitFor();
    if (!('isMobile' in options)) await panelOf(page).getByText('POST /plants → 200').waitFor();
    await picture(page, `sandbox-${name}`);
    await assertAccessible(page);

    const { token } = JSON.parse(String(await page.evaluate("sessionStorage.getItem('plant-store-sandbox')")));
    const isFilledIn = `[...document.querySelectorAll('input')].some(({ value }) => value === '${token}')`;
    await page.waitForFunction(isFilledIn);
    // After a reload the page uses the same sandbox and fills in its token again.
    await page.reload();
    const stored = await fetch(`${service.url}/plants/12`, { headers: { Authorization: `Bearer ${token}` } });
    assert.deepEqual(await stored.json(), { id: 12, name: 'Aloe vera', tag: 'succulent' });
    await page.waitForFunction(isFilledIn);
    assertQuiet();
  });
}

test('a fault that is switched on applies to the next request, and a reset restores the initial plants', async () => {
  await using service = await publicStore();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  const panel = panelOf(page);
  const fault = panel.getByLabel('Answer POST with 503');
  assert.equal(await fault.isDisabled(), true);
  await page.getByRole('button', { name: 'Store a plant' }).and(page.locator(':enabled')).click();
  await send(page);
  await page.getByRole('dialog').getByText('200 OK').waitFor();
  // The dialog must be closed first, since it receives all keys while it is open.
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await fault.focus();
  await page.keyboard.press('Space');
  await panel.getByText('On. It applies from your next request.').waitFor();
  await page.getByRole('button', { name: 'Store a plant' }).click();
  await send(page);
  await page.getByRole('dialog').getByText('503 Service Unavailable').waitFor();
  await panel.getByText(/POST \/plants → 503 \(50300\) · \d+ ms · fault: status/).waitFor();
  await fault.click();
  await panel.getByText('No faults.').waitFor();
  await panel.getByRole('button', { name: 'Reset the plants' }).click();
  await panel.getByText('Your plants are back to the initial set.').waitFor();
  const { token } = JSON.parse(String(await page.evaluate("sessionStorage.getItem('plant-store-sandbox')")));
  assert.equal(
    (await fetch(`${service.url}/plants/12`, { headers: { Authorization: `Bearer ${token}` } })).status,
    404,
  );
  assertQuiet(/503/);
});

const SIZES = [
  [1440, 900],
  [1280, 720],
  [820, 1180],
  [390, 844],
  [320, 640],
] as const;

for (const [width, height] of SIZES) {
  test(`nothing covers anything, with an open form or without: ${width} x ${height}`, async () => {
    await using service = await publicStore();
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
    assertApart(strip, drawer, await boxOf('.bar'));
    if (width >= 1100) assertApart(drawer, await boxOf('#reference'), await boxOf('.start'));
    // On a narrow screen the page scrolls until the end of the reference is above the drawer.
    else await page.waitForFunction(`(${isEndAbove})(${drawer.y})`);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);

    await page.evaluate('scrollTo(0, 0)');
    await page.getByRole('button', { name: 'Store a plant' }).and(page.locator(':enabled')).click();
    await send(page);
    await page.getByRole('dialog').getByText('200 OK').waitFor();
    await panelOf(page).getByText('POST /plants → 200').waitFor();
    const form = await boxOf('#reference .scalar-container');
    assertApart(strip, drawer, form);
    for (const part of ['[role="dialog"]', '.app-exit-button']) assertWithin(await boxOf(part), form);
    await picture(page, `nothing-covered-${width}`);
    await assertAccessible(page);
    assertQuiet();
  });
}

/** Scrolls to the end, which moves while the reference draws its last parts. */
const isEndAbove = `(y) => {
  scrollTo(0, document.documentElement.scrollHeight);
  return document.querySelector('#reference').getBoundingClientRect().bottom <= y;
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
