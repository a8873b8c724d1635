/** Does the tasks of `plantstore grade client` with fetch in a page of a browser: adapter.ts chrome|firefox. */
import { appendFileSync, readFileSync } from 'node:fs';
import puppeteer from 'puppeteer-core';

const { PLANTSTORE_TASKS = '', PLANTSTORE_REPORT = '', PLANTSTORE_TIMEOUT_MS } = process.env;
const PATHS = { chrome: '/usr/bin/chromium', firefox: '/usr/bin/firefox-esr' } as const;
const kind = process.argv[2] === 'firefox' ? 'firefox' : 'chrome';

type Task = { task: number; kind: string; method: string; url: string; headers: Record<string, string>; body?: string };

/** Runs in the page. Repeats nothing. Reads all pages of a list, with ids as texts. */
async function send({ kind, url, method, headers, body }: Task, timeout: number): Promise<object> {
  const once = async (url: string) => {
    const init = { method, headers, signal: AbortSignal.timeout(timeout), ...(body !== undefined && { body }) };
    const response = await fetch(url, init);
    return { status: response.status, body: await response.text(), link: response.headers.get('Link') };
  };
  try {
    if (kind !== 'list') return await once(url);
    const plants: unknown[] = [];
    for (let next: string | undefined = url; next !== undefined; ) {
      const { status, body, link } = await once(next);
      if (status !== 200) return { status, body };
      plants.push(...(JSON.parse(body.replaceAll(/"id":\s*(-?\d+)/g, '"id":"$1"')) as readonly unknown[]));
      const target: string | undefined = /<([^>]*)>; rel="next"/.exec(link ?? '')?.[1];
      next = target && new URL(target, next).href;
    }
    return { status: 200, plants };
  } catch (error) {
    return { error: String(error) };
  }
}

const tasks = readFileSync(PLANTSTORE_TASKS, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Task);
const browser = await puppeteer.launch({
  browser: kind,
  executablePath: PATHS[kind],
  args: kind === 'chrome' ? ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'] : [],
});
try {
  const [page = await browser.newPage()] = await browser.pages();
  // An empty page with the origin of the service: no preflights. The icon is given, so the browser requests none.
  const body = '<link rel="icon" href="data:,">';
  await page.setRequestInterception(true);
  page.once('request', (request) => void request.respond({ status: 200, contentType: 'text/html', body }));
  await page.goto(new URL('/', tasks[0]?.url).href);
  await page.setRequestInterception(false);
  for (const task of tasks) {
    const report = await page.evaluate(send, task, Number(PLANTSTORE_TIMEOUT_MS));
    appendFileSync(PLANTSTORE_REPORT, `${JSON.stringify({ task: task.task, ...report })}\n`);
  }
} finally {
  await browser.close();
}
