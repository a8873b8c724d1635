/** Plant Store as the service that is graded. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import type { Readable } from 'node:stream';
import { readAsset } from '../../src/util/assets.ts';
import { version } from '../../src/util/version.generated.ts';
import { APIS, type ApiName, defectsOf } from '../defects/apis.ts';
import type { Subject } from './subject.ts';
import { createSandboxes } from './tester-sandboxes.ts';
import { createTokens } from './tester-tokens.ts';
import { readVocabulary } from './vocabulary.ts';

/** This program. */
const OWN = [process.execPath, ...(isSea() ? [] : [...process.execArgv, process.argv[1] ?? ''])];
const OPTIONS = [
  ...['--host', '127.0.0.1', '--port', '0'],
  // One defect does not enforce the limit, so a tester must be able to reach it.
  ...['--rate-limit', '2500/5s'],
  // Short, since the tester has already ended.
  ...['--drain-timeout', '1s'],
  // The log would name the defect.
  ...['--log-level', 'error'],
];

interface Wishes {
  /** The seed of the variants of the defects. Undefined for the published defects. */
  readonly variants: number | undefined;
  /** A file of plants to import. */
  readonly plants: string | undefined;
}

/** Each run begins with the same tokens and plants, or with the same two sandboxes, in a new database. */
export function plantStore(api: ApiName, { variants, plants }: Wishes, stdin: Readable): Subject {
  const { title, openapi, description, serve, credentials } = APIS[api];
  /** The command that serves a database of SQLite with this program. */
  const commandFor = (database: string) => [...OWN, 'serve', '--database', `sqlite:${database}`, ...OPTIONS, ...serve];
  return {
    name: title,
    version,
    openapi,
    defects: defectsOf(api, variants),
    needsCredential: true,
    async open(folder) {
      const template = join(folder, 'template.db');
      const { values, renew } =
        credentials === 'tokens'
          ? await createTokens(template, folder, plants, stdin)
          : await createSandboxes(commandFor(template), folder);
      return {
        folder,
        vocabulary: readVocabulary(readAsset(description).toString()),
        async prepare(run) {
          const database = join(run, 'plants.db');
          copyFileSync(template, database);
          await renew?.(database);
          return { command: commandFor(database), values };
        },
      };
    },
  };
}
