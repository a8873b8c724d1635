/**
 * The software bill of materials of the executable, in CycloneDX 1.5: the npm packages, Node with its libraries, and
 * the packages within the documentation page. Scanners of images find it by the ending `.cdx.json`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** A component of CycloneDX. */
interface Component {
  readonly type: 'application' | 'library' | 'platform';
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly cpe?: string;
  readonly components?: readonly Component[];
}

/** Versions that Node lists but that are numbers of interfaces, not of libraries. */
const INTERFACES = new Set(['node', 'modules', 'napi']);

/** What npm writes about a package. Packages for development have the property of the same name. */
interface NpmComponent extends Component {
  readonly 'bom-ref': string;
  readonly scope: 'required' | 'optional';
  readonly properties: readonly { readonly name: string }[];
}

/** Two calls return the same text, which has neither a time nor a random number. */
export function createSbom(): string {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { components, dependencies, metadata, ...bom } = npmSbom();
  // npm 11 with --omit=dev leaves out pg, on which a package for development depends too.
  const shipped = components.filter(
    ({ scope, properties }) =>
      scope === 'required' && !properties.some((property) => property.name === 'cdx:npm:package:development'),
  );
  const subject = { ...metadata.component, type: 'application', name, version };
  const refs = new Set([subject['bom-ref'], ...shipped.map((component) => component['bom-ref'])]);
  const sbom = {
    ...bom,
    serialNumber: undefined,
    metadata: { ...metadata, timestamp: undefined, component: subject },
    components: [...shipped, nodeComponent(), ...pageComponents()],
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

function npmSbom(): {
  readonly metadata: { readonly component: NpmComponent };
  readonly components: readonly NpmComponent[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
} {
  const options = ['--sbom-format=cyclonedx', '--package-lock-only'];
  return JSON.parse(execFileSync('npm', ['sbom', ...options], { encoding: 'utf8', maxBuffer: 16 * 2 ** 20 }));
}

function nodeComponent(): Component {
  const { node: version, ...versions } = process.versions;
  return {
    type: 'platform',
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    components: Object.entries(versions).flatMap(([name, number = '']) =>
      INTERFACES.has(name) ? [] : [{ type: 'library' as const, name, version: number }],
    ),
  };
}

/** The reference, which the comment at its front names, and the packages in its bundle, from its file of licences. */
function pageComponents(): readonly Component[] {
  const script = brotliDecompressSync(readFileSync('src/page/reference.js.br')).toString('utf8');
  const licences = readFileSync('src/page/reference.THIRD-PARTY', 'utf8');
  const packages = [
    ...script.slice(0, 100).matchAll(/^\/\*! (\S+) (\d\S+)$/gm),
    ...licences.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \([^()]+\)$/gm),
  ];
  return packages.map(([, name = '', version = '']) => ({
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  }));
}
