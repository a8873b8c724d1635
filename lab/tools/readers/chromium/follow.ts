/** Prints a line for each event that a page of another origin reads, until a signal ends it. */
import { SERVICE as STREAM, show, TOKEN } from '../../pages/open.ts';

process.once('SIGTERM', () => process.exit());

const html = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Events</title>';

await show({ html, files: process.env['HERE'] ?? '' }, async (page) => {
  await page.exposeFunction('print', (line: string) => console.log(line));
  const print = "event => print([event.id, event.type, event.data.id].join(' '))";
  await page.evaluate(`import('./follow.js').then(({ follow }) => follow('${STREAM}', '${TOKEN}', ${print}))`);
});
