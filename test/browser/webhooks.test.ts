/** The webhook of the page: three clicks from `/` of a demo to a message in its inbox, beside its event. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { assertAccessible, copy, DESKTOP, openBrowser, openPage, PHONE, VIEWS } from './browser.ts';
import { demo } from './demo.ts';
import { openForm, panelOf, publicStore, send } from './public-store.ts';

const browser = await openBrowser();

const eventsIn = (page: Page) => panelOf(page).locator('#sandbox-events > li');
const makeButton = (page: Page) => page.getByRole('button', { name: 'Make a webhook' }).filter({ visible: true });
const inboxOf = (page: Page) => panelOf(page).getByRole('region', { name: 'Your webhook' });
const secretIn = (page: Page) => inboxOf(page).locator('code.secret').textContent();

/** Makes the webhook, and waits until the page has its secret. */
async function makeWebhook(page: Page): Promise<string> {
  await makeButton(page).click();
  await inboxOf(page).waitFor();
  return String(await secretIn(page));
}

/** Leaves out the clicks of the page's own scripts. */
const COUNT_CLICKS = "globalThis.clicks = 0; addEventListener('click', ({ isTrusted }) => (clicks += isTrusted), true)";

for (const [name, options] of Object.entries(VIEWS)) {
  test(`three clicks show the message of a webhook beside its event: ${name}`, async () => {
    await using service = await demo();
    const { page, assertQuiet } = await openPage(browser, options, [service.url]);
    await page.addInitScript(COUNT_CLICKS);
    await page.goto(service.url);
    await makeButton(page).waitFor();
    await assertAccessible(page);
    const secret = await makeWebhook(page);
    await openForm(page);
    await send(page);
    const event = eventsIn(page).first();
    await event.getByText('12 · Aloe vera · succulent').waitFor();
    const message = event.getByText(/^plant\.created · ….{6} · right$/);
    await message.waitFor();
    assert.equal(await page.evaluate('clicks'), 3);
    await message.click();
    await event.getByText('A receiver can trust it.').waitFor();
    await assertAccessible(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), page.viewportSize()?.width);
    // A receiver that has the secret of the page accepts the bytes that the page shows.
    const [head = '', body = ''] = String(await event.locator('pre').textContent()).split('\n\n');
    const headers = Object.fromEntries(head.split('\n').map((line) => line.split(': ')));
    const sent = new Webhook(secret).verify(body, headers) as { readonly data: unknown };
    assert.deepEqual(sent.data, { id: 12, name: 'Aloe vera', tag: 'succulent' });
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers), /No matching signature/);
    assertQuiet();
  });
}

test('the keyboard is enough to make a webhook, and its focus is never lost', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.goto(service.url);
  await makeButton(page).waitFor();
  await page.keyboard.press('F6');
  const press = async (name: string) => {
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.textContent')) === name) return page.keyboard.press('Enter');
    }
    return assert.fail(`${name} was not reached`);
  };
  await press('Make a webhook');
  await inboxOf(page).and(page.locator(':focus')).waitFor();
  await press('Send a test');
  const test = inboxOf(page).getByText(/^webhook\.test · ….{6} · right$/);
  await test.waitFor();
  await inboxOf(page).getByRole('button', { name: 'Send a test' }).and(page.locator(':focus')).waitFor();
  await press('Delete');
  await makeButton(page).and(page.locator(':focus')).waitFor();
  assert.equal(await test.count(), 0);
  assert.deepEqual((await service.client.send('GET', '/webhooks')).json(), []);
  assertQuiet();
});

test('the secret is copied, is rotated, and is gone after a reload, but the messages are still there', async () => {
  await using service = await demo();
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page, assertQuiet } = await openPage(browser, { ...DESKTOP, permissions }, [service.url]);
  await page.goto(service.url);
  const first = await makeWebhook(page);
  assert.match(first, /^whsec_/);
  await copy(page, inboxOf(page).locator('.copy'));
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), first);
  await inboxOf(page).getByRole('button', { name: 'Rotate the secret' }).click();
  await inboxOf(page).getByText('The new secret.').waitFor();
  assert.notEqual(await secretIn(page), first);
  await service.client.send('POST', '/plants', { body: { id: 9001, name: 'Agave' } });
  const message = eventsIn(page)
    .first()
    .getByText(/right$/);
  await message.click();
  await eventsIn(page)
    .first()
    .getByText(/webhook-signature: v1,\S{43}= v1,\S{43}=/)
    .waitFor();
  await page.reload();
  await message.waitFor();
  assert.equal(await inboxOf(page).locator('code.secret').isVisible(), false);
  assert.equal(await makeButton(page).count(), 0);
  assertQuiet();
});

