/** The page at another address than the service's own: without the last slash, by another name, behind a proxy. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { freePort } from '../../lab/grade/receiver/free-port.ts';
import { DESKTOP, openBrowser, openPage } from './browser.ts';
import { openForm, panelOf, publicStore, send } from './public-store.ts';

const browser = await openBrowser();

/** Stores a plant with the page, then lets a fault refuse another request, and reads its explanation. */
async function storePlants(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await openForm(page);
  await send(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('200 OK').waitFor();
  await panelOf(page).locator('#sandbox-events > li').getByText('plant.created').waitFor();
  await panelOf(page).getByLabel('Respond to POST with 503').click();
  await page.locator('#sandbox-note').getByText('The fault is on.').waitFor();
  await send(page);
  await dialog.locator('#outcome').getByText('503, on purpose').waitFor();
}

for (const [name, base, opened] of [
  ['without the last slash of the base URL', 'http://127.0.0.1:PORT/class', 'http://127.0.0.1:PORT/class'],
  ['by another name than the base URL', 'http://LOCALHOST:PORT', 'http://127.0.0.1:PORT/'],
] as const) {
  test(`a visitor who opens the page ${name} gets a sandbox`, async () => {
    const at = (port: number, url: string) => url.replace('PORT', String(port));
    const port = await freePort();
    await using _service = await publicStore('--port', String(port), '--base-url', at(port, base), '--events');
    const origins = [base, opened].map((url) => new URL(at(port, url)).origin);
    const { page, assertQuiet } = await openPage(browser, DESKTOP, origins);
    await storePlants(page, at(port, opened));
    assertQuiet(/503/);
  });
}

test('the page explains faults and marks plants also behind a proxy that removes a prefix', async () => {
  await using service = await publicStore('--events');
  const proxy = createServer((received, response) => {
    const { method, headers, url = '' } = received;
    const forwarded = request(service.url + url.replace(/^\/class/, ''), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    received.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [origin]);
  try {
    await storePlants(page, `${origin}/class/`);
    assertQuiet(/503/);
  } finally {
    await page.close();
    proxy.closeAllConnections();
    proxy.close();
  }
});

test('a response about a plant confirms it also if the base URL has a path', async () => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}/class`;
  await using _service = await publicStore('--port', String(port), '--base-url', base);
  const { page } = await openPage(browser, DESKTOP, [new URL(base).origin]);
  await page.goto(`${base}/`);
  const panel = panelOf(page);
  await openForm(page);
  await send(page);
  await panel.getByText('#1 POST /class/plants → 200').waitFor();
  const { token } = JSON.parse(String(await page.evaluate("sessionStorage.getItem('plant-store-sandbox')")));
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ id: 77, name: 'Agave' });
  const fault = { ...headers, Fault: 'reset;when=afterCommit' };
  await assert.rejects(fetch(`${base}/plants`, { method: 'POST', headers: fault, body }));
  const row = panel.locator('#sandbox-plants > li').filter({ hasText: 'Agave' });
  await row.getByText('response lost').waitFor();
  await fetch(`${base}/plants/77`, { method: 'PUT', headers, body: JSON.stringify({ name: 'Agave', tag: 'blue' }) });
  await row.getByText('blue').waitFor();
  await row.getByText('response lost').waitFor({ state: 'detached' });
});
