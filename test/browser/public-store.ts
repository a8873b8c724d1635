/** A public Plant Store, and the parts of its page. */
import type { Locator, Page } from 'playwright-core';
import { serveProcess } from '../harness/process.ts';

export async function publicStore(...options: readonly string[]) {
  const service = await serveProcess(['--database', 'temporary', '--sandboxes', '100', ...options]);
  return { ...service, [Symbol.asyncDispose]: async () => void (await service.stop('SIGTERM')) };
}

export const panelOf = (page: Page): Locator => page.getByRole('complementary', { name: 'Your sandbox' });

/** Opens the request form of createPlant. */
export async function openForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Store a plant' }).and(page.locator(':enabled')).click();
}

export async function send(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: /^Send/ }).filter({ visible: true }).first().click();
}

/** The token of the page's sandbox. */
export async function tokenOf(page: Page): Promise<string> {
  return JSON.parse(String(await page.evaluate("sessionStorage.getItem('plant-store-sandbox')"))).token;
}
