/** Empty projects into which a test installs the npm package, and the examples of the guide that they run. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
export const ARCHIVE = join(root, `dist/plant-store-${version}.tgz`);

const directory = mkdtempSync(join(tmpdir(), 'plantstore-package-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** The environment without the variables that npm and the test runner set for this test. */
export const env: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_TEST/i.test(name)),
);

/** Creates an empty folder. */
export function empty(name: string): string {
  const path = join(directory, name);
  mkdirSync(path);
  return path;
}

export function npm(folder: string, ...args: string[]): void {
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'pipe' });
}

/** Installs a version of Node from npm and returns an environment in which it comes first. */
export function nodeOf(wanted: string): { readonly node: string; readonly env: NodeJS.ProcessEnv } {
  const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = empty(`node-${wanted}`);
  npm(folder, 'install', '--no-save', '--prefix', folder, `${platform}@${wanted}`);
  const node = join(folder, 'node_modules', platform, 'bin/node');
  return { node, env: { ...env, PATH: [dirname(node), env['PATH']].join(delimiter) } };
}

/** The JavaScript examples in a page, by the file name in their first line. */
export function examples(page: string): Map<string, string> {
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/```js\n\/\/ (\S+)\n([\s\S]*?)```\n/g)];
  return new Map(blocks.map(([, name = '', code = '']) => [name, code]));
}
