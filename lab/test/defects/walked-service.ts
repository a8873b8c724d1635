/** A service for the walk. Services with the same template differ only in their feature. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { issueToken } from '../../../src/auth/token.ts';
import type { OpenFeature } from '../../../src/feature.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { startService } from '../../../src/service.ts';
import { openForCommand } from '../../../src/stores/open.ts';
import { DEFAULTS } from '../../../test/harness/service.ts';
import { createConnection } from './raw-connection.ts';
import { QUOTA, type Seen } from './walk.ts';

const READ = ['plants:read'];
const EVERY = [...READ, 'plants:write'];
const TERMS = {
  read: { scopes: READ },
  write: { scopes: ['plants:write'] },
  other: { store: 'other' },
  expired: { expiresAt: 1 },
  revoked: {},
  limited: {},
};
/** `main-0`, `main-1` and so on, each for as many requests as the rate limit allows. */
const MAIN = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`main-${i}`, {}]));

export interface Template {
  readonly folder: string;
  readonly path: string;
  readonly tokens: ReadonlyMap<string, string>;
}

/** A database with the tokens, and with a plant of each store, so that every copy numbers the stores in one way. */
export async function createTemplate(folder: string): Promise<Template> {
  const path = join(folder, 'template.db');
  const engine = await openForCommand(`sqlite:${path}`, 'plants', true);
  const common = { store: 'default', scopes: EVERY, createdAt: 0, expiresAt: undefined };
  const tokens = new Map([['unknown', issueToken({ name: 'unknown', ...common }).token]]);
  for (const [name, own] of Object.entries({ ...TERMS, ...MAIN })) {
    const { token, record } = issueToken({ name, ...common, ...own });
    tokens.set(name, token);
    await engine.tokens.add(record);
    // Revoked just now for the whole test: one defect accepts a revoked token only for a while.
    if (name === 'revoked') await engine.tokens.revoke(record.hash, Date.now() + 3_600_000);
  }
  for (const store of ['default', 'other']) {
    await engine.plants.create(store, { id: 1n, name: 'Numbers the store' });
    await engine.plants.delete(store, 1n, undefined);
  }
  await engine.close();
  return { folder, path, tokens };
}

export interface Subject extends AsyncDisposable {
  ask(bytes: Buffer): Promise<Seen>;
  /** All stored plants, as text. */
  stored(): string;
  rows(): Rows;
  /** Makes these rows the stored plants. */
  restore(rows: Rows): void;
}

export type Rows = readonly (readonly (string | bigint | null)[])[];

/** The same in every service, so that all entity tags are equal. */
const random = () => 0.5;

/** `path`: a new file for its database. `hasTriggered`: whether the present request triggered the defect. */
export async function startSubject(
  template: Template,
  path: string,
  feature: OpenFeature,
  hasTriggered: () => boolean,
): Promise<Subject> {
  copyFileSync(template.path, path);
  // Prepared before the service starts: if a statement no longer fits the tables, no service stays open.
  const rows = new DatabaseSync(path);
  rows.exec('PRAGMA synchronous = OFF');
  const all = rows.prepare('SELECT store, id, name, tag, version FROM plants');
  all.setReadBigInts(true);
  all.setReturnArrays(true);
  const text = rows.prepare(
    "SELECT group_concat(format('%d %d %Q %Q %d', store, id, name, tag, version), '; ') AS text FROM plants",
  );
  const insert = rows.prepare('INSERT INTO plants VALUES (?, ?, ?, ?, ?)');
  const version = rows.prepare('PRAGMA data_version');
  const service = await startService(
    {
      ...DEFAULTS,
      host: '127.0.0.1',
      port: 0,
      database: `sqlite:${path}`,
      rateLimit: { quota: QUOTA, window: 36_000 },
      drainTimeout: 1,
      baseUrl: 'http://plants.example',
      noDocs: true,
    },
    {
      log: createLogger('fatal', new PassThrough().resume()),
      now: Date.now,
      random,
      features: [feature],
      onBroken: (cause) => {
        throw cause;
      },
    },
  );
  const connection = createConnection(service.address.port, () => hasTriggered() && service.engine.waiting() === 0);
  let read: unknown;
  let stored = '';
  return {
    ask: connection.ask,
    stored() {
      const now = version.get()?.['data_version'];
      if (read !== now) stored = String(text.get()?.['text']);
      read = now;
      return stored;
    },
    rows: () => all.all() as unknown as Rows,
    restore(clean) {
      rows.exec('BEGIN; DELETE FROM plants');
      for (const row of clean) insert.run(...row);
      rows.exec('COMMIT');
      read = undefined;
    },
    async [Symbol.asyncDispose]() {
      connection.close();
      await service.close();
      // The last connection makes a checkpoint. This one does not sync.
      rows.close();
    },
  };
}
