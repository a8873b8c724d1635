/** What every run of a grading begins with: the same tokens and plants, in a database of its own. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { issueToken } from '../auth/token.ts';
import { scopes } from '../description/openapi.generated.ts';
import { StartupError } from '../errors.ts';
import type { Engine } from '../stores/engine.ts';
import { withEngine } from '../stores/open.ts';
import { openTemporaryFolder } from '../stores/sqlite/temporary.ts';
import { openInput } from '../transfer/input.ts';

const HOUR_MS = 3_600_000;

/** What the tester is told, by the names of its placeholders. */
export type Tokens = Readonly<Record<'token' | 'readToken' | 'expiredToken' | 'revokedToken' | 'otherToken', string>>;

export interface Fixture extends Disposable {
  readonly tokens: Tokens;
  /** Makes the folder of a run, with its database; the next run takes the place of this one. */
  begin(): Promise<{ readonly folder: string; readonly database: string }>;
}

/** `plants`: a file to import, if there is one. Throws a StartupError where it cannot be, in every line. */
export async function openFixture(plants: string | undefined, stdin: Readable): Promise<Fixture> {
  using opened = new DisposableStack();
  const folder = opened.use(openTemporaryFolder());
  const template = join(folder.path, 'template.db');
  const { tokens, records } = issueTokens(Date.now());
  await withEngine(`sqlite:${template}`, 'plants', true, async (engine) => {
    for (const record of records) await engine.tokens.add(record);
    if (plants !== undefined) await importAll(plants, stdin, engine);
  });
  const revoked = records.find(({ name }) => name === 'revokedToken')?.hash ?? '';
  const run = join(folder.path, 'run');
  const parts = opened.move();
  return {
    tokens,
    async begin() {
      rmSync(run, { recursive: true, force: true });
      mkdirSync(run);
      const database = `sqlite:${join(run, 'plants.db')}`;
      copyFileSync(template, join(run, 'plants.db'));
      // Only now: a service that accepts a revoked token for a while is told from others only within that time.
      await withEngine(database, 'tokens', false, ({ tokens }) => tokens.revoke(revoked, Date.now()));
      return { folder: run, database };
    },
    [Symbol.dispose]: () => parts.dispose(),
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
  for await (const batch of openInput(path, stdin).batches) {
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
