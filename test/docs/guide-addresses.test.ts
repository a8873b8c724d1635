/** The addresses in the served guide: a reader's own service, and a service that a class shares. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, test } from 'node:test';
import { freePort } from '../../lab/grade/receiver/free-port.ts';
import { createDirectory } from '../harness/directory.ts';
import { serveProcess } from '../harness/process.ts';

const { at, [Symbol.dispose]: removeAll } = createDirectory();
after(removeAll);

/** The address in the Markdown. */
const EXAMPLE = /127\.0\.0\.1:8080/;
const LESSONS = readdirSync('docs/guide')
  .filter((name) => /^(?:lesson-|bug-hunt)/.test(name))
  .map((name) => name.replace('.md', ''));

async function start(...args: string[]) {
  const { url, stop } = await serveProcess(args, { TMPDIR: at('.') });
  const load = async (slug: string) => {
    const response = await fetch(`${url}/guide/${slug}`);
    assert.equal(response.status, 200, slug);
    return response.text();
  };
  return { url, load, [Symbol.asyncDispose]: async () => assert.equal(await stop('SIGTERM'), 0) };
}

const linksOf = (html: string) => [...html.matchAll(/ href="([^"]+)"/g)].map(([, link = '']) => link);

/** The text of a page, without the tags of the colours in its examples. */
const textOf = (html: string) => (/<main.*<\/main>/s.exec(html)?.[0] ?? '').replaceAll(/<[^>]+>/g, '');

test('on a class server, every link and every example of every lesson leads to it', async () => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}/class`;
  await using server = await start(
    ...['--port', String(port), '--base-url', base, '--database', 'temporary', '--sandboxes', '200', '--events'],
  );
  assert.equal(LESSONS.length, 10);
  for (const slug of LESSONS) {
    const html = await server.load(slug);
    assert.doesNotMatch(html, EXAMPLE, slug);
    assert.ok(textOf(html).includes(base), slug);
    for (const link of linksOf(html)) {
      const target = new URL(link, `${base}/guide/${slug}`);
      assert.ok(target.href === base || target.href.startsWith(`${base}/`), `${slug}: ${link}`);
      const response = await fetch(target);
      assert.equal(response.status, 200, `${slug}: ${link}`);
      if (target.hash !== '') assert.ok((await response.text()).includes(`id="${target.hash.slice(1)}"`), link);
    }
  }
  // The responses of such a server have the base URL in these fields.
  assert.ok(textOf(await server.load('lesson-1-first-request')).includes(`Location: ${base}/plants/12`));
  assert.ok(textOf(await server.load('lesson-5-paging-and-lost-updates')).includes(`Link: &lt;${base}/plants?`));
});

test('only a service on the own machine explains how to install and start it', async () => {
  const INSTALLING = /npm ci|npm start|copy of the project|start a demo/;
  await using own = await start('--demo', '--port', '0');
  assert.match(textOf(await own.load('lesson-1-first-request')), INSTALLING);
  assert.match(textOf(await own.load('bug-hunt')), INSTALLING);
  const port = await freePort();
  for (const args of [
    ['--host', '0.0.0.0', '--port', '0'],
    ['--base-url', `http://localhost:${port}`, '--port', String(port)],
  ]) {
    await using server = await start(...args, '--database', 'temporary', '--sandboxes', '200');
    for (const slug of [...LESSONS, 'why-200-and-400']) {
      const html = await server.load(slug);
      assert.doesNotMatch(textOf(html), INSTALLING, slug);
      assert.doesNotMatch(html, /<!-- (?:own|shared)/, slug);
    }
    const sections = JSON.parse(await server.load('search.json')) as readonly { readonly path: string }[];
    assert.ok(sections.every(({ path }) => path !== 'lesson-1-first-request#start-the-service'));
    assert.ok(sections.some(({ path }) => path === 'lesson-1-first-request#the-service'));
  }
});

test('without a base URL, a link of a text leads to the service that the reader uses', async () => {
  await using server = await start('--demo', '--port', '0');
  for (const slug of LESSONS) {
    for (const link of linksOf(await server.load(slug))) assert.doesNotMatch(link, EXAMPLE, slug);
  }
  assert.match(await server.load('lesson-7-when-things-fail'), /Open <a href="\.\.\/">/);
});

test('a page with a token in its examples offers a sandbox, but not in a demo, which needs none', async () => {
  const shared = ['--database', 'temporary', '--port', '0'];
  await using sandboxes = await start(...shared, '--sandboxes', '9');
  assert.match(
    await sandboxes.load('lesson-3-errors-that-help'),
    /<button type="button" data-sandboxes="\.\.\/sandboxes">/,
  );
  assert.doesNotMatch(await sandboxes.load('errors'), /id="offer"/);
  await using plain = await start(...shared);
  assert.match(
    await plain.load('lesson-3-errors-that-help'),
    /<aside id="offer" hidden><p>[^<]+ this service is no demo/,
  );
  await using demo = await start('--demo', '--port', '0');
  assert.doesNotMatch(await demo.load('lesson-3-errors-that-help'), /id="offer"/);
});
