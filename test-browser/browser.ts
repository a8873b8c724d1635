/** Starts Chromium and watches a page for what must never happen: errors, violations, requests to another host. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Debian's Chromium unless told otherwise. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const DESKTOP = { viewport: { width: 1440, height: 900 } };
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

interface Watched {
  readonly page: Page;
  /** Fails if anything went wrong in the page so far, but for the errors expected. */
  assertQuiet(...expected: readonly RegExp[]): void;
}

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
}

/** A page of a fresh profile that may talk to the given origins. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions,
  origins: readonly string[],
): Promise<Watched> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol) && !origins.includes(origin)) wrong.push(`left: ${request.url()}`);
  });
  await page.exposeFunction('reportViolation', (what: string) => wrong.push(`violation: ${what}`));
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', (e) => reportViolation(e.violatedDirective + ' ' + e.blockedURI))`,
  );
  return {
    page,
    assertQuiet: (...expected) =>
      assert.deepEqual(
        wrong.filter((line) => !expected.some((one) => one.test(line))),
        [],
      ),
  };
}

/** Keeps a picture of what is in view, for people to look at. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync('.artifacts', { recursive: true });
  await page.screenshot({ path: `.artifacts/${name}.png` });
}
