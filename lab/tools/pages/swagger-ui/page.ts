/** The page shows the five operations, and sends a create from the form with its initial values. */
import { join } from 'node:path';
import { assertCreated, SERVICE, show, TOKEN } from '../open.ts';

const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger-ui.css"><div id="ui"></div><script src="swagger-ui-bundle.js"></script>
<script>
  const ui = SwaggerUIBundle({
    url: '${SERVICE}/openapi.json',
    dom_id: '#ui',
    onComplete: () => ui.preauthorizeApiKey('bearerAuth', '${TOKEN}'),
  });
</script>`;

const [stage] = process.argv.slice(2);
await show({ html, files: join(process.env['CACHE'] ?? '', 'node_modules/swagger-ui-dist') }, async (page) => {
  for (const name of ['listPlants', 'createPlant', 'getPlant', 'replacePlant', 'deletePlant']) {
    await page.locator(`#operations-plants-${name}`).waitFor();
  }
  if (stage === 'loads') return;
  const create = page.locator('#operations-plants-createPlant');
  await create.locator('button.opblock-summary-control').click();
  await create.getByRole('button', { name: 'Try it out' }).click();
  await create.getByRole('button', { name: 'Execute' }).click();
  await create.locator('.live-responses-table .response-col_status').getByText('200').waitFor();
});
if (stage === 'agrees') await assertCreated();
