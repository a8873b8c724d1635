/** Checks what a release consists of. Each control changes one of the inputs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSbom } from '../../../scripts/sbom.ts';
import { createViolations, runCheck, say, type Violations } from '../outcome.ts';
import { ROOT } from '../record.ts';

/** An entry of package-lock.json. */
interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly peer?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}
type Packages = readonly (readonly [path: string, entry: Locked])[];

interface Bom {
  readonly components: readonly {
    readonly 'bom-ref'?: string;
    readonly name: string;
    readonly version: string;
    readonly hashes?: readonly { readonly content: string }[];
  }[];
}

/** Licences without duties towards users of the service. */
const SHIPPED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'Unlicense'];
/** Licences that are good enough for packages which are only used to develop. */
const USED = [...SHIPPED, 'CC0-1.0', 'MIT OR Apache-2.0', 'MPL-2.0'];

/** The parts of the check, each with the controls that it must notice. Each returns how much it looked at. */
const PARTS: readonly (readonly [what: string, controls: readonly string[], part: Part])[] = [
  ['licences', ['licence-changed'], checkLicences],
  ['packages without install script', ['script-added'], checkScripts],
  ['components', ['component-removed', 'component-older'], checkSbom],
  ['builds', ['build-changed'], checkBuilds],
  ['signatures', [], checkSignatures],
];
type Part = (control: string | undefined, add: Violations['add'], short: boolean) => number;

await runCheck(async ({ control, short }) => {
  const { add, result } = createViolations();
  const counts: Record<string, number> = {};
  for (const [what, controls, part] of PARTS) {
    if (control === undefined || controls.includes(control)) counts[what] = part(control, add, short);
  }
  const npm = execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim();
  return { counts, versions: { node: process.versions.node, npm }, ...result() };
});

function locked(): Packages {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries<Locked>(packages).filter(([path]) => path !== '');
}

/** The last packages of the lock file, changed by a control. */
function changed(packages: Packages, isControl: boolean, change: Partial<Locked>): Packages {
  return packages.map(([path, entry], i) => [
    path,
    isControl && i === packages.length - 1 ? { ...entry, ...change } : entry,
  ]);
}

function isShipped({ dev, optional, devOptional, peer }: Locked): boolean {
  return !(dev || optional || devOptional || peer);
}

function checkLicences(control: string | undefined, add: Violations['add']): number {
  const packages = changed(locked(), control === 'licence-changed', { license: 'AGPL-3.0-only' });
  for (const [path, entry] of packages) {
    const allowed = isShipped(entry) ? SHIPPED : USED;
    if (!allowed.includes(entry.license ?? 'none')) add(`${path} has the licence ${entry.license}`);
  }
  return packages.length;
}

/** Only packages that package.json names may run a script when they are installed, and none that is shipped. */
function checkScripts(control: string | undefined, add: Violations['add']): number {
  const { allowScripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const packages = changed(locked(), control === 'script-added', { hasInstallScript: true });
  for (const [path, entry] of packages) {
    const isAllowed = Object.hasOwn(allowScripts, path.replace(/^.*node_modules\//, '')) && !isShipped(entry);
    if (entry.hasInstallScript && !isAllowed) add(`${path} has an install script`);
  }
  return packages.length;
}

/** The bill of materials has exactly the shipped packages, with the digests of package-lock.json. */
function checkSbom(control: string | undefined, add: Violations['add']): number {
  const { components }: Bom = JSON.parse(createSbom());
  const shipped = locked().filter(([, entry]) => isShipped(entry));
  const wanted = shipped.map(([path, { version, integrity = '' }]) => {
    const digest = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
    return `${path.replace(/^.*node_modules\//, '')}@${version} ${digest}`;
  });
  const found = components
    .filter((component) => component['bom-ref'] !== undefined)
    .map(({ name, version, hashes }) => `${name}@${version} ${hashes?.[0]?.content}`);
  if (control === 'component-removed') found.pop();
  if (control === 'component-older') found[0] = found[0]?.replace(/@[\d.]+ /, '@0.0.1 ') ?? '';
  for (const one of new Set(wanted).difference(new Set(found))) add(`the bill of materials lacks ${one}`);
  for (const one of new Set(found).difference(new Set(wanted))) add(`package-lock.json lacks ${one}`);
  const node = components.find(({ name }) => name === 'node');
  if (node?.version !== process.versions.node) add(`the bill of materials has Node ${node?.version}`);
  return components.length;
}

/** Builds twice. Returns the number of compared files. */
function checkBuilds(control: string | undefined, add: Violations['add'], short: boolean): number {
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const builds = { package: `dist/${name}-${version}.tgz`, ...(short ? {} : { build: 'dist/plantstore' }) };
  for (const [script, file] of Object.entries(builds)) {
    const build = (environment: string) => {
      say(`npm run ${script}`);
      execFileSync('sh', ['-c', `${environment}; npm run -s ${script}`], { cwd: ROOT, stdio: 'ignore' });
    };
    const digest = (more = '') => hash('sha256', Buffer.concat([readFileSync(join(ROOT, file)), Buffer.from(more)]));
    // The control takes the file of the last build, and does not change it: somebody may install it.
    if (control === undefined || !existsSync(join(ROOT, file))) build('umask 022');
    const first = digest();
    if (control === undefined) build('umask 077; export TZ=Pacific/Auckland');
    if (digest(control === undefined ? '' : '\n') !== first) add(`the second ${file} differs from the first`);
  }
  return 2 * Object.keys(builds).length;
}

/** Asks npm for the registry's signatures. Returns 0 if npm cannot fetch the keys, which are not on the registry. */
function checkSignatures(_control: string | undefined, add: Violations['add'], short: boolean): number {
  if (short) return 0;
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['audit', 'signatures', '--fetch-retries=0', '--loglevel=notice'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  if (status !== 0 && /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN/.test(stderr)) {
    say('npm cannot fetch the keys of the signatures');
    return 0;
  }
  if (status !== 0) add((stdout + stderr).slice(-1_000));
  return Number(/^(\d+) packages have verified registry signatures/m.exec(stdout)?.[1] ?? 0);
}
