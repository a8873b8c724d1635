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
  await sendButton(page).click();
}

const sendButton = (page: Page): Locator =>
  page.getByRole('dialog').getByRole('button', { name: /^Send/ }).filter({ visible: true }).first();

/**
 * Waits until the form has read the response to a request that the service has received. The form also shows the
 * response before, so only its button shows this. A form that is closed earlier cancels its request and logs that.
 */
export async function responded(page: Page): Promise<void> {
  await sendButton(page).and(page.locator(':enabled')).waitFor();
}

/** The token of the page's sandbox. */
export async function tokenOf(page: Page): Promise<string> {
  return JSON.parse(String(await page.evaluate("sessionStorage.getItem('plant-store-sandbox')"))).token;
}
