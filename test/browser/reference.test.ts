import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { startTestService } from '../harness/service.ts';
import { DESKTOP, openBrowser, openPage, PHONE, waitUntilTrue } from './browser.ts';

const browser = await openBrowser();

/** Opens the reference and waits until it shows the operations. */
async function openReference(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/`);
  await page.getByRole('heading', { name: 'Plant Store', level: 1 }).waitFor();
}

/** Sets the token and opens the form of createPlant. */
async function openCreate(page: Page, token: string): Promise<Locator> {
  await page.getByPlaceholder('Token').first().fill(token);
  await page
    .getByRole('link', { name: /Create a plant/ })
    .first()
    .click();
  await page.locator('button').filter({ hasText: 'post /plants' }).click();
  const form = page.getByRole('dialog');
  await form.locator('.cm-content').first().waitFor();
  return form;
}

async function send(form: Locator, body?: string): Promise<void> {
  const page = form.page();
  if (body !== undefined) {
    await form.locator('.cm-content').first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(body);
    await form.locator('.cm-line').filter({ hasText: body }).waitFor();
  }
  const received = page.waitForResponse((response) => response.url().endsWith('/plants'));
  await form.getByRole('button', { name: /^Send/ }).first().click();
  await received;
}

test('the reference shows 200 or the Error after a POST, and contacts no other host', async () => {
  await using service = await startTestService();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [client.url]);
  await openReference(page, client.url);
  const form = await openCreate(page, client.token);
  await send(form);
  await form.getByText('200 OK').waitFor();
  await form.getByText('"Aloe vera"').nth(1).waitFor();
  assert.deepEqual((await client.send('GET', '/plants/12')).json(), { id: 12, name: 'Aloe vera', tag: 'succulent' });
  assertQuiet();

  await send(form, '{"id": 12, "name": 7}');
  await form.getByText('400 Bad Request').waitFor();
  await form.getByText('40005').waitFor();
  await form.getByText(/name must be/).waitFor();
  // Chromium itself logs every response with a status of 400 or above.
  assertQuiet(/the server responded with a status of 400/);
});

test('the reference warns when a browser cannot keep an id exactly', async () => {
  await using service = await startTestService();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [client.url]);
  await openReference(page, client.url);
  assert.equal(await page.locator('#notice').isVisible(), false);
  const form = await openCreate(page, client.token);
  // Digits of a text stay as they are.
  await send(form, '{"id": 12, "name": "Lot 9007199254740993", "tag": "9007199254740993"}');
  await form.getByText('200 OK').waitFor();
  assert.equal(await page.locator('#notice').isVisible(), false);
  await client.send('DELETE', '/plants/12');
  await send(form, '{"id": 9007199254740993, "name": "Beyond"}');
  await form.getByText('200 OK').waitFor();
  await page
    .locator('#notice')
    .getByText(/9007199254740993 of this request is beyond 2\^53 - 1/)
    .waitFor();
  const stored = (await client.send('GET', '/plants')).json();
  assert.deepEqual(stored, [{ id: 9_007_199_254_740_993n, name: 'Beyond' }]);
  await send(form, '{"id": 9007199254740991, "name": "Within"}');
  await page.locator('#notice').waitFor({ state: 'hidden' });
  assertQuiet();
});

test('the form of getPlant sends any id as it is typed, and shows every digit', async () => {
  await using service = await startTestService();
  const { client } = service;
  await client.send('POST', '/plants', { body: '{"id": 9007199254740993, "name": "Beyond"}' });
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [client.url]);
  await openReference(page, client.url);
  await page.getByPlaceholder('Token').first().fill(client.token);
  await page
    .getByRole('link', { name: /Read a plant/ })
    .first()
    .click();
  await page.locator('button').filter({ hasText: 'get /plants/{id}' }).click();
  const form = page.getByRole('dialog');
  await form.locator('[contenteditable=true]').filter({ hasText: '12' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('9007199254740993');
  await form.locator('[contenteditable=true]').filter({ hasText: '9007199254740993' }).waitFor();
  await form.getByRole('button', { name: /^Send/ }).first().click();
  await form.getByText('200 OK').waitFor();
  await form.getByText('"id": 9007199254740993').waitFor();
  assertQuiet();
});

test('the reference shows every digit of the bounds of int64, and links to the description itself', async () => {
  await using service = await startTestService();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [client.url]);
  await openReference(page, client.url);
  await page.getByRole('link', { name: 'PlantId' }).first().click();
  await page.getByText('From -9223372036854775808 to 9223372036854775807.').first().waitFor();
  assert.doesNotMatch(await page.locator('body').innerText(), /9223372036854776000/);
  for (const name of ['JSON', 'YAML']) {
    const address = await page.getByRole('link', { name, exact: true }).getAttribute('href');
    assert.equal(new URL(address ?? '', page.url()).href, `${client.url}/openapi.${name.toLowerCase()}`);
  }
  assertQuiet();
});

test('the rules of all operations are a section of their own', async () => {
  await using service = await startTestService();
  const { url } = service.client;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [url]);
  await openReference(page, url);
  assert.doesNotMatch(await page.getByRole('region', { name: 'Introduction' }).innerText(), /200 means durable/);
  await page.getByRole('link', { name: 'conventions' }).first().click();
  await page.getByRole('heading', { name: 'conventions' }).first().waitFor();
  await page.getByText('200 means durable').waitFor();
  assertQuiet();
});

test('a typed token survives a reload of its tab, and is stored nowhere else', async () => {
  await using service = await startTestService();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [client.url]);
  await openReference(page, client.url);
  const hint = page.getByText('You need a token');
  assert.equal(await hint.isVisible(), true, 'said before the first Send');
  await page.getByText(`curl '${client.url}/plants' -H 'Authorization: Bearer TOKEN'`).waitFor();
  const form = await openCreate(page, client.token);
  await send(form);
  await form.getByText('200 OK').waitFor();
  assert.equal(await hint.isVisible(), false);
  await page.getByText(`curl '${client.url}/plants' -H 'Authorization: Bearer ${client.token}'`).waitFor();
  const state = await page.context().storageState({ indexedDB: true });
  assert.equal(JSON.stringify(state).includes(client.token), false);
  await page.reload();
  await page.getByRole('button', { name: 'Store a plant' }).click();
  await send(page.getByRole('dialog'));
  await page.getByRole('dialog').getByText('200 OK').waitFor();
  const other = await page.context().newPage();
  await other.goto(client.url);
  await other.getByText('You need a token').waitFor();
  assertQuiet();
});

test('the loaded reference can be read and searched without a network', async () => {
  await using service = await startTestService();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [client.url]);
  await openReference(page, client.url);
  await page.context().setOffline(true);
  await page
    .getByRole('link', { name: /Replace a plant/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Replace a plant' }).first().waitFor();
  await page.getByText('412').first().waitFor();
  await page
    .getByRole('button', { name: /Search/ })
    .first()
    .click();
  await page.getByRole('dialog').locator('input').fill('delete');
  await page.getByRole('dialog').getByText('Delete a plant').first().waitFor();
  await page.getByRole('dialog').locator('input').fill('safe retries');
  await page.getByRole('dialog').getByText('Safe retries').first().waitFor();
  // Chromium may request the icon late.
  assertQuiet(/favicon/);
});

for (const [name, baseUrl, taken] of [
  ['that passes on the prefix of the base URL', 'http://plants.example/shop', ''],
  ['that takes a prefix away, without a base URL', undefined, '/shop'],
] as const) {
  test(`behind a proxy ${name} the reference and the guide work, and a POST goes to the proxy`, async () => {
    await using service = await startTestService(baseUrl === undefined ? {} : { baseUrl });
    const { client } = service;
    const { page, assertQuiet } = await openPage(browser, DESKTOP, ['http://plants.example']);
    await page.route('http://plants.example/**', async (route) => {
      const path = new URL(route.request().url()).pathname.slice(taken.length);
      await route.fulfill({ response: await route.fetch({ url: new URL(client.url).origin + path }) });
    });
    await openReference(page, 'http://plants.example/shop');
    await page.getByRole('link', { name: 'Guide' }).click();
    await page.getByRole('heading', { name: 'First request' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'reference' }).click();
    await page.getByRole('heading', { name: 'Plant Store', level: 1 }).waitFor();
    const form = await openCreate(page, client.token);
    await send(form);
    await form.getByText('200 OK').waitFor();
    assert.equal((await client.send('GET', '/plants/12')).status, 200);
    assertQuiet();
  });
}

for (const [name, options] of [
  ['dark', { ...DESKTOP, colorScheme: 'dark' }],
  ['phone', PHONE],
  ['small-phone', { ...PHONE, viewport: { width: 320, height: 568 } }],
  ['phone-dark', { ...PHONE, colorScheme: 'dark' }],
  ['light', DESKTOP],
] as const) {
  test(`the reference and the guide fit the screen: ${name}`, async () => {
    await using service = await startTestService();
    const { client } = service;
    const { page, assertQuiet } = await openPage(browser, options, [client.url]);
    await openReference(page, client.url);
    // The reference makes an operation only near the screen, and grows meanwhile. The text above is longer on a narrow
    // screen.
    const operation = page.getByRole('heading', { name: 'List plants' }).first();
    await waitUntilTrue(page, async () => {
      await page.evaluate('scrollTo(0, Math.max(1400, 900_000 / innerWidth))');
      return operation.isVisible();
    });
    for (const slug of ['first-request', 'errors']) {
      await page.goto(`${client.url}/guide/${slug}`);
      // innerWidth cannot be used: a phone widens it to whatever does not fit.
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.equal(width, options.viewport.width, slug);
    }
    assertQuiet();
  });
}

test('the guide links to the reference and uses the same colour scheme', async () => {
  await using service = await startTestService();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [client.url]);
  await openReference(page, client.url);
  await page
    .getByRole('button', { name: /dark mode/i })
    .first()
    .click();
  await waitUntilTrue(page, "localStorage.getItem('colorMode') === 'dark'");
  await page.getByRole('link', { name: 'Guide' }).click();
  await page.getByRole('heading', { name: 'First request' }).waitFor();
  assert.equal(await page.evaluate('document.documentElement.dataset.mode'), 'dark');
  const ink = () => page.evaluate('getComputedStyle(document.body).color');
  assert.equal(await ink(), 'rgb(231, 231, 231)');
  await page.emulateMedia({ media: 'print' });
  assert.equal(await ink(), 'rgb(27, 27, 27)');
  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('main').getByRole('link', { name: 'reference' }).click();
  await page.getByRole('heading', { name: 'Plant Store', level: 1 }).waitFor();
  assertQuiet();
});

test('the guide is in the sidebar and in the search of the reference, and has no sections there', async () => {
  await using service = await startTestService();
  const { url } = service.client;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [url]);
  await openReference(page, url);
  assert.equal(await page.getByRole('heading', { name: 'Safe retries' }).count(), 0);
  await page.getByRole('link', { name: 'Safe retries', exact: true }).first().click();
  await page.waitForURL(`${url}/guide/safe-retries`);
  await page.goBack();
  await page.getByRole('heading', { name: 'Plant Store', level: 1 }).waitFor();

  await page
    .getByRole('button', { name: /Search/ })
    .first()
    .click();
  await page.getByRole('dialog').locator('input').fill('lost updates');
  const result = page.getByRole('option', { name: /Lesson 5: paging and lost updates/ });
  await result.waitFor();
  assert.doesNotMatch(await result.innerText(), /[[\]()]/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/guide/lesson-5-paging-and-lost-updates`);
  assertQuiet();
});

