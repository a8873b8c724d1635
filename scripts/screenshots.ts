/**
 * `npm run screenshots` makes pictures of a demo for people to look at, in six sizes, light and dark: the page, its
 * drawer, an open form, and two pages of the guide. They are in .artifacts/screenshots. It also makes docs/page.png,
 * the picture of the README. It needs Chromium, as the browser tests do.
 */
import { mkdirSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { launch } from '../test/browser/browser.ts';
import { serveProcess } from '../test/harness/process.ts';

const SIZES = [
  [1440, 900],
  [1280, 720],
  [1024, 768],
  [820, 1180],
  [390, 844],
  [320, 640],
] as const;
const FOLDER = '.artifacts/screenshots';
const GUIDE = ['lesson-3-errors-that-help', 'defects'];

mkdirSync(FOLDER, { recursive: true });
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
      await save('drawer');
      await openForm(page);
      await save('form-and-drawer');
      await toggle.click();
      await save('form');
      for (const slug of GUIDE) {
        await page.goto(`${demo.url}/guide/${slug}`);
        await save(slug);
      }
      await page.context().close();
    }
  }
  const page = await open(browser, { width: 1280, height: 720 }, 'light');
  await openForm(page);
  await page.getByLabel('Store the plant but drop the response').click();
  await page.getByText('1 fault', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Send/ }).first().click();
  await page.getByText('response lost').first().waitFor();
  // The reference's message slides in.
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
