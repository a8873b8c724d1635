/** The API of the sandboxes, which sandbox.yaml describes, as the service that is graded. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAsset } from '../../src/util/assets.ts';
import { version } from '../../src/util/version.generated.ts';
import { serveCommand } from './plant-store.ts';
import { startServiceUnderTest } from './service.ts';
import type { Stage, Subject, Truth } from './subject.ts';
import { readVocabulary } from './vocabulary.ts';

/** A tester can create as many sandboxes as it wants, and as fast as it can. */
const OPTIONS = [
  ...['--sandboxes', '1000000', '--sandboxes-per-address', '1000000'],
  ...['--sandbox-create-rate', 'off', '--sandbox-control-rate', 'off'],
];

/** Each run begins with the same two sandboxes in a new database. */
export function sandboxes(defects: readonly Truth[]): Subject {
  const name = 'Sandboxes of Plant Store';
  return { name, version, openapi: '/sandbox/openapi.json', defects, needsCredential: true, open: openStage };
}

async function openStage(folder: string): Promise<Stage> {
  const template = join(folder, 'template.db');
  const values = await createSandboxes(template, folder);
  const vocabulary = readVocabulary(readAsset('features/sandbox/sandbox.served.json').toString());
  return {
    folder,
    vocabulary,
    prepare(run) {
      const database = join(run, 'plants.db');
      copyFileSync(template, database);
      return { command: serveCommand(database, ...OPTIONS), values };
    },
  };
}

/** Creates the sandboxes on a clean service, and returns their tokens. */
async function createSandboxes(database: string, folder: string): Promise<Record<'token' | 'otherToken', string>> {
  const order = { defect: null, variants: null };
  const service = await startServiceUnderTest({ command: serveCommand(database, ...OPTIONS), folder, order });
  try {
    const create = async () => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${service.url}/sandboxes`, { method: 'POST', headers, body: '{}' });
      return ((await response.json()) as { readonly token: string }).token;
    };
    return { token: await create(), otherToken: await create() };
  } finally {
    await service.stop();
  }
}
