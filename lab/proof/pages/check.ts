/** REDbot judges the responses of all pages and of every GET of the descriptions. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveProcess } from '../../../test/harness/process.ts';
import { createViolations, runCheck, say } from '../outcome.ts';

/** Complaints of REDbot that are accepted, by name. */
const ACCEPTED: Readonly<Record<string, string>> = {
  FIELD_DEPRECATED: 'Node sends Keep-Alive, and HTTP clients read it to send no request on a connection that closes.',
  CSP_UNSAFE_INLINE: 'The reference has inline styles. REDbot calls them scripts, but script-src allows none.',
};
const SPOIL = { NODE_OPTIONS: `--import=${new URL('spoil.ts', import.meta.url).href}` };
const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const ENVIRONMENT = join(import.meta.dirname, '../../../node_modules/.cache/redbot');
const PYTHON = join(ENVIRONMENT, 'bin/python');
/** Pages that no page links to. */
const PAGES = [
  '/',
  '/healthz',
  '/readyz',
  '/openapi.yaml',
  '/openapi-3.0.json',
  '/arazzo.yaml',
  '/sandbox/openapi.yaml',
  '/events/openapi.yaml',
  '/favicon.ico',
];
/** They list the operations. */
const DESCRIPTIONS = ['/openapi.json', '/sandbox/openapi.json', '/events/openapi.json'];

interface Note {
  readonly level: 'GOOD' | 'INFO' | 'WARN' | 'BAD';
  readonly note: string;
  readonly summary: string;
}

await runCheck(async ({ control }) => {
  const violations = createViolations();
  if (!existsSync(PYTHON)) execFileSync('python3', ['-m', 'venv', ENVIRONMENT], { stdio: ['ignore', 2, 2] });
  execFileSync(PYTHON, ['-m', 'pip', 'install', '--quiet', '-r', REQUIREMENTS], { stdio: ['ignore', 2, 2] });
  const { url, stop } = await serveProcess(['--demo'], control === undefined ? {} : SPOIL);
  const sandbox = await (await fetch(`${url}/sandboxes`, { method: 'POST' })).json();
  const bearer = { Authorization: `Bearer ${(sandbox as { token: string }).token}` };
  const json = { ...bearer, 'Content-Type': 'application/json' };
  await fetch(`${url}/plants`, { method: 'POST', headers: json, body: '{"id":1,"name":"Aloe vera"}' });
  const pages = [...(await crawl(url))].map((path) => ({ url: url + path, headers: [] }));
  const operations = (await operationsOf(url)).map((path) => ({ url: url + path, headers: Object.entries(bearer) }));
  // A refusal has other header fields than the response that the claim is about.
  for (const one of operations) {
    const { status } = await fetch(one.url, { method: 'HEAD', headers: bearer });
    if (status !== 200) throw new Error(`${one.url} returns ${status}`);
  }
  const requests = [...pages, ...operations];
  const output = execFileSync(PYTHON, [join(import.meta.dirname, 'notes.py')], { input: JSON.stringify(requests) });
  const results: readonly (readonly Note[])[] = JSON.parse(output.toString());
  await stop('SIGTERM');
  let notes = 0;
  for (const [i, { url }] of requests.entries()) {
    for (const { level, note, summary } of results[i] ?? []) {
      notes++;
      const isComplaint = level === 'WARN' || level === 'BAD';
      if (isComplaint && ACCEPTED[note] === undefined) violations.add(`${url}: ${note}: ${summary}`);
    }
    if (results[i]?.length === 0) violations.add(`${url}: REDbot could not judge it`);
  }
  for (const [note, reason] of Object.entries(ACCEPTED)) say(`accepted: ${note}: ${reason}`);
  const [, redbot = ''] = /^redbot==(.*)$/m.exec(readFileSync(REQUIREMENTS, 'utf8')) ?? [];
  return {
    counts: { pages: pages.length, operations: operations.length, notes },
    versions: { redbot },
    ...violations.result(),
  };
});

/** Follows the links, scripts and styles of pages. */
async function crawl(url: string): Promise<ReadonlySet<string>> {
  const found = new Set([...PAGES, ...DESCRIPTIONS]);
  for (const path of found) {
    const response = await fetch(url + path);
    const text = await response.text();
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
    for (const [, link = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const target = new URL(link, url + path);
      if (target.origin === url) found.add(target.pathname);
    }
  }
  return found;
}

/** Every path with a GET, with the id of a plant of the sandbox. */
async function operationsOf(url: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const description of DESCRIPTIONS) {
    const { paths: described } = (await (await fetch(url + description)).json()) as { paths: Record<string, object> };
    for (const [path, item] of Object.entries(described)) if ('get' in item) paths.push(path.replace('{id}', '1'));
  }
  return paths;
}
