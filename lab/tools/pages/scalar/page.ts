/** The service's own page shows the five operations, and sends a create from the form with its initial values. */
import { assertCreated, SERVICE, show, TOKEN } from '../open.ts';

const [stage] = process.argv.slice(2);
await show(`${SERVICE}/`, async (page) => {
  for (const name of ['List plants', 'Create a plant', 'Read a plant', 'Replace a plant', 'Delete a plant']) {
    await page
      .getByRole('link', { name: new RegExp(name) })
      .first()
      .waitFor();
  }
  if (stage === 'loads') return;
  await page.getByPlaceholder('Token').first().fill(TOKEN);
  await page
    .getByRole('link', { name: /Create a plant/ })
    .first()
    .click();
  await page.locator('button').filter({ hasText: 'post /plants' }).click();
  const form = page.getByRole('dialog');
  await form.locator('.cm-content').first().waitFor();
  await form.getByRole('button', { name: /^Send/ }).first().click();
  await form.getByText('200 OK').waitFor();
});
if (stage === 'agrees') await assertCreated();
