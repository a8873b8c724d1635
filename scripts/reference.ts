/**
 * Takes the browser bundle of Scalar's API Reference out of its npm package and keeps it compressed, its licence in
 * front, and the licences of what the bundle holds beside it; `--check` only says whether what is kept is what the package
 * holds. ADR 0004 tells why not by npm install.
 */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { licences } from './licences.ts';

const VERSION = '1.72.1';
const INTEGRITY = 'sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==';
const KEPT = new URL('../src/docs/reference.js.br', import.meta.url);
const KEPT_LICENCES = new URL('../src/docs/reference.THIRD-PARTY', import.meta.url);

/** The bundle of the package whose tarball has exactly the digest above. */
function bundle(directory: string): string {
  // npm pack brings the package alone: none of its 185 dependencies, which the bundle already contains.
  const name = execFileSync('npm', ['pack', '--silent', `@scalar/api-reference@${VERSION}`], { cwd: directory });
  const tarball = join(directory, name.toString().trim());
  const digest = `sha512-${hash('sha512', readFileSync(tarball), 'base64')}`;
  if (digest !== INTEGRITY) throw new Error(`the package is ${digest}, not ${INTEGRITY}`);
  const files = ['standalone.js', 'standalone.js.map'].map((file) => `package/dist/browser/${file}`);
  execFileSync('tar', ['-xzf', tarball, ...files], { cwd: directory });
  // The package says MIT but carries no text of it: this one is from its repository, https://github.com/scalar/scalar.
  const licence = readFileSync(new URL('../src/docs/reference.LICENSE', import.meta.url), 'utf8').trim();
  const script = readFileSync(join(directory, 'package/dist/browser/standalone.js'), 'utf8');
  // The source map is not served: naming it would only make developer tools ask for it in vain.
  const plain = script.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
  return `/*! @scalar/api-reference ${VERSION}\n\n${licence}\n*/\n${plain}`;
}

/** The packages of which something is in the bundle, as `name@version`: its source map has their places in pnpm's store. */
function contents(directory: string): readonly string[] {
  const { sources } = JSON.parse(readFileSync(join(directory, 'package/dist/browser/standalone.js.map'), 'utf8'));
  const found = new Set<string>();
  for (const source of sources) {
    const [, place, name] = /^.*\/\.pnpm\/([^/]+)\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
    const version = /^@?[^@]+@([^_]+)/.exec(place ?? '')?.[1];
    if (name !== undefined && version !== undefined) found.add(`${name}@${version}`);
  }
  return [...found].sort();
}

function fetchLicences(directory: string, packages: readonly string[]): string {
  const tarballs = execFileSync('npm', ['pack', '--silent', ...packages], { cwd: directory, encoding: 'utf8' }).trim();
  const folders = tarballs.split('\n').map((tarball) => {
    const folder = join(directory, tarball.replace(/\.tgz$/, ''));
    mkdirSync(folder);
    // The folder in an archive is not always called package.
    execFileSync('tar', ['-xzf', join(directory, tarball), '-C', folder, '--strip-components=1']);
    return folder;
  });
  return licences(folders);
}

const directory = mkdtempSync(join(tmpdir(), 'reference-'));
try {
  const script = bundle(directory);
  const packages = contents(directory);
  if (process.argv.includes('--check')) {
    if (brotliDecompressSync(readFileSync(KEPT)).toString('utf8') !== script) {
      console.error('src/docs/reference.js.br is not what the package holds: run npm run reference');
      process.exitCode = 1;
    }
    const kept = readFileSync(KEPT_LICENCES, 'utf8').match(/^\S+ \d+\.\d+\.\d+\S*(?= \([^()]+\)$)/gm) ?? [];
    if (
      kept
        .map((line) => line.replace(' ', '@'))
        .sort()
        .join() !== packages.join()
    ) {
      console.error('src/docs/reference.THIRD-PARTY is not of what the bundle holds: run npm run reference');
      process.exitCode = 1;
    }
  } else {
    writeFileSync(KEPT_LICENCES, fetchLicences(directory, packages));
    const bytes = Buffer.from(script);
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
    writeFileSync(KEPT, brotliCompressSync(bytes, { params }));
  }
} finally {
  rmSync(directory, { recursive: true });
}
