/** The guide: its addresses, and the sandbox that it offers to a reader without a token. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../harness/service.ts';
import {
  assertAccessible,
  assertReadable,
  copy,
  DESKTOP,
  openBrowser,
  openPage,
  PHONE,
  waitUntilTrue,
} from './browser.ts';
import { demo } from './demo.ts';
import { panelOf, publicStore, tokenOf } from './public-store.ts';

const browser = await openBrowser();

test('a page that is opened in a new tab has the address of its service, and offers a sandbox', async () => {
  await using service = await publicStore();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(`${service.url}/guide/lesson-7-when-things-fail`);
  const text = () => page.locator('main').innerText();
  assert.ok(!(await text()).includes('127.0.0.1:8080'));
  assert.equal(await page.getByRole('link', { name: service.url }).getAttribute('href'), '../');
  await page.getByText('this tab has none').waitFor();
  await assertAccessible(page);

  await page.getByRole('button', { name: 'Create a sandbox' }).click();
  await page.getByText('You have a sandbox').waitFor();
  const token = await tokenOf(page);
  assert.ok((await text()).includes(`Bearer ${token}`));
  assert.ok(!(await text()).includes('Bearer demo'));
  // The other pages of the tab, and the reference, use the same sandbox.
  await page.goto(`${service.url}/guide/lesson-1-first-request`);
  assert.ok((await text()).includes(`Bearer ${token}`));
  assert.equal(await page.getByRole('button', { name: 'Create a sandbox' }).count(), 0);
  await page.goto(service.url);
  await panelOf(page)
    .getByText(/ left$/)
    .waitFor();
  assert.equal(await tokenOf(page), token);

  const tab = await page.context().newPage();
  await tab.goto(`${service.url}/guide/lesson-3-errors-that-help`);
  await tab.getByRole('button', { name: 'Create a sandbox' }).waitFor();
  assert.ok((await tab.locator('main').innerText()).includes(`curl -i ${service.url}/plant/1`));
  assertQuiet();
});

test('on the way back, a page that the browser has kept uses the sandbox of another page', async () => {
  await using service = await publicStore();
  // Playwright turns this cache off.
  const keeping = await openBrowser({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
  const { page, assertQuiet } = await openPage(keeping, DESKTOP, [service.url]);
  await page.goto(service.url);
  await page.getByRole('button', { name: 'Store a plant' }).and(page.locator(':enabled')).waitFor();
  for (const lesson of ['lesson-1-first-request', 'lesson-3-errors-that-help']) {
    await page.goto(`${service.url}/guide/${lesson}`);
    await page.getByText('this tab has none').waitFor();
  }
  await page.getByRole('button', { name: 'Create a sandbox' }).click();
  await page.getByText('You have a sandbox').waitFor();
  const token = await tokenOf(page);

  // `page.goBack()` waits for the event `load`, which a kept page does not get again.
  await page.evaluate('history.back()');
  await page.waitForURL(/lesson-1/, { waitUntil: 'commit' });
  await page.locator('main').getByText(`Bearer ${token}`).first().waitFor();
  await page.evaluate('history.back()');
  await page.waitForURL(`${service.url}/`, { waitUntil: 'commit' });
  await panelOf(page)
    .getByText(/ left$/)
    .waitFor();
  assert.equal(await tokenOf(page), token);
  assertQuiet();
});

test('a page offers a new sandbox once the sandbox of the tab has expired, and explains a refusal', async () => {
  await using service = await publicStore('--sandboxes-per-address', '1');
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  const expired = JSON.stringify({ token: 'pss_old', expiresAt: '2020-01-01T00:00:00Z' });
  await page.addInitScript(`sessionStorage.setItem('plant-store-sandbox', '${expired}');
    sessionStorage.setItem('plant-store-token', 'pss_old')`);
  await page.goto(`${service.url}/guide/lesson-3-errors-that-help`);
  const button = page.getByRole('button', { name: 'Create a sandbox' });
  await button.click();
  await page.getByText('You have a sandbox').waitFor();
  await page.reload();
  await button.click();
  await page
    .locator('#offer')
    .getByText(/the maximum/)
    .waitFor();
  assertQuiet(/401|429/);
});

test('a page keeps a sandbox whose use has postponed its end', async () => {
  await using service = await publicStore();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(`${service.url}/guide/lesson-1-first-request`);
  await page.getByRole('button', { name: 'Create a sandbox' }).click();
  await page.getByText('You have a sandbox').waitFor();
  const token = await tokenOf(page);
  // The end that the page knows has passed.
  const known = JSON.stringify({ token, expiresAt: '2020-01-01T00:00:00Z' });
  await page.evaluate(`sessionStorage.setItem('plant-store-sandbox', '${known}')`);
  await page.goto(`${service.url}/guide/lesson-2-reading-a-description`);
  await page.getByText(`Bearer ${token}`).first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Create a sandbox' }).count(), 0);
  // The page now knows the new end, which also the reference needs.
  const kept = JSON.parse(String(await page.evaluate("sessionStorage.getItem('plant-store-sandbox')")));
  assert.ok(Date.parse(kept.expiresAt) > Date.now());
  assert.equal(kept.token, token);
  assertQuiet();
});

test('a page offers a new sandbox if that of the tab was deleted, and says that a service is down', async () => {
  const service = await publicStore();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(`${service.url}/guide/lesson-1-first-request`);
  const button = page.getByRole('button', { name: 'Create a sandbox' });
  await button.click();
  await page.getByText('You have a sandbox').waitFor();
  const headers = { Authorization: `Bearer ${await tokenOf(page)}` };
  assert.equal((await fetch(`${service.url}/sandbox`, { method: 'DELETE', headers })).status, 204);
  await page.reload();
  await button.waitFor();
  await service.stop('SIGTERM');
  await button.click();
  await page.locator('#offer').getByText('The service cannot be reached.').waitFor();
  await page.locator('#search').fill('cursor');
  await page.locator('#found').getByText('The service cannot be reached.').waitFor();
  assertQuiet(/401|ERR_/);
});

for (const [name, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`axe finds no errors in any page of the guide, in light or dark colours: ${name}`, async () => {
    await using service = await demo();
    const { page, assertQuiet } = await openPage(browser, options, [service.url]);
    await page.goto(`${service.url}/guide`);
    const places = await page
      .locator('#topics a')
      .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    assert.ok(places.length > 40, places.join());
    for (const place of places) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(place);
      await assertAccessible(page);
      // In both colour schemes the page has the same elements.
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.equal(await page.evaluate('getComputedStyle(document.body).color'), 'rgb(231, 231, 231)');
      await assertReadable(page, 'body');
    }
    assertQuiet();
  });
}

for (const [width, scheme] of [
  [1440, 'light'],
  [820, 'dark'],
  [390, 'light'],
] as const) {
  test(`a reader finds the headings, the other pages and the next page: ${width} px, ${scheme}`, async () => {
    await using service = await demo();
    const options = { viewport: { width, height: 844 }, colorScheme: scheme };
    const { page, assertQuiet } = await openPage(browser, options, [service.url]);
    await page.goto(`${service.url}/guide/defects-state`);
    assert.ok(Number(await page.evaluate('document.documentElement.scrollHeight')) < (width < 820 ? 16_000 : 12_000));
    const headings = page.getByRole('navigation', { name: 'On this page' });
    if (width < 1200) await page.getByRole('button', { name: 'On this page' }).click();
    await assertAccessible(page);
    await headings.getByRole('link', { name: 'stale-read' }).click();
    await page.waitForURL(`${service.url}/guide/defects-state#stale-read`);
    if (width < 1200) await headings.waitFor({ state: 'hidden' });
    if (width < 900) await page.getByRole('button', { name: 'Contents' }).click();
    const topics = page.getByRole('navigation', { name: 'Guide' });
    assert.equal(await topics.getByRole('link', { name: 'Defects: state' }).getAttribute('aria-current'), 'page');
    await topics.getByRole('link', { name: 'Planted defects' }).click();
    // The page before has such a link, too.
    await page.waitForURL(`${service.url}/guide/defects`);
    await page.getByRole('link', { name: /^Next / }).click();
    await page.waitForURL(`${service.url}/guide/defects-schema`);
    assertQuiet();
  });
}

test('on paper, no example and no table of a page is cut off', async () => {
  await using service = await startTestService();
  const { url } = service.client;
  // A4 without its margins.
  const { page, assertQuiet } = await openPage(browser, { viewport: { width: 690, height: 1000 } }, [url]);
  await page.emulateMedia({ media: 'print' });
  await page.goto(`${url}/guide`);
  const places = await page
    .locator('#topics a')
    .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
  assert.ok(places.length > 20);
  const cut: (string | null)[] = [];
  for (const place of places) {
    await page.goto(place);
    const found = await page
      .locator('main :is(pre, .table)')
      .evaluateAll((all) =>
        all
          .filter((one) => one.scrollWidth > one.clientWidth && getComputedStyle(one).overflowX !== 'visible')
          .map((one) => one.textContent),
      );
    cut.push(...found.map((text) => `${place}: ${text}`));
  }
  assert.deepEqual(cut, []);
  assertQuiet();
});

test('no line ends within an option', async () => {
  await using service = await demo();
  const { page } = await openPage(browser, { viewport: { width: 1440, height: 900 } }, [service.url]);
  await page.goto(`${service.url}/guide/sandboxes`);
  const options = page.locator('.guide :not(pre) > code', { hasText: /^--[a-z-]+$/ });
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const lines = await options.evaluateAll((codes) => codes.map((code) => code.getClientRects().length));
    assert.ok(lines.length > 5 && lines.every((count) => count === 1), `${width} px: ${lines}`);
  }
});

test('a reader finds a section by its words, with the keyboard, also in the menu of a phone', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(`${service.url}/guide/first-request`);
  await page.keyboard.press('/');
  await page.keyboard.type('LOST resp');
  const found = page.getByRole('list', { name: 'Found sections' });
  await found.getByRole('link', { name: /^Lost responses/ }).waitFor();
  await assertAccessible(page);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${service.url}/guide/faults#lost-responses`);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Contents' }).click();
  const search = page.getByRole('searchbox');
  await search.fill('--sandbox-memory');
  await found.getByRole('link').first().waitFor();
  // Input methods compose a word and accept it with Enter.
  const input = await page.context().newCDPSession(page);
  await search.fill('');
  await input.send('Input.imeSetComposition', { text: 'paging', selectionStart: 6, selectionEnd: 6 });
  await found.getByRole('link', { name: 'Paging', exact: true }).first().waitFor();
  await page.keyboard.press('Enter');
  await input.send('Input.insertText', { text: 'paging' });
  assert.equal(page.url(), `${service.url}/guide/faults#lost-responses`);
  await search.fill('zzyzx');
  await found.getByText('Nothing found').waitFor();
  await search.fill('');
  await page.getByRole('navigation', { name: 'Guide' }).getByRole('link', { name: 'Paging', exact: true }).waitFor();
  assertQuiet();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`an example has readable colours, and its button copies it whole: ${colorScheme}`, async () => {
    await using service = await demo();
    const { page, assertQuiet } = await openPage(browser, { ...DESKTOP, colorScheme }, [service.url]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${service.url}/guide/safe-retries`);
    for (const slug of ['safe-retries', 'following-changes', 'grade-ci', 'lesson-7-when-things-fail', 'errors']) {
      await page.goto(`${service.url}/guide/${slug}`);
      assert.ok((await page.locator('pre .hljs-string').count()) > 3, slug);
      await assertAccessible(page);
    }
    await page.goto(`${service.url}/guide/lesson-7-when-things-fail`);
    await copy(page, page.locator('.copy').first());
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.ok(copied.startsWith(`curl -X PUT ${service.url}/sandbox/faults \\\n`), copied);
    assertQuiet();
  });
}

test('an example is also copied whole where a browser withholds its clipboard, as without HTTPS', async () => {
  await using service = await publicStore();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await page.goto(`${service.url}/guide/lesson-1-first-request`);
  await page.getByRole('button', { name: 'Create a sandbox' }).click();
  await page.getByText('You have a sandbox').waitFor();
  await copy(page, page.locator('.example', { hasText: 'Aloe vera' }).locator('.copy'));
  const example = `curl -i ${service.url}/plants \\\n  -H 'Authorization: Bearer ${await tokenOf(page)}' \\\n`;
  const reader = await page.context().newPage();
  await reader.goto(`${service.url}/guide`);
  const copied = String(await reader.evaluate('navigator.clipboard.readText()'));
  assert.ok(copied.startsWith(example) && copied.endsWith(`"succulent"}'`), copied);
  assertQuiet();
});

test('a demo at another port needs no sandbox, and its examples have its address', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(`${service.url}/guide/lesson-7-when-things-fail`);
  await waitUntilTrue(page, `!document.querySelector('main').innerText.includes('127.0.0.1:8080')`);
  assert.ok((await page.locator('main').innerText()).includes('Bearer demo'));
  assert.equal(await page.locator('#offer').count(), 0);
  assertQuiet();
});