test('every page of the guide fits a phone, and its navigation shows where the page is', async () => {
  await using service = await startTestService();
  const { url } = service.client;
  const { page } = await openPage(browser, PHONE, [url]);
  await page.goto(`${url}/guide`);
  const places = await page
    .locator('#topics a')
    .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
  assert.ok(places.length > 20);
  for (const place of places) {
    await page.goto(place);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, place);
    const contents = page.getByRole('button', { name: 'Contents' });
    await contents.click();
    // The page scrolls the list after it has opened.
    const isInList = `(({ top, bottom }) => top > 48 && bottom < ${PHONE.viewport.height})(
      document.querySelector('#topics [aria-current]').getBoundingClientRect())`;
    await waitUntilTrue(page, isInList);
    await contents.click();
    // A line may end after a space, a hyphen, a slash or a question mark.
    const broken = await page
      .locator('td code')
      .evaluateAll((all) =>
        all
          .filter((one) => one.getClientRects().length > one.textContent.split(/(?<=[\s/?-])/).length)
          .map((one) => one.textContent),
      );
    assert.deepEqual(broken, [], place);
    for (const solutions of await page.locator('summary').all()) await solutions.click();
    for (const box of await page.locator('.example').all()) {
      const [code, button] = await Promise.all([
        box.locator('pre code').boundingBox(),
        box.locator('button').boundingBox(),
      ]);
      assert.ok(code && button && button.y + button.height <= code.y, `Copy covers code of ${place}`);
    }
  }
});

