/** A service that a manifest describes. docs/manifest.md explains the format. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import querystring from 'node:querystring';
import { parseJson } from '../../src/contract/json.ts';
import { StartupError } from '../../src/errors.ts';
import { suggest } from '../../src/util/nearest.ts';
import { explainReadErrors } from '../../src/util/new-file.ts';
import { Manifest } from './manifest.generated.ts';
import { startServiceUnderTest } from './service.ts';
import { type Launch, openRunFolder, type Subject, type Truth } from './subject.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';

/** The names of the values that the grader itself gives to every tester. */
const OWN_VALUES = ['url', 'openapi', 'seed', 'report', 'cwd'];

/** Makes the error for a manifest that cannot be used. */
type Refuse = (why: string) => StartupError;

/** Reads a manifest. Throws a StartupError with the first error. `words` are what can be given instead of a file. */
export function readManifest(path: string, words: readonly string[]): Subject {
  const refuse: Refuse = (why) => new StartupError(`the manifest ${path} cannot be used: ${why}`);
  const bytes = explainReadErrors(`the manifest ${path}${suggest(path, words)}`, () => readFileSync(path));
  const manifest = parseManifest(bytes, refuse);
  const { name, version, openapi, defects, start, values = [] } = manifest;
  const launch: Launch = {
    command: start.map((word) => word.replaceAll('{folder}', dirname(resolve(path)))),
    values: Object.fromEntries(values.map(({ name, value }) => [name, value])),
  };
  return {
    name,
    version,
    openapi,
    defects,
    needsCredential: values.length > 0,
    async open(folder) {
      return { folder, vocabulary: await askVocabulary(launch, folder, manifest, refuse), prepare: () => launch };
    },
  };
}

function parseManifest(bytes: Buffer, refuse: Refuse): Manifest {
  const parsed = parseJson(bytes);
  if ('error' in parsed) {
    const { error, place } = parsed;
    throw refuse(place === undefined ? error : `${error} at line ${place.line}, column ${place.column}`);
  }
  const errors: string[] = [];
  const manifest = Manifest.read(parsed.value, parsed.written, 'manifest', errors);
  if (manifest === undefined || errors[0] !== undefined) throw refuse(errors[0] ?? 'it is empty');
  const { start, values = [], defects } = manifest;
  const [program] = start;
  if (program === undefined) throw refuse('manifest.start names no program');
  if (/^[^/{].*\//.test(program)) {
    throw refuse(`manifest.start: ${program} starts in an empty folder; write {folder}/ before it`);
  }
  if (defects.length === 0) throw refuse('manifest.defects names no defect');
  const reserved = values.find(({ name }) => OWN_VALUES.includes(name));
  if (reserved !== undefined) throw refuse(`the name ${reserved.name} is reserved`);
  for (const [what, list] of Object.entries({ values, defects })) {
    const twice = list.find(({ name }, i) => list.findIndex((one) => one.name === name) < i);
    if (twice !== undefined) throw refuse(`two ${what} have the name ${twice.name}`);
  }
  return manifest;
}

/** Starts the clean service once, which also shows early whether the manifest is right. */
async function askVocabulary(
  { command }: Launch,
  below: string,
  { openapi, defects }: Manifest,
  refuse: Refuse,
): Promise<Vocabulary> {
  using folder = openRunFolder(below, 'first');
  const order = { defect: null, variants: null };
  const service = await startServiceUnderTest({ command, folder: folder.path, order });
  try {
    const response = await fetch(service.url + openapi);
    const text = await response.text();
    if (!response.ok) throw new StartupError(`GET ${openapi} of the service returns ${response.status}`);
    const vocabulary = readVocabulary(text);
    checkRules(defects, text, refuse);
    return vocabulary;
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(`GET ${openapi} of the service returns no description in JSON`, { cause });
  } finally {
    await service.stop();
  }
}

/** Throws if the operation or the rule of a defect is not in the description. */
function checkRules(defects: readonly Truth[], json: string, refuse: Refuse): void {
  const ids: string[] = [];
  const texts: string[] = [];
  const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
  const description: unknown = JSON.parse(json, (key, value) => {
    if (typeof value === 'string') (key === 'operationId' ? ids : texts).push(inOneLine(value));
    return value;
  });
  const step = (at: unknown, name: string) => {
    const key = querystring.unescape(name).replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined;
  };
  for (const { name, operation, breaks } of defects) {
    const isKnown = operation === 'any' || ids.includes(operation);
    if (!isKnown) throw refuse(`${name}: the description has no operation ${operation}${suggest(operation, ids)}`);
    const rule = inOneLine(breaks);
    const isThere = rule.startsWith('#/')
      ? rule.slice(2).split('/').reduce(step, description) !== undefined
      : texts.some((text) => text.includes(rule));
    if (!isThere) throw refuse(`${name}: the description does not contain ${rule}`);
  }
}
