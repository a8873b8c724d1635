/** Bundles the sources with the packages they need, for the executable and the npm package. */
import { globSync } from 'node:fs';
import { type OutputOptions, type RolldownOutput, rolldown } from 'rolldown';

/** Optional packages of pg that this project does not install. */
const ABSENT = ['pg-native', 'pg-cloudflare'];

/** The files that the program reads at run time, by their paths from src. The descriptions are beside src. */
export const ASSETS = globSync(['**/*.{br,css,html,ico,js,json}', '../contract/*.yaml'], { cwd: 'src' }).sort();

/**
 * The globals that tests replace by fake ones. The library runs in the process of the test, and a service whose timers
 * stand still answers nothing. Modules keep what they have imported.
 */
const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'];
const inject: Record<string, [module: string, name: string]> = {
  ...Object.fromEntries(TIMERS.map((name) => [name, ['node:timers', name]] as const)),
  performance: ['node:perf_hooks', 'performance'],
};

/** `entries` has paths by the names of the bundles. Code is not minified, so stack traces are readable. */
export async function bundle(entries: Record<string, string>, output: OutputOptions): Promise<RolldownOutput> {
  const build = await rolldown({ input: entries, platform: 'node', external: ABSENT, transform: { inject } });
  const written = await build.write({ minify: 'dce-only', comments: { jsdoc: false }, sourcemap: false, ...output });
  await build.close();
  return written;
}

/** The folders of the npm packages in a bundle. */
export function packagesIn({ output }: RolldownOutput): readonly string[] {
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  return modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
}
