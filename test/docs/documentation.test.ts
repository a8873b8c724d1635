/** The served documentation: its files and links, its security policy, its content codings, and how to turn it off. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { catalogue } from '../../src/features/index.ts';
import { type Client, type ClientResponse, errorOf } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';

const load = (client: Client, path: string, headers = {}) => client.send('GET', path, { token: null, headers });

/** The addresses of the scripts and styles that a page loads. */
function assetsOf(html: string): string[] {
  return [...html.matchAll(/(?:src|rel="stylesheet" href)="([^"]+)"/g)].map(([, path]) => path as string);
}

function policyOf(response: ClientResponse): Map<string, string> {
  const directives = String(response.headers['content-security-policy']).split('; ');
  return new Map(directives.map((one) => [one.split(' ')[0] as string, one.split(' ').slice(1).join(' ')]));
}

/** The body's bytes before decoding, with their content coding and entity tag. */
async function raw(client: Client, path: string, accept: string) {
  const [response] = await once(get(client.url + path, { headers: { 'Accept-Encoding': accept } }), 'response');
  const { 'content-encoding': coding = 'identity', etag: tag = '' } = response.headers;
  return { coding, tag, bytes: await buffer(response) };
}

const service = await startTestService();
const { client } = service;
const behindProxy = await startTestService({ baseUrl: 'https://plants.example/shop' });
after(async () => {
  await service[Symbol.asyncDispose]();
  await behindProxy[Symbol.asyncDispose]();
});

