/** The credentials of a tester of stores, in a database with plants. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { issueToken } from '../../src/auth/token.ts';
import { scopes } from '../../src/contract/openapi.generated.ts';
import { StartupError } from '../../src/errors.ts';
import type { Engine } from '../../src/feature.ts';
import { withEngine } from '../../src/stores/open.ts';
import { openInput } from '../../src/transfer/open-input.ts';
import type { Credentials } from './subject.ts';
import { writeWfcAuth } from './wfc.ts';

const HOUR_MS = 3_600_000;

/** The tokens for the tester, by the names of their placeholders. */
type Tokens = Readonly<Record<'token' | 'readToken' | 'expiredToken' | 'revokedToken' | 'otherToken', string>>;

/** Creates the database. `plants` is a file to import. */
export async function createTokens(
  database: string,
  folder: string,
  plants: string | undefined,
  stdin: Readable,
): Promise<Credentials> {
  const { tokens, records } = issueTokens(Date.now());
  await withEngine(`sqlite:${database}`, 'plants', true, async (engine) => {
    for (const record of records) await engine.tokens.add(record);
    if (plants !== undefined) await importAll(plants, stdin, engine);
  });
  const wfcAuth = join(folder, 'wfc-auth.json');
  writeFileSync(wfcAuth, writeWfcAuth(tokens), { mode: 0o600 });
  const revoked = records.find(({ name }) => name === 'revokedToken')?.hash ?? '';
  return {
    values: { ...tokens, wfcAuth },
    // Revoked just before the run: one defect accepts a revoked token only for a while after its revocation.
    renew: (copy) => withEngine(`sqlite:${copy}`, 'tokens', false, ({ tokens }) => tokens.revoke(revoked, Date.now())),
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
