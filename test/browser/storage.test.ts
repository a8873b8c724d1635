/** Browsers that store nothing for the page: it keeps what it needs in memory, and says what a reload loses. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { createDirectory } from '../harness/directory.ts';
import { startTestService } from '../harness/service.ts';
import { assertAccessible, DESKTOP, launchWithProfile, openBrowser, openPage, watch } from './browser.ts';
import { demo } from './demo.ts';
import { openForm, panelOf, publicStore, responded, send } from './public-store.ts';

const directory = createDirectory();
after(() => directory[Symbol.dispose]());
const browser = await openBrowser();

/** A setting of Chromium: block all cookies and all other data of sites. */
async function blockingEverything(): Promise<BrowserContext> {
  const profile = directory.at(`profile-${crypto.randomUUID()}`);
  mkdirSync(`${profile}/Default`, { recursive: true });
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(`${profile}/Default/Preferences`, JSON.stringify(preferences));
  return launchWithProfile(profile, DESKTOP);
}

const THROWING = `for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, name, { configurable: true, get() { throw new DOMException('no', 'SecurityError'); } });
}`;
const MISSING = `for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, name, { configurable: true, value: null });
}`;
/** Fills the storage to its last character. */
const FULL = `for (const storage of [localStorage, sessionStorage]) {
  for (let length = 2 ** 22, i = 0; length >= 1; i++) {
    try { storage.setItem('filler' + i, 'x'.repeat(length)); } catch { length /= 2; }
  }
}`;

const withScript = (script: string) => async () => {
  const context = await browser.newContext(DESKTOP);
  await context.addInitScript(script);
  return context;
};

const BROWSERS: Readonly<Record<string, () => Promise<BrowserContext>>> = {
  'all data of sites is blocked': blockingEverything,
  'reading localStorage throws': withScript(THROWING),
  'there is no storage': withScript(MISSING),
  'the storage is full': withScript(FULL),
};

const warning = (page: Page) => page.locator('#forgets');

for (const [name, open] of Object.entries(BROWSERS)) {
  test(`a visitor stores plants in one sandbox, and reads what is lost: ${name}`, async () => {
    await using service = await publicStore('--events');
    await using context = await open();
    const { page, assertQuiet } = await watch(context, [service.url]);
    let sandboxes = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/sandboxes') sandboxes++;
    });
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Plant Store', level: 1 }).waitFor();
    await openForm(page);
    const items = panelOf(page).locator('#sandbox-requests > li');
    for (const number of [1, 2]) {
      await send(page);
      await items.getByText(`#${number} POST /plants → 200`).waitFor();
    }
    assert.equal(sandboxes, 1);
    await page.getByRole('dialog').getByText('200 OK').waitFor();
    await responded(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page
      .getByRole('button', { name: /dark mode/i })
      .first()
      .click();
    await warning(page).getByText('the page forgets your sandbox and its token').waitFor();
    await assertAccessible(page);
    await page.goto(`${service.url}/guide/first-request`);
    await page.getByRole('button', { name: 'Copy' }).first().waitFor();
    assertQuiet();
  });
}

test('a demo and a store for tokens work without storage, and each names what a reload loses', async () => {
  await using service = await demo();
  await using context = await blockingEverything();
  const { page, assertQuiet } = await watch(context, [service.url]);
  await page.goto(service.url);
  await openForm(page);
  await send(page);
  await page.getByRole('dialog').getByText('200 OK').waitFor();
  await responded(page);
  await page.keyboard.press('Escape');
  await warning(page).getByText('the page forgets the colours that you choose').waitFor();
  assertQuiet();

  await using store = await startTestService();
  const { url, token } = store.client;
  const second = await watch(context, [url]);
  await second.page.goto(url);
  await second.page.getByRole('heading', { name: 'Plant Store', level: 1 }).waitFor();
  await second.page.getByPlaceholder('Token').first().fill(token);
  await warning(second.page).getByText('the page forgets the token that you type').waitFor();
  await openForm(second.page);
  await send(second.page);
  await second.page.getByRole('dialog').getByText('200 OK').waitFor();
  second.assertQuiet();
});

test('a browser that stores data shows no such warning, and keeps the sandbox through a reload', async () => {
  await using service = await publicStore();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  await openForm(page);
  await send(page);
  await panelOf(page).locator('li').getByText('#1 POST /plants → 200').waitFor();
  assert.equal(await warning(page).isVisible(), false);
  await responded(page);
  await page.reload();
  await panelOf(page).locator('li').getByText('#1 POST /plants → 200').waitFor();
  assertQuiet();
});
