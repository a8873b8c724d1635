/**
 * Sends requests through Prism, a validating proxy, and reports in JUnit XML what Prism finds in the responses. The
 * requests judge nothing themselves. They lead to every described status except 429, 500 and 503.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { PLANTSTORE_URL: url = '', PLANTSTORE_OPENAPI: openapi = '', PLANTSTORE_REPORT: report = '' } = process.env;
const { PLANTSTORE_TOKEN: token = '', PLANTSTORE_READ_TOKEN: readToken = '' } = process.env;
const [program = ''] = process.argv.slice(2);
/** Prism does not respond to a body that is not JSON. */
const PATIENCE_MS = 20_000;
const ALOE = '{"id":12,"name":"Aloe vera","tag":"succulent"}';
const RENAMED = '{"name":"Aloe vera","tag":"medicinal"}';

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the token with both scopes. */
  readonly token?: string;
}

const post = (body: string): Sent => ({ method: 'POST', path: '/plants', body });
const put = (path: string, body: string, headers = {}): Sent => ({ method: 'PUT', path, body, headers });
const remove = (path: string, headers = {}): Sent => ({ method: 'DELETE', path, headers });
const OPERATIONS = [
  { path: '/plants' },
  post(ALOE),
  { path: '/plants/12' },
  put('/plants/12', RENAMED),
  remove('/plants/12'),
];
const REQUESTS: readonly Sent[] = [
  ...[
    post(ALOE),
    post(ALOE),
    post('{"id":7,"name":"Monstera 🪴"}'),
    post('{"id":12,"name":"Aloe"}'),
    post('{"id":12}'),
  ],
  ...['?limit=1', '?limit=2&tag=succulent', '?tag=none', '?limit=0', `?after=${'A'.repeat(32)}`].map((query) => ({
    path: `/plants${query}`,
  })),
  ...['/plants/12', '/plants/7', '/plants/13', '/plants/aloe'].map((path) => ({ path })),
  { path: '/plants/12', headers: { 'If-None-Match': '*' } },
  ...OPERATIONS.map((request) => ({ ...request, token: '' })),
  ...OPERATIONS.map((request) => ({ ...request, token: 'none' })),
  ...OPERATIONS.filter(({ method }: Sent) => method !== undefined).map((request) => ({ ...request, token: readToken })),
  ...[put('/plants/12', RENAMED, { 'If-Match': '*' }), put('/plants/12', RENAMED, { 'If-Match': '"a1"' })],
  ...[put('/plants/13', RENAMED), put('/plants/12', '{}')],
  ...[remove('/plants/12', { 'If-Match': '"a1"' }), remove('/plants/aloe'), remove('/plants/12'), remove('/plants/12')],
];

/** A violation, as Prism writes it in the header field sl-violations. */
interface Violation {
  readonly location: readonly string[];
  readonly code?: string;
  readonly message: string;
}

/** Sends a request through Prism. Returns what Prism finds in the response. */
async function judge(proxy: string, { method = 'GET', path, body, headers, ...own }: Sent): Promise<readonly string[]> {
  const sent = new Headers(headers);
  if (own.token !== '') sent.set('Authorization', `Bearer ${own.token ?? token}`);
  if (body !== undefined) sent.set('Content-Type', 'application/json');
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(proxy + path, {
      method,
      headers: sent,
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    // An error of Prism itself: it cannot read the response of the service.
    if (response.headers.get('Content-Type')?.startsWith('application/problem+json')) return [text];
    const violations: readonly Violation[] = JSON.parse(response.headers.get('sl-violations') ?? '[]');
    const found = violations.filter(({ location }) => location[0] === 'response');
    return found.map(({ location, message }) => `${response.status} ${location.join('.')}: ${message}`);
  } catch (error) {
    return [`no response: ${Error.isError(error) ? error.name : error}`];
  }
}

const prism = spawn(program, ['proxy', openapi, url, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
let proxy: string | undefined;
for await (const line of createInterface(prism.stdout)) {
  proxy = /listening on (http:\/\/\S+)/.exec(line)?.[1];
  if (proxy !== undefined) break;
}
if (proxy === undefined) throw new Error('Prism did not start');
// The log is long, and Prism blocks if nothing reads it.
prism.stdout.resume();
const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const cases: string[] = [];
for (const request of REQUESTS) {
  const found = await judge(proxy, request);
  const name = `${request.method ?? 'GET'} ${request.path.replace(/\?.*/, '').replace(/\/plants\/.*/, '/plants/{id}')}`;
  const failures = found.map((message) => `<failure message="${escapeXml(message)}"/>`);
  cases.push(`<testcase name="${name}">${failures.join('')}</testcase>`);
  for (const message of found) console.log(`${name}: ${message}`);
}
prism.kill();
writeFileSync(report, `<testsuite name="Prism">${cases.join('\n')}</testsuite>\n`);
