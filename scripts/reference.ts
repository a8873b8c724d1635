/**
 * Stores the browser bundle of Scalar's API Reference, from its npm package, in compressed form. Its licence is at the
 * front, and the licences of the packages within it are in a file beside it. `--check` only compares the stored files
 * with the package. ADR 0004 explains why npm install is not used.
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
const KEPT = new URL('../src/page/reference.js.br', import.meta.url);
const KEPT_LICENCES = new URL('../src/page/reference.THIRD-PARTY', import.meta.url);

/** Returns the bundle. Throws if the tarball does not have the digest above. */
function bundle(directory: string): string {
  // npm pack downloads only the package, not its 185 dependencies, which the bundle already contains.
  const name = execFileSync('npm', ['pack', '--silent', `@scalar/api-reference@${VERSION}`], { cwd: directory });
  const tarball = join(directory, name.toString().trim());
  const digest = `sha512-${hash('sha512', readFileSync(tarball), 'base64')}`;
  if (digest !== INTEGRITY) throw new Error(`the package is ${digest}, not ${INTEGRITY}`);
  const files = ['standalone.js', 'standalone.js.map'].map((file) => `package/dist/browser/${file}`);
  execFileSync('tar', ['-xzf', tarball, ...files], { cwd: directory });
  // The package is under the MIT licence but lacks its text. This text is from https://github.com/scalar/scalar.
  const licence = readFileSync(new URL('../src/page/reference.LICENSE', import.meta.url), 'utf8').trim();
  const script = readFileSync(join(directory, 'package/dist/browser/standalone.js'), 'utf8');
  // The source map is not served, so developer tools must not ask for it.
  const plain = script.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
  return `/*! @scalar/api-reference ${VERSION}\n\n${licence}\n*/\n${plain}`;
}

/** The packages in the bundle as `name@version`, found by the paths in its source map. */
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
    // The folder in the archive is not always called package.
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
      console.error('src/page/reference.js.br differs from the package: run npm run reference');
      process.exitCode = 1;
    }
    const kept = readFileSync(KEPT_LICENCES, 'utf8').match(/^\S+ \d+\.\d+\.\d+\S*(?= \([^()]+\)$)/gm) ?? [];
    if (
      kept
        .map((line) => line.replace(' ', '@'))
        .sort()
        .join() !== packages.join()
    ) {
      console.error('src/page/reference.THIRD-PARTY does not match the bundle: run npm run reference');
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