test('the navigation of the guide shows the whole link to the page', async () => {
  await using service = await startTestService();
  const { url } = service.client;
  const { page, assertQuiet } = await openPage(browser, { viewport: { width: 1280, height: 720 } }, [url]);
  await page.goto(`${url}/guide/lesson-3-errors-that-help`);
  const [navigation, link] = await Promise.all([
    page.locator('#topics').boundingBox(),
    page.locator('#topics [aria-current]').boundingBox(),
  ]);
  assert.ok(navigation && link && link.y + link.height <= navigation.y + navigation.height);
  assertQuiet();
});

test('a skip link leads past the navigation of the guide', async () => {
  await using service = await startTestService();
  const { url } = service.client;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [url]);
  await page.goto(`${url}/guide/safe-retries`);
  for (const key of ['Tab', 'Enter']) await page.keyboard.press(key);
  await page.waitForURL(`${url}/guide/safe-retries#text`);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.closest("main") !== null'), true);
  assertQuiet();
});

test('the guide fills in the address of this service and the token of this tab, as text', async () => {
  await using service = await startTestService();
  const { url } = service.client;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [url]);
  const command = () =>
    page
      .locator('code.language-sh')
      .first()
      .innerText()
      .then((text) => text.trim());
  await page.goto(`${url}/guide/lesson-3-errors-that-help`);
  assert.equal(await command(), `curl -i ${url}/plant/1 -H 'Authorization: Bearer demo'`);
  await page.evaluate("sessionStorage.setItem('plant-store-token', '<b>mine</b>$&')");
  await page.reload();
  assert.equal(await command(), `curl -i ${url}/plant/1 -H 'Authorization: Bearer <b>mine</b>$&'`);
  await page.goto(`${url}/guide/lesson-6-generating-a-client`);
  const programs = await page.locator('code.language-ts').allInnerTexts();
  assert.ok(programs[0]?.includes("client.auth.bearer('<b>mine</b>$&');"), programs[0]);
  await page.goto(`${url}/guide/sandboxes`);
  assert.ok((await command()).startsWith(`curl ${url}/sandboxes `), await command());
  assertQuiet();
});
