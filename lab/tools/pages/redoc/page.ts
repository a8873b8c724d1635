/** The page shows the five operations with their schemas. Redoc cannot send requests. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { SERVICE, show } from '../open.ts';

const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Plants</title>
<redoc disable-telemetry="true" spec-url="${SERVICE}/openapi.json"></redoc>\
<script type="module" src="redoc.standalone.js"></script>`;

const use = async (page: Page) => {
  await page.getByText('plants', { exact: true }).first().click();
  for (const name of ['List plants', 'Create a plant', 'Read a plant', 'Replace a plant', 'Delete a plant']) {
    await page.getByText(name, { exact: true }).first().click();
    await page.getByRole('heading', { name }).waitFor();
  }
  await page.getByText('The name of the plant').first().waitFor();
};

const files = join(process.env['CACHE'] ?? '', 'package/bundles');
// Redoc loads its logo from another host.
await show({ html, files }, use, /cdn\.redoc\.ly\/redoc\/logo/, /ERR_NAME_NOT_RESOLVED|ERR_INTERNET_DISCONNECTED/);
