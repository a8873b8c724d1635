/** The first half hour of a newcomer: a demo, its page, two clicks. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import {
  assertAccessible,
  assertReadable,
  copy,
  DESKTOP,
  openBrowser,
  openPage,
  VIEWS,
  waitUntilInView,
} from './browser.ts';
import { demo } from './demo.ts';
import { openForm, responded, send } from './public-store.ts';

const CLIPBOARD = ['clipboard-read', 'clipboard-write'];

const browser = await openBrowser();

for (const [name, options] of Object.entries(VIEWS)) {
  test(`two clicks on the page of a demo store a plant, and the response is in view: ${name}`, async () => {
    await using service = await demo();
    const { page, assertQuiet } = await openPage(browser, options, [service.url]);
    await page.goto(service.url);
    let clicks = 0;
    const click = async (button: string | RegExp) => {
      const found = page.getByRole('button', { name: button }).filter({ visible: true }).first();
      // Without scrolling.
      if (clicks === 0) await waitUntilInView(page, found);
      clicks++;
      await found.click();
    };
    await click('Store a plant');
    await click(/^Send/);
    const status = page.getByRole('dialog').getByText('200 OK');
    await status.waitFor();
    await waitUntilInView(page, status);
    assert.equal(clicks, 2);
    const stored = await service.client.send('GET', '/plants/12');
    assert.deepEqual(stored.json(), { id: 12, name: 'Aloe vera', tag: 'succulent' });
    assertQuiet();
  });
}

test('at a zoom of 400 % the body of a response can be read', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, { viewport: { width: 320, height: 256 } }, [service.url]);
  await page.goto(service.url);
  await openForm(page);
  await send(page);
  const response = page.getByRole('region', { name: 'Response' });
  await response.getByText('200 OK').waitFor();
  // A click needs a place that nothing covers or cuts off.
  await response.getByText('"Aloe vera"').click({ trial: true });
  const rule = { fault: { kind: 'status', status: 503 } };
  await service.client.send('PUT', '/sandbox/faults', { body: [rule] });
  await send(page);
  await response.getByText('503, on purpose').waitFor();
  await response.getByText('50300').click({ trial: true });
  assertQuiet(/503/);
});

test('Store a plant stores another plant each time, also after the curl line of the terminal', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await service.client.send('POST', '/plants', { body: { id: 12, name: 'Aloe vera', tag: 'succulent' } });
  const rules = [{ fault: { kind: 'delay', ms: 30_000 }, match: { operation: 'listPlants' } }];
  await service.client.send('PUT', '/sandbox/faults', { body: rules });
  await page.goto(service.url);
  const form = page.getByRole('dialog');
  // The garden has no plants 36 and 37.
  for (const id of [36, 37]) {
    await page.getByRole('button', { name: 'Store a plant' }).and(page.locator(':enabled')).click();
    await form.locator('.cm-content').first().getByText(`"id": ${id},`).waitFor();
    await form.getByRole('button', { name: /^Send/ }).filter({ visible: true }).first().click();
    await page.locator('#sandbox-events > li').first().getByText(`${id} · Aloe vera · succulent`).waitFor();
    await responded(page);
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'hidden' });
  }
  const recorded = (await service.client.send('GET', '/sandbox/requests')).json() as { readonly method: string }[];
  assert.deepEqual(
    recorded.map(({ method }) => method),
    ['POST', 'POST', 'POST'],
  );
  assertQuiet();
});

test('Store a plant finds a free id also in a store with more plants than a page has', async () => {
  await using service = await demo();
  const { client } = service;
  const ids = Array.from({ length: 948 }, (_, i) => i + 3_000);
  await Promise.all(ids.map((id) => client.send('POST', '/plants', { body: { id, name: 'Agave' } })));
  await client.send('DELETE', '/plants/1753');
  await client.send('POST', '/plants', { body: { id: 12, name: 'Agave' } });
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  await page.getByRole('button', { name: 'Store a plant' }).and(page.locator(':enabled')).click();
  await page
    .getByRole('dialog')
    .getByText(/"id": \d{13},/)
    .waitFor();
  assertQuiet();
});

test('the keyboard is enough to store a plant', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  await page.getByRole('button', { name: 'Store a plant' }).and(page.locator(':enabled')).waitFor();
  const reach = async (name: RegExp) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate('document.activeElement.textContent.trim()');
      if (name.test(String(focused))) return page.keyboard.press('Enter');
    }
    return assert.fail(`${name} was not reached`);
  };
  await reach(/^Store a plant$/);
  await page.getByRole('dialog').locator('.cm-content').first().waitFor();
  await reach(/^Send/);
  await page.getByRole('dialog').getByText('200 OK').waitFor();
  assert.equal((await service.client.send('GET', '/plants/12')).status, 200);
  assertQuiet();
});

for (const [name, options] of Object.entries(VIEWS)) {
  test(`axe finds no errors on the page, nor poor contrast in the reference: ${name}`, async () => {
    await using service = await demo();
    const { page, assertQuiet } = await openPage(browser, options, [service.url]);
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Plant Store', level: 1 }).waitFor();
    await assertAccessible(page);
    // The sample beside an operation is dark on a light page too. Its red was the darkest colour.
    await page.evaluate("location.hash = '#tag/plants/DELETE/plants/{id}'");
    const sample = page.locator('.request-card').filter({ hasText: 'delete' }).first();
    await waitUntilInView(page, sample);
    await assertReadable(page);
    const poor = name.endsWith('dark') ? '#5a5a5a' : '#8e8e8e';
    await page.addStyleTag({ content: `body { --scalar-color-2: ${poor} !important }` });
    await assert.rejects(assertReadable(page, '#reference .t-doc__sidebar'), /color-contrast/);
    assertQuiet();
  });
}

test('the command above the reference is copied, and stores a plant as it is', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, { ...DESKTOP, permissions: CLIPBOARD }, [service.url]);
  await page.goto(service.url);
  await page.getByText(`curl '${service.url}/plants'`).waitFor();
  await copy(page, page.locator('.start .copy'));
  const command = String(await page.evaluate('navigator.clipboard.readText()'));
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  assert.equal(stdout, '{"name":"Aloe vera","tag":"succulent"}');
  assert.equal((await service.client.send('GET', '/plants/12')).status, 200);
  assertQuiet();
});

test('a button of the guide copies an example', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, { ...DESKTOP, permissions: CLIPBOARD }, [service.url]);
  await page.goto(`${service.url}/guide`);
  const example = await page.locator('pre:has(.language-sh)').first().innerText();
  assert.equal(await page.locator('.example:has(.language-json)').count(), 0, 'a response is not to be pasted');
  await copy(page, page.locator('.copy').first());
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), example.trimEnd());
  assertQuiet();
});

test('a browser finds the page, the guide and the icon where it looks for them', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(`${service.url}/docs`);
  assert.equal(page.url(), `${service.url}/`);
  await page.getByRole('heading', { name: 'Plant Store', level: 1 }).waitFor();
  await page.goto(`${service.url}/guide`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const icon = await fetch(`${service.url}/favicon.ico`);
  assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, 'image/x-icon']);
  assertQuiet();
});
