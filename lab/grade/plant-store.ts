/** Plant Store as the service that is graded. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import type { Readable } from 'node:stream';
import { issueToken } from '../../src/auth/token.ts';
import { scopes } from '../../src/contract/openapi.generated.ts';
import { StartupError } from '../../src/errors.ts';
import type { Engine } from '../../src/feature.ts';
import { withEngine } from '../../src/stores/open.ts';
import { openInput } from '../../src/transfer/input.ts';
import { readAsset } from '../../src/util/assets.ts';
import { version } from '../../src/util/version.generated.ts';
import type { Stage, Subject, Truth } from './subject.ts';
import { PLANT_STORE, readVocabulary, type Vocabulary } from './vocabulary.ts';
import { writeWfcAuth } from './wfc.ts';

const HOUR_MS = 3_600_000;

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

/** The tokens for the tester, by the names of their placeholders. */
export type Tokens = Readonly<Record<'token' | 'readToken' | 'expiredToken' | 'revokedToken' | 'otherToken', string>>;

/** The command that serves a database of SQLite with this program. */
export const serveCommand = (path: string, ...options: readonly string[]): readonly string[] => [
  ...[...OWN, 'serve', '--database', `sqlite:${path}`],
  ...[...OPTIONS, ...options],
];

/** Makes a subject. `plants` is a file to import. Each run begins with the same tokens and plants in a new database. */
type MakeSubject = (defects: readonly Truth[], plants: string | undefined, stdin: Readable) => Subject;

/** Plant Store. */
export const plantStore: MakeSubject = (defects, plants, stdin) => ({
  name: 'Plant Store',
  version,
  openapi: '/openapi.json',
  defects,
  needsCredential: true,
  open: (folder) => openStage(folder, plants, stdin, PLANT_STORE, []),
});

/** Plant Store with the feed of events, whose description is the one to test. */
export const eventsOfPlantStore: MakeSubject = (defects, plants, stdin) => ({
  ...plantStore(defects, plants, stdin),
  name: 'Events of Plant Store',
  openapi: '/events/openapi.json',
  open(folder) {
    const vocabulary = readVocabulary(readAsset('features/events/events.served.json').toString());
    return openStage(folder, plants, stdin, vocabulary, ['--events']);
  },
});

async function openStage(
  folder: string,
  plants: string | undefined,
  stdin: Readable,
  vocabulary: Vocabulary,
  options: readonly string[],
): Promise<Stage> {
  const template = join(folder, 'template.db');
  const { tokens, records } = issueTokens(Date.now());
  await withEngine(`sqlite:${template}`, 'plants', true, async (engine) => {
    for (const record of records) await engine.tokens.add(record);
    if (plants !== undefined) await importAll(plants, stdin, engine);
  });
  const wfcAuth = join(folder, 'wfc-auth.json');
  writeFileSync(wfcAuth, writeWfcAuth(tokens), { mode: 0o600 });
  const revoked = records.find(({ name }) => name === 'revokedToken')?.hash ?? '';
  return {
    folder,
    vocabulary,
    async prepare(run) {
      const database = join(run, 'plants.db');
      copyFileSync(template, database);
      // Revoked just before the run: one defect accepts a revoked token only for a while after its revocation.
      await withEngine(`sqlite:${database}`, 'tokens', false, ({ tokens }) => tokens.revoke(revoked, Date.now()));
      return { command: serveCommand(database, ...options), values: { ...tokens, wfcAuth } };
    },
  };
}

function issueTokens(now: number) {
  const terms: Record<keyof Tokens, object> = {
    token: {},
    readToken: { scopes: ['plants:read'] },
    expiredToken: { expiresAt: now - HOUR_MS / 2 },
    revokedToken: {},
    otherToken: { store: 'other' },
  };
  const common = { store: 'default', scopes, createdAt: now - HOUR_MS, expiresAt: undefined };
  const issued = Object.entries(terms).map(([name, own]) => issueToken({ name, ...common, ...own }));
  const tokens = Object.fromEntries(issued.map(({ token, record }) => [record.name, token])) as Tokens;
  return { tokens, records: issued.map(({ record }) => record) };
}

async function importAll(path: string, stdin: Readable, { plants }: Engine): Promise<void> {
  const { batches } = await openInput(path, stdin);
  for await (const batch of batches) {
    const accepted = batch.map((entry) => {
      if ('plant' in entry) return entry;
      throw new StartupError(`cannot import ${path}: line ${entry.line}: ${entry.reason}`);
    });
    const results = await plants.createMany(
      'default',
      accepted.map(({ plant }) => plant),
    );
    const taken = accepted[results.indexOf('taken')];
    if (taken !== undefined) {
      throw new StartupError(`cannot import ${path}: line ${taken.line}: another line has the id ${taken.plant.id}`);
    }
  }
}
