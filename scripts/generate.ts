/**
 * Generates files from the descriptions and schemas in `contract`, from docs, from tables in the code and from the
 * version in package.json. `--check` only lists files that differ.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { contractFiles } from './contract/files.ts';
import { faultKindFiles } from './fault-kinds.ts';
import { versionFiles } from './version.ts';

const check = process.argv.includes('--check');

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
    if (!check) writeFileSync(path, content);
    else {
      console.error(`${path} has drifted: run npm run generate`);
      process.exitCode = 1;
    }
  }
}

write(versionFiles());
write(await faultKindFiles());
write(contractFiles());
// The pages are made by the service itself, with the code that was just generated. The handler of a new operation may
// not exist yet, because its types are only made now.
const { pageFiles } = await import('./docs/files.ts').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  // After a pull, a new package may not be installed yet.
  const remedy = error.message.startsWith('Cannot find package') ? 'Run npm ci' : 'Write this file';
  console.error(`${error.message}. ${remedy}. Then run npm run generate again, which makes the pages`);
  process.exit(1);
});
write(await pageFiles());