test('a text of a client stays a text', async () => {
  await using service = await demo();
  const { page, assertQuiet } = await openPage(browser, PHONE, [service.url]);
  await page.goto(service.url);
  await makeWebhook(page);
  const name = '<img src="x" onerror="alert(1)"><b id="forged">';
  await service.client.send('POST', '/plants', { body: { id: 9001, name } });
  const event = eventsIn(page).first();
  await event.getByText(/right$/).click();
  await event.getByText(JSON.stringify(name)).waitFor();
  assert.equal(await page.locator('#forged, #sandbox img').count(), 0);
  assertQuiet();
});

test('a wrong message shows its reason, and a message that arrives twice is shown twice', async () => {
  await using service = await demo();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, PHONE, [service.url]);
  const rules = ['wrongSignature', 'duplicate'].map((kind) => ({
    fault: { kind },
    match: { message: 'plant.created' },
    times: 1,
  }));
  assert.equal((await client.send('PUT', '/sandbox/faults', { body: rules })).status, 200);
  await page.goto(service.url);
  await makeWebhook(page);
  await client.send('POST', '/plants', { body: { id: 9001, name: 'Agave' } });
  const event = eventsIn(page).first();
  await event.getByText(/^plant\.created · ….{6} · wrong: no signature matches/).click();
  await event.getByText('A receiver must refuse it: no signature matches').waitFor();
  await assertAccessible(page);
  await client.send('POST', '/plants', { body: { id: 9002, name: 'Aloe' } });
  await event.getByText('9002 · Aloe').waitFor();
  await event
    .getByText(/right$/)
    .nth(1)
    .waitFor();
  assert.equal(await event.getByText(/right$/).count(), 2);
  assertQuiet();
});

test('a webhook of another client is shown, and its end too', async () => {
  await using service = await demo();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  const created = await client.send('POST', '/webhooks', { body: {} });
  const { id } = created.json() as { readonly id: string };
  await page.goto(service.url);
  await inboxOf(page).getByText(id).waitFor();
  await client.send('DELETE', `/webhooks/${id}`);
  await makeButton(page).waitFor();
  assertQuiet(/404/);
});

test('a refused webhook shows why', async () => {
  await using service = await demo();
  const { client } = service;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await client.send('PUT', '/sandbox/faults', { body: [{ fault: { kind: 'status', status: 503 }, times: 1 }] });
  await page.goto(service.url);
  await makeButton(page).click();
  await page.locator('#sandbox-note').getByText(/503/).waitFor();
  await makeWebhook(page);
  assertQuiet(/503/);
});

test('a visitor gets a webhook for a sandbox, also if the browser stores nothing', async () => {
  await using service = await publicStore('--webhooks');
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  await page.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get() { throw new Error('blocked') }, configurable: true })`);
  await page.goto(service.url);
  await openForm(page);
  assert.equal(await makeButton(page).count(), 0);
  await send(page);
  await eventsIn(page).getByText('12 · Aloe vera · succulent').waitFor();
  await makeWebhook(page);
  await inboxOf(page).getByRole('button', { name: 'Send a test' }).click();
  await inboxOf(page)
    .getByText(/^webhook\.test · ….{6} · right$/)
    .waitFor();
  assertQuiet();
});

test('a service without webhooks shows nothing of them, and its page does not request them', async () => {
  await using service = await publicStore('--events');
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [service.url]);
  let requests = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith('/webhooks')) requests++;
  });
  await page.goto(service.url);
  await openForm(page);
  await send(page);
  await eventsIn(page).getByText('12 · Aloe vera · succulent').waitFor();
  assert.equal(await makeButton(page).count(), 0);
  assert.equal(requests, 0);
  assertQuiet();
});
