/** Starts Chromium and checks that a page causes no errors, no policy violations and no requests to other hosts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after } from 'node:test';
import type { AxeResults } from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Locator,
  type Page,
  type PageScreenshotOptions,
} from 'playwright-core';

/** Default: Debian's Chromium. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** No test depends on it: only a failing test waits so long. A slow machine needs more than Playwright's 30 s. */
const LONGEST_WAIT = 120_000;

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

export const VIEWS = {
  desktop: DESKTOP,
  phone: PHONE,
  dark: { ...DESKTOP, colorScheme: 'dark' },
  'phone-dark': { ...PHONE, colorScheme: 'dark' },
} as const;

interface Watched {
  readonly page: Page;
  /** Fails if the page has caused any but the expected errors so far. */
  assertQuiet(...expected: readonly RegExp[]): void;
}

export function launch(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: FLAGS, timeout: LONGEST_WAIT, ...options });
}

/**
 * Starts Chromium until the end of the test, or of the file if no test is running. A hook of the file could not do
 * this: if no test is to run, Node calls `after` before an asynchronous `before` has ended.
 */
export async function openBrowser(options?: LaunchOptions): Promise<Browser> {
  const browser = await launch(options);
  after(() => browser.close());
  return browser;
}

/** Starts Chromium with the profile in a folder. */
export function launchWithProfile(folder: string, options: BrowserContextOptions): Promise<BrowserContext> {
  const started = { executablePath: EXECUTABLE, args: FLAGS, timeout: LONGEST_WAIT };
  return chromium.launchPersistentContext(folder, { ...started, ...options });
}

/** Opens a page with a new profile. It may send requests only to the given origins. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions,
  origins: readonly string[],
): Promise<Watched> {
  return watch(await browser.newContext(options), origins);
}

/** Opens a page. It may send requests only to the given origins. Its context is closed at the end of the test. */
export async function watch(context: BrowserContext, origins: readonly string[]): Promise<Watched> {
  // An open page sends requests and draws, also when its service is gone.
  after(() => context.close());
  context.setDefaultTimeout(LONGEST_WAIT);
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      wrong.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => wrong.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol) && !origins.includes(origin)) wrong.push(`left: ${request.url()}`);
  });
  await page.exposeFunction('reportViolation', (what: string) => wrong.push(`violation: ${what}`));
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      reportViolation(violatedDirective + ' ' + blockedURI))`,
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

/** What a part of the page looks like. Chromium sometimes refuses to capture a page, and captures it a moment later. */
export async function capture(page: Page, clip: NonNullable<PageScreenshotOptions['clip']>): Promise<Buffer> {
  let picture: Buffer | undefined;
  await waitUntilTrue(page, async () => {
    picture = await page.screenshot({ clip }).catch((error: Error) => {
      if (!error.message.includes('Unable to capture screenshot')) throw error;
      return undefined;
    });
    return picture !== undefined;
  });
  assert.ok(picture);
  return picture;
}

/** The part that Scalar's reference draws. We set its colours, but we cannot name its unnamed buttons. */
const THIRD_PARTY = '#reference';
/** The request form of the reference. It covers the reference. */
const FORM = `${THIRD_PARTY} .scalar-container`;
const CONTRAST = { runOnly: ['color-contrast'] };
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/** Fails if axe finds anything wrong. `where`: what axe looks at. Returns the names of the rules that hold. */
async function runAxe(page: Page, where: string | object, options: object): Promise<readonly string[]> {
  // The browser's developer tools run axe, since the page's policy forbids another script.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  await waitUntilStill(page);
  const given = [where, { resultTypes: ['violations'], ...options }].map((one) => JSON.stringify(one));
  const { violations, passes } = (await page.evaluate(`axe.run(${given.join()})`)) as AxeResults;
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, ...nodes.map(({ target }) => target.join(' '))]),
    [],
    page.url(),
  );
  return passes.map(({ id }) => id);
}

/** Fails if axe finds an error on the page outside of the reference, or poor contrast in an open form. */
export async function assertAccessible(page: Page): Promise<void> {
  const held = await runAxe(page, { exclude: THIRD_PARTY }, { rules: { 'target-size': { enabled: true } } });
  assert.ok(held.length > 10, held.join());
  const hasForm = (await page.locator(FORM).filter({ visible: true }).count()) > 0;
  if (hasForm) await runAxe(page, FORM, CONTRAST);
}

/** Fails if axe finds poor contrast, in the whole reference if no other part is named. That takes many seconds. */
export async function assertReadable(page: Page, part = THIRD_PARTY): Promise<void> {
  assert.deepEqual(await runAxe(page, part, CONTRAST), CONTRAST.runOnly);
}

/**
 * Waits until a JavaScript expression is true in the page, or a function resolves to true. Playwright's waitForFunction
 * cannot do this: it calls `eval` in the page, which the Content-Security-Policy forbids.
 */
export async function waitUntilTrue(page: Page, condition: string | (() => Promise<unknown>)): Promise<void> {
  const isTrue = typeof condition === 'string' ? () => page.evaluate(condition) : condition;
  const end = Date.now() + LONGEST_WAIT;
  while (!(await isTrue())) {
    assert.ok(Date.now() < end, `this does not become true: ${condition}`);
    await page.waitForTimeout(50);
  }
}

/** Waits until nothing fades or moves, except what does so forever. */
export async function waitUntilStill(page: Page): Promise<void> {
  await waitUntilTrue(
    page,
    `document.getAnimations().every(({ playState, effect }) =>
      playState !== 'running' || !Number.isFinite(effect.getComputedTiming().endTime))`,
  );
}

export async function waitUntilInView(page: Page, one: Locator): Promise<void> {
  const height = page.viewportSize()?.height ?? 0;
  await waitUntilTrue(page, async () => {
    const box = await one.boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= height;
  });
}

/** Clicks a button that copies, until it is named Copied. The page shows this for two seconds. A test may miss them. */
export async function copy(page: Page, button: Locator): Promise<void> {
  await page.evaluate(`new MutationObserver(() => {
    const both = [...document.querySelectorAll('#said, .copy')].filter((one) => one.textContent === 'Copied');
    if (both.length === 2) document.body.dataset.copied = '';
  }).observe(document.body, { childList: true, subtree: true })`);
  await button.click();
  await waitUntilTrue(page, "document.body.dataset.copied === ''");
}
