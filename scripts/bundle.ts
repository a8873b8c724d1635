/** Bundles the sources with the packages they need, for what runs without either: the executable and the npm package. */
import { type OutputOptions, type RolldownOutput, rolldown } from 'rolldown';

/** pg loads these only where they are installed, and this project does without. */
const ABSENT = ['pg-native', 'pg-cloudflare'];

/** `entries`: paths below src, by the names of the bundles. Not minified: people read it, and so do stack traces. */
export async function bundle(entries: Record<string, string>, output: OutputOptions): Promise<RolldownOutput> {
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, `src/${path}`]));
  const build = await rolldown({ input, platform: 'node', external: ABSENT });
  const written = await build.write({ minify: 'dce-only', sourcemap: false, ...output });
  await build.close();
  return written;
}
