/** Two newcomers with a browser: one has a clone, the other has the npm package and a page on another origin. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { version } from '../../src/util/version.generated.ts';
import { createDirectory } from '../harness/directory.ts';
import { startByNpm } from '../harness/npm-process.ts';
import { walk } from '../walks/walk.ts';
import { DESKTOP, openBrowser, openPage } from './browser.ts';

const directory = createDirectory();
after(() => directory[Symbol.dispose]());
const browser = await openBrowser();

const run = promisify(execFile);
/** The environment of a newcomer's shell, without npm's variables, which name this checkout. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_TEST/i.test(name)));

walk('a developer', 6, async (step) => {
  const cwd = directory.at('clone');
  await step('git clone', () => run('git', ['clone', '-q', resolve('.'), cwd]));
  await step('npm ci', () => run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], { cwd, env }));
  const demo = await step('npm start -- --demo', () =>
    startByNpm(['npm', 'start', '--', '--demo', '--port', '0'], { cwd, env }),
  );
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [demo.url]);
  await step('open the page', () => page.goto(demo.url));
  await step('click Store a plant', () => page.getByRole('button', { name: 'Store a plant' }).click());
  const form = page.getByRole('dialog');
  await step('click Send', () => form.getByRole('button', { name: /^Send/ }).filter({ visible: true }).first().click());
  await form.getByText('200 OK').waitFor();
  assertQuiet();
  await demo.stop();
});

walk('a front-end developer', 3, async (step) => {
  await run('npm', ['run', '-s', 'package'], { env });
  const cwd = directory.at('elsewhere');
  mkdirSync(cwd);
  const archive = resolve(`dist/plant-store-${version}.tgz`);
  const demo = await step('npx plant-store serve --demo', () =>
    startByNpm(['npx', '-y', '-p', archive, 'plant-store', 'serve', '--demo', '--port', '0'], { cwd, env }),
  );
  const own = createServer((_request, response) =>
    response.setHeader('Content-Type', 'text/html').end('<h1>Mine</h1>'),
  );
  own.listen(0, '127.0.0.1');
  await once(own, 'listening');
  const origin = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
  const { page, assertQuiet } = await openPage(browser, DESKTOP, [origin, demo.url]);
  await step('open the page that they wrote', () => page.goto(origin));
  const names = await step('fetch the herbs, with the token demo', () =>
    page.evaluate(`fetch('${demo.url}/plants?tag=herb', { headers: { Authorization: 'Bearer demo' } })
      .then((response) => response.json()).then((herbs) => herbs.map(({ name }) => name))`),
  );
  assert.ok((names as string[]).includes('Ocimum basilicum'));
  assertQuiet();
  own.close();
  await demo.stop();
});
