/** A service that a manifest describes. docs/manifest.md explains the format. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseJson } from '../contract/json.ts';
import { StartupError } from '../errors.ts';
import { Manifest } from './manifest.generated.ts';
import { startServiceUnderTest } from './service.ts';
import { type Launch, openRunFolder, type Subject } from './subject.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';

/** The names of the values that the grader itself gives to every tester. */
const OWN_VALUES = ['url', 'openapi', 'seed', 'report', 'cwd'];

/** Reads a manifest. Throws a StartupError with the first error. */
export function readManifest(path: string): Subject {
  const manifest = parseManifest(path);
  const { name, version, openapi, defects, start, values = [] } = manifest;
  const launch: Launch = {
    command: start.map((word) => word.replaceAll('{folder}', dirname(resolve(path)))),
    values: Object.fromEntries(values.map(({ name, value }) => [name, value])),
  };
  return {
    ...{ name, version, openapi, defects },
    needsCredential: values.length > 0,
    async open(folder) {
      return { folder, vocabulary: await askVocabulary(launch, folder, openapi), prepare: () => launch };
    },
  };
}

function parseManifest(path: string): Manifest {
  const refuse = (why: string) => new StartupError(`the manifest ${path} cannot be used: ${why}`);
  const parsed = parseJson(readBytes(path));
  if ('error' in parsed) throw refuse(parsed.error);
  const errors: string[] = [];
  const manifest = Manifest.read(parsed.value, parsed.written, 'manifest', errors);
  if (manifest === undefined || errors[0] !== undefined) throw refuse(errors[0] ?? 'it is empty');
  const { start, values = [], defects } = manifest;
  if (start.length === 0) throw refuse('manifest.start names no program');
  const taken = values.find(({ name }, i) => {
    return OWN_VALUES.includes(name) || values.findIndex((one) => one.name === name) < i;
  });
  if (taken !== undefined) throw refuse(`there is already a value with the name ${taken.name}`);
  const twice = defects.find(({ name }, i) => defects.findIndex((one) => one.name === name) < i);
  if (twice !== undefined) throw refuse(`two defects have the name ${twice.name}`);
  return manifest;
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? cause.code : cause;
    throw new StartupError(`cannot read the manifest ${path}: ${why}`, { cause });
  }
}

/** Starts the clean service once, which also shows early whether the manifest is right. */
async function askVocabulary({ command }: Launch, below: string, openapi: string): Promise<Vocabulary> {
  using folder = openRunFolder(below, 'first');
  const order = { defect: null, variants: null };
  const service = await startServiceUnderTest({ command, folder: folder.path, order });
  try {
    const response = await fetch(service.url + openapi);
    const text = await response.text();
    if (!response.ok) throw new StartupError(`GET ${openapi} of the service returns ${response.status}`);
    return readVocabulary(text);
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(`GET ${openapi} of the service returns no description in JSON`, { cause });
  } finally {
    await service.stop();
  }
}
