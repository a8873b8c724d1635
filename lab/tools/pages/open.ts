/** Opens a page in Chromium, and fails if anything in it goes wrong. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { DESKTOP, launch, openPage } from '../../../test/browser/browser.ts';

/** The address and token that ../run.ts sets. */
const { URL: SERVICE = '', TOKEN = '' } = process.env;

export { SERVICE, TOKEN };

/**
 * Shows a page of the service, or `html` with a package's files from another origin. Only `expected` errors may occur.
 */
export async function show(
  at: string | { html: string; files: string },
  use: (page: Page) => Promise<void>,
  ...expected: readonly RegExp[]
) {
  const browser = await launch();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (typeof at === 'string') return response.destroy();
    if (pathname === '/') return response.setHeader('Content-Type', 'text/html').end(at.html);
    const file = join(at.files, pathname);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.setHeader('Content-Type', file.endsWith('.css') ? 'text/css' : 'text/javascript');
    return createReadStream(file).pipe(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { page, assertQuiet } = await openPage(browser, DESKTOP, [SERVICE, origin]);
    await page.goto(typeof at === 'string' ? at : origin);
    await use(page);
    assertQuiet(...expected);
  } finally {
    await browser.close();
    server.close();
  }
}

/** Fails unless the store contains exactly the plant of the description's example. */
export async function assertCreated(): Promise<void> {
  const response = await fetch(`${SERVICE}/plants`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  assert.deepEqual(await response.json(), [{ id: 12, name: 'Aloe vera', tag: 'succulent' }]);
}
