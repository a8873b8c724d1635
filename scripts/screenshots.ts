/**
 * `npm run screenshots` makes pictures of a demo for people to look at, in four sizes, light and dark: the page, its
 * drawer with a fault, an open form, four pages of the guide, and the results of a tester and of a client. They are in
 * .artifacts/screenshots. It also makes docs/page.png, the picture of the README. It needs Chromium, as the browser
 * tests do.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { launch } from '../test/browser/browser.ts';
import { serveProcess } from '../test/harness/process.ts';

const SIZES = [
  [1440, 900],
  [1280, 720],
  [820, 1180],
  [390, 844],
] as const;
const FOLDER = '.artifacts/screenshots';
const GUIDE = ['first-request', 'lesson-3-errors-that-help', 'sandboxes', 'defects'];
const FAULT = 'Store the plant but drop the response';
const RESULTS = { tester: 'testers/schemathesis-configured', client: 'clients/fetch-1' };

mkdirSync(FOLDER, { recursive: true });
const results = Object.entries(RESULTS).map(([name, record]) => {
  const page = execFileSync('bin/plantstore', ['grade', 'page', `lab/records/${record}.json`], { encoding: 'utf8' });
  return [`result-of-${name}`, page] as const;
});
const demo = await serveProcess(['--demo']);
const browser = await launch();
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [width, height] of SIZES) {
      const page = await open(browser, { width, height }, colorScheme);
      const save = (name: string) => page.screenshot({ path: `${FOLDER}/${name}-${width}-${colorScheme}.png` });
      const toggle = page.getByRole('button', { name: 'Your sandbox' });
      if ((await toggle.getAttribute('aria-expanded')) === 'true') await toggle.click();
      await save('page');
      await toggle.click();
      await loseResponses(page);
      await save('drawer');
      await openForm(page);
      await save('form-and-drawer');
      await page.getByLabel(FAULT).click();
      await page.getByText('1 fault', { exact: true }).waitFor({ state: 'detached' });
      await toggle.click();
      await save('form');
      for (const slug of GUIDE) {
        await page.goto(`${demo.url}/guide/${slug}`);
        await save(slug);
      }
      for (const [name, html] of results) {
        await page.goto('about:blank');
        await page.setContent(html);
        await save(name);
      }
      await page.context().close();
    }
  }
  const page = await open(browser, { width: 1280, height: 720 }, 'light');
  await openForm(page);
  await loseResponses(page);
  await page.getByRole('button', { name: /^Send/ }).first().click();
  await page.getByText('response lost').first().waitFor();
  // The form shows the progress of the request for a moment.
  await page.waitForTimeout(1_000);
  await page.screenshot({ path: 'docs/page.png' });
} finally {
  await browser.close();
  await demo.stop('SIGTERM');
}

async function open(browser: Browser, viewport: { width: number; height: number }, colorScheme: 'light' | 'dark') {
  const context = await browser.newContext({ viewport, colorScheme });
  const page = await context.newPage();
  await page.goto(demo.url);
  await page.getByRole('heading', { name: 'Plant Store', level: 1 }).waitFor();
  await page.getByText(/^\d+ plants$/).waitFor({ state: 'attached' });
  return page;
}

async function openForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Store a plant' }).click();
  await page.getByRole('dialog').locator('.cm-content').first().waitFor();
  // The form fades in.
  await page.waitForTimeout(500);
}

async function loseResponses(page: Page): Promise<void> {
  await page.getByLabel(FAULT).click();
  await page.getByText('1 fault', { exact: true }).waitFor();
}
