/** The pages of `plantstore grade page`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { CLIENT } from '../../lab/commands/candidates.ts';
import { pageOf } from '../../lab/commands/grade-page.ts';
import { scenarioPage } from '../../lab/commands/scenario-page.ts';
import { readRecord } from '../../lab/commands/scenario-record.ts';
import { resultOf } from '../../lab/test/grade/results.ts';
import { assertAccessible, DESKTOP, openBrowser, openPage, PHONE, VIEWS, waitUntilTrue } from './browser.ts';

const browser = await openBrowser();

/** Opens the page of two testers with all four results. No request may leave it. */
async function openResults(options: (typeof VIEWS)[keyof typeof VIEWS]) {
  const results = [
    await resultOf((place, round) => place % 3 === 0 || (place % 5 === 1 && round === 2), { name: 'Random tester' }),
    await resultOf((place) => place % 2 === 0, { name: 'Suite' }),
  ];
  const { page, assertQuiet } = await openPage(browser, options, []);
  await page.setContent(pageOf(results));
  return { page, assertQuiet };
}

const cellOf = (page: Page, defect: string) => page.getByRole('row', { name: defect }).getByRole('cell').first();

for (const [name, options] of Object.entries(VIEWS)) {
  test(`axe finds no errors on the page of results, and it loads nothing: ${name}`, async () => {
    const { page, assertQuiet } = await openResults(options);
    await assertAccessible(page);
    assert.match((await cellOf(page, 'required-member-missing').textContent()) ?? '', /^● foundin 5 of 5 runs/);
    assertQuiet();
  });
}

test('the page of one tester begins with its score, and fits a phone', async () => {
  const options = { name: 'Suite', seeds: 1, controls: 3, command: ['suite', '{url}'.repeat(30)] };
  const { page } = await openPage(browser, PHONE, []);
  await page.setContent(pageOf([await resultOf((place) => place % 2 === 0, options)]));
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'What Suite 1.0 finds');
  assert.match(
    (await page.locator('h1 + .score').textContent()) ?? '',
    /^\d+ of \d+ defects noticed, \d+ missed\. 0 of 3 co/,
  );
  const widths = await page.evaluate(() => [...document.querySelectorAll('table')].map((one) => one.offsetWidth));
  assert.equal(new Set(widths).size, 1, widths.join());
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.viewport.width);
  await assertAccessible(page);
});

test('on a narrow screen the keyboard scrolls the matrix to the last tester', async () => {
  const { page } = await openResults(PHONE);
  const matrix = page.getByRole('region', { name: 'Tier schema' });
  await page.keyboard.press('Tab');
  assert.ok(await matrix.evaluate((region) => region.matches(':focus-visible')));
  const scrolled = () =>
    matrix.evaluate(({ scrollLeft, scrollWidth, clientWidth }) => scrollLeft >= scrollWidth - clientWidth - 1);
  assert.equal(await scrolled(), false);
  for (let i = 0; i < 100 && !(await scrolled()); i++) await page.keyboard.press('ArrowRight');
  // The browser scrolls later than it reads the keys.
  await waitUntilTrue(page, scrolled);
});

test('in print the matrix keeps its colours and is not cut off', async () => {
  const { page } = await openResults(DESKTOP);
  await page.emulateMedia({ media: 'print' });
  const style = await cellOf(page, 'required-member-missing').evaluate(
    (cell) => getComputedStyle(cell).printColorAdjust,
  );
  assert.equal(style, 'exact');
  const region = page.getByRole('region', { name: 'Tier schema' });
  assert.equal(await region.evaluate((one) => getComputedStyle(one).overflowX), 'visible');
});

const recordOf = (name: string) =>
  readRecord(fileURLToPath(new URL(`../../lab/records/clients/${name}-1.json`, import.meta.url)), CLIENT);

for (const [name, options] of Object.entries(VIEWS)) {
  test(`axe finds no errors on the page of clients, which fits the window and loads nothing: ${name}`, async () => {
    const { page, assertQuiet } = await openPage(browser, options, []);
    await page.setContent(scenarioPage(['curl', 'axios-retry'].map(recordOf)));
    await assertAccessible(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), page.viewportSize()?.width);
    assert.match((await cellOf(page, 'post-503-twice').textContent()) ?? '', /^unknown1 request$/);
    assertQuiet();
  });
}