test('the reference is HTML, needs no credential and loads only files of this service', async () => {
  const page = await load(client, '/');
  assert.equal(page.status, 200);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  const assets = assetsOf(page.text);
  assert.equal(assets.length, 5);
  for (const path of assets) {
    assert.match(path, /^\.\/docs\/[a-z-]+\.[0-9a-f]{12}\.(js|css)$/);
    assert.equal((await load(client, path.slice(1))).status, 200);
  }
  assert.doesNotMatch(page.text, /https?:\/\//);
});

test('the Content-Security-Policy of a page allows only its own scripts and its own host', async () => {
  const policy = policyOf(await load(client, '/'));
  assert.equal(policy.get('default-src'), "'none'");
  assert.equal(policy.get('script-src'), "'self'");
  assert.equal(policy.get('connect-src'), "'self'");
  assert.equal(policy.get('frame-ancestors'), "'none'");
  const guide = policyOf(await load(client, '/guide/errors'));
  assert.equal(guide.get('style-src'), "'self'");
  // A page of the guide creates a sandbox for its examples.
  assert.equal(guide.get('connect-src'), "'self'");
  const html = (await load(client, '/guide/errors')).text + (await load(client, '/')).text;
  assert.doesNotMatch(html, / style=| on\w+="|<style|<script(?! src)/);
});

test('a page uses the base URL in its policy and its examples, and the prefix works without a slash', async () => {
  const { client } = behindProxy;
  const page = await load(client, '/');
  assert.equal(policyOf(page).get('connect-src'), "'self' https://plants.example");
  assert.match(page.text, /data-base="https:\/\/plants\.example\/shop"/);
  assert.equal((await load(client, '')).text, page.text);
  for (const path of assetsOf(page.text)) {
    assert.match(path, /^\/shop\/docs\//);
    assert.equal((await load(client, path.slice('/shop'.length))).status, 200);
  }
  const guide = await load(client, '/guide/first-request');
  assert.match(guide.text, /BASE=https:\/\/plants\.example\/shop\n/);
  assert.match(guide.text, /href="\/shop\/guide\/errors"/);
});

test('every link of a page leads to this host if the base URL has no path', async () => {
  await using service = await startTestService({ baseUrl: 'https://plants.example' });
  const { text } = await load(service.client, '/');
  for (const [, link = ''] of text.matchAll(/(?:src|href)="(\/[^"]*)"/g)) {
    assert.equal(new URL(link, 'https://plants.example').host, 'plants.example', link);
    assert.equal((await load(service.client, link)).status, 200, link);
  }
  for (const path of assetsOf(text)) assert.match(path, /^\/docs\//);
});

test('browsers may cache scripts and styles for ever, because their path changes with their content', async () => {
  for (const path of assetsOf((await load(client, '/')).text)) {
    const response = await load(client, path.slice(1));
    assert.equal(response.headers['cache-control'], 'max-age=31536000, immutable');
  }
  assert.equal((await load(client, '/docs/reference.000000000000.js')).status, 404);
});

test('each content coding has the same content and a different entity tag', async () => {
  const reference = assetsOf((await load(client, '/')).text).find((path) => path.includes('reference.')) as string;
  for (const path of [reference.slice(1), '/guide/errors', '/openapi.json', '/openapi.yaml']) {
    const plain = await raw(client, path, 'identity');
    const gzip = await raw(client, path, 'gzip, deflate');
    const brotli = await raw(client, path, 'gzip, deflate, br, zstd');
    assert.deepEqual([plain.coding, gzip.coding, brotli.coding], ['identity', 'gzip', 'br']);
    assert.ok(gunzipSync(gzip.bytes).equals(plain.bytes));
    assert.ok(brotliDecompressSync(brotli.bytes).equals(plain.bytes));
    assert.ok(brotli.bytes.length < plain.bytes.length / 2);
    assert.equal(new Set([plain.tag, gzip.tag, brotli.tag]).size, 3);
  }
});

test('the service does not use a content coding that the client refuses', async () => {
  const coding = async (accept: string) => (await raw(client, '/guide/errors', accept)).coding;
  assert.equal(await coding('br;q=0, gzip'), 'gzip');
  assert.equal(await coding('br;q=0.000, gzip'), 'gzip');
  assert.equal(await coding('gzip;q=0, *'), 'br');
  assert.equal(await coding('*;q=0'), 'identity');
  assert.equal(await coding(''), 'identity');
  assert.equal(await coding('GZIP;q=0.5'), 'gzip');
});

test('a page that the client already has returns 304, with the entity tag of its content coding', async () => {
  const headers = { 'Accept-Encoding': 'br' };
  const { tag } = await raw(client, '/guide/errors', 'br');
  const again = await load(client, '/guide/errors', { ...headers, 'If-None-Match': `"other", W/${tag}` });
  assert.equal(again.status, 304);
  assert.equal(again.text, '');
  assert.equal(again.headers.etag, tag);
  assert.equal(again.headers.vary, 'Accept-Encoding');
  assert.equal((await load(client, '/guide/errors', { 'If-None-Match': tag })).status, 200);
});

test('the guide serves a page for each of its texts, and every link in it works', async () => {
  const texts = readdirSync(new URL('../../docs/guide/', import.meta.url)).map((name) => name.replace('.md', ''));
  const guide = JSON.parse(readFileSync(new URL('../../src/page/guide.gen.json', import.meta.url), 'utf8'));
  const pages = (guide as readonly { readonly slug: string }[]).map(({ slug }) => slug);
  for (const text of [...texts, 'errors', 'grade', 'manifest', 'defects']) assert.ok(pages.includes(text), text);
  for (const slug of pages) {
    const page = await load(client, `/guide/${slug}`);
    assert.equal(page.status, 200, slug);
    for (const [, link] of page.text.matchAll(/href="([^"]+)"/g)) {
      const { host, pathname, hash } = new URL(link as string, `http://host/guide/${slug}`);
      if (host !== 'host') continue;
      const target = await load(client, pathname);
      assert.equal(target.status, 200, `${slug}: ${link}`);
      if (hash !== '') assert.ok(target.text.includes(`id="${hash.slice(1)}"`), `${slug}: ${link}`);
    }
  }
});

test('every path in the pages for contributors exists, and the target of every link between pages', () => {
  const folder = new URL('../../docs/', import.meta.url);
  const found = (page: string, pattern: RegExp, base: string) =>
    [...readFileSync(new URL(page, folder), 'utf8').matchAll(pattern)].map(([, path]) => new URL(base + path, folder));
  const pagesIn = (base: string) =>
    readdirSync(new URL(base, folder)).flatMap((name) => (name.endsWith('.md') ? [base + name] : []));
  const link = /\]\((?!https?:|#)([^)#]+)/g;
  const paths = [
    ...found('architecture.md', /`([\w.-]+\/[\w/.-]+)`/g, '../'),
    ...found('extending.md', /`((?:contract|docs|lab|scripts|src|test)\/(?!.*NAME)[\w/.-]+)`/g, '../'),
    // The boxes of the diagram leave out src/.
    ...found('architecture.md', /\["([\w-]+\/[\w/.-]*)/g, '../src/'),
    ...found('security.md', /`(test\/[^`*]+)`/g, '../'),
    ...found('../CONTRIBUTING.md', link, '../'),
    ...pagesIn('').flatMap((page) => found(page, link, '')),
    ...pagesIn('guide/').flatMap((page) => found(page, link, 'guide/')),
  ];
  assert.ok(paths.length > 50);
  for (const path of paths) assert.ok(existsSync(path), path.href);
});

test('the guide shows the code that keeps ids exact in the tested clients', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const [, code = ''] = /```js\n(.*?)```/s.exec(read('docs/guide/clients.md')) ?? [];
  assert.ok(code !== '' && read('lab/tools/clients/exact.js').endsWith(code));
});

test('the guide shows the reader of events that Chromium was tried with', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const guide = read('docs/guide/following-changes.md');
  const [, code] = /```js\n(.*?)```/s.exec(guide) ?? [];
  assert.equal(code, read('lab/tools/readers/chromium/follow.js'));
  const [, page] = /```html\n(.*?)```\n\n/s.exec(guide) ?? [];
  assert.equal(page, read('lab/tools/readers/chromium/plants.html'));
});

test('the guide shows the careful clients as the files in examples/retries have them', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const page = read('docs/guide/safe-retries.md');
  for (const [language, extension] of [
    ['ts', 'ts'],
    ['python', 'py'],
    ['go', 'go'],
  ]) {
    const [, code] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page) ?? [];
    assert.equal(code, read(`examples/retries/careful.${extension}`));
  }
});

test('the guide shows the careful receivers as the files in examples/receivers have them', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const page = read('docs/guide/receivers.md');
  for (const [language, extension] of [
    ['ts', 'ts'],
    ['python', 'py'],
  ]) {
    const [, code] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page) ?? [];
    assert.equal(code, read(`examples/receivers/careful.${extension}`));
  }
});

test('the keyboard reaches every part of the guide that scrolls', async () => {
  for (const slug of ['first-request', 'limits']) {
    const { text } = await load(client, `/guide/${slug}`);
    const scrolling = text.match(/<(?:pre|div class="table")[^>]*>/g) ?? [];
    assert.notEqual(scrolling.length, 0, slug);
    for (const element of scrolling) assert.match(element, / tabindex="0"/, slug);
  }
});

test('the errors page lists the numbers and the texts of the catalogue', async () => {
  const { text } = await load(client, '/guide/errors');
  const rows = [...text.matchAll(/<td>(\d{5})<\/td>\n<td>([^<\n]*)/g)].map(([, code, meaning]) => [code, meaning]);
  assert.deepEqual(Object.fromEntries(rows), catalogue);
});

test('the served script of the reference begins with its licence', async () => {
  const reference = assetsOf((await load(client, '/')).text).find((path) => path.includes('reference.')) as string;
  const { text } = await load(client, reference.slice(1));
  const licence = readFileSync(new URL('../../src/page/reference.LICENSE', import.meta.url), 'utf8').trim();
  assert.ok(text.startsWith('/*! @scalar/api-reference '));
  assert.ok(text.slice(0, 2_000).includes(licence));
  assert.doesNotMatch(text.slice(-200), /sourceMappingURL/);
});

test('with --no-docs the pages return 404 / 40400 and the description is still served', async () => {
  await using service = await startTestService({ noDocs: true });
  for (const path of ['/', '/guide/errors', '/guide/first-request']) {
    assert.equal(errorOf(await load(service.client, path)), 40400);
  }
  assert.equal((await load(service.client, '/openapi.json')).status, 200);
});

test('/docs, /guide and /favicon.ico work, also below a prefix', async () => {
  for (const { client } of [service, behindProxy]) {
    for (const [path, place] of [
      ['/docs', '/'],
      ['/guide', '/guide/first-request'],
    ] as const) {
      const response = await load(client, path);
      assert.equal(response.status, 302);
      const target = new URL(String(response.headers['location']), client.url + path).href;
      assert.equal(target, client.url + place);
    }
    const icon = await raw(client, '/favicon.ico', 'identity');
    assert.equal(icon.bytes.readUInt32LE(0), 0x10000);
  }
});

test('the page contains the token only in a demo', async () => {
  assert.match((await load(client, '/')).text, / data-token="" /);
  await using demo = await startTestService({ demo: true, token: 'demo' });
  assert.match((await load(demo.client, '/')).text, / data-token="demo" /);
  await using other = await startTestService({ token: 'a-token-that-is-a-secret' });
  assert.doesNotMatch((await load(other.client, '/')).text, /a-secret/);
});
