/** `plantstore token create | list | revoke`: opaque tokens, beside a service that runs or before it ever did. */
import { hashToken, issueToken, isWellFormedToken, type TokenRecord, tokenId, tokenStatus } from '../auth/token.ts';
import { scopes as known } from '../description/openapi.generated.ts';
import { NoDatabase, StartupError } from '../errors.ts';
import type { Engine } from '../stores/engine.ts';
import { withEngine } from '../stores/open.ts';
import { type Command, command, UsageError } from './command-line.ts';
import { DATABASE, JSON_SWITCH, SWITCH } from './options.ts';
import { columns, print } from './output.ts';
import { lifetime, storeName, tokenName, words } from './values.ts';

/** The token alone goes to standard output, so that a script can keep it; what it is goes to standard error. */
const create = command({
  name: 'token create',
  summary: 'Creates a token and prints it, once',
  options: {
    database: DATABASE,
    create: { ...SWITCH, help: 'Creates an empty database if there is none.' },
    name: { read: tokenName, value: 'NAME', help: "Name of the token. Default: the token's id." },
    scope: {
      read: words,
      value: 'SCOPE',
      list: true,
      help: 'Scopes of the token, such as plants:read plants:write. Default: every scope of the description.',
    },
    expires: { read: lifetime, value: 'TIME', help: 'How long the token is valid, such as 90d. Default: forever.' },
    store: { read: storeName, value: 'NAME', default: 'default', help: 'The store that the token belongs to.' },
    json: JSON_SWITCH,
  },
  async run(config, { stdout, stderr }) {
    const { scope: scopes = known, name, store, expires } = config;
    if (!scopes.every((scope) => known.includes(scope))) {
      throw new UsageError(`--scope: each must be one of ${known.join(', ')}`);
    }
    const createdAt = Date.now();
    const expiresAt = expires === undefined ? undefined : createdAt + expires;
    const { token, record } = issueToken({ name, store, scopes, createdAt, expiresAt });
    const location = await withTokens(config, async ({ tokens, location }) => {
      const refuseTaken = async () => {
        const others = (await tokens.list()).filter(({ hash, name }) => hash !== record.hash && name === record.name);
        if (others.every((other) => tokenStatus(other, createdAt) !== 'active')) return;
        throw new StartupError('a valid token of this name exists: revoke it first, or choose another name');
      };
      await refuseTaken();
      await tokens.add(record);
      try {
        // Of several commands at once each may have found the name free.
        await refuseTaken();
        await print(stdout, `${config.json ? JSON.stringify({ token, ...described(record, createdAt) }) : token}\n`);
      } catch (error) {
        // No one has it, and no one ever will.
        await tokens.revoke(record.hash, Date.now());
        throw error;
      }
      return location;
    });
    if (!config.json)
      stderr.write(`${sentenceOf(record, location)} It is shown only this once, and is valid within a second.\n`);
    return 0;
  },
});

/** A token in a database that the service does not use would be of no use: a mistyped path must not make one. */
async function withTokens<T>(
  { database, create }: { readonly database: string; readonly create: boolean },
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  try {
    return await withEngine(database, 'tokens', create, work);
  } catch (error) {
    const isAbsent = error instanceof Error && (error instanceof NoDatabase || error.cause instanceof NoDatabase);
    if (!isAbsent) throw error;
    throw new StartupError(`${error.message}; start the service first, or let --create make an empty one`, {
      cause: error,
    });
  }
}

const list = command({
  name: 'token list',
  summary: 'Lists the tokens, including revoked and expired ones',
  options: { database: DATABASE, json: JSON_SWITCH },
  async run({ database, json }, { stdout }) {
    const records = await withEngine(database, 'tokens', false, ({ tokens }) => tokens.list());
    const rows = records.map((record) => described(record, Date.now()));
    await print(stdout, json ? `${JSON.stringify(rows)}\n` : tableOf(rows));
    return 0;
  },
});

const revoke = command({
  name: 'token revoke',
  operand: 'NAME|ID|TOKEN',
  summary: 'Revokes a token, given its name, its id or the token itself',
  options: { database: DATABASE },
  async run({ database }, { stderr }, which) {
    if (which === undefined) throw new UsageError('the name or the id of a token is missing');
    const revoked = await withEngine(database, 'tokens', false, async ({ tokens }) => {
      const byId = (await tokens.list()).find(({ hash }) => tokenId(hash) === which);
      // Of a token that was found leaked, nothing else may be known.
      const hash = isWellFormedToken(which) ? hashToken(which) : byId?.hash;
      return tokens.revoke(hash ?? which, Date.now());
    });
    // What was given is not repeated: it could be a token.
    if (revoked === 0) throw new StartupError('no token has this name or id, or it was already revoked');
    stderr.write(`Revoked ${revoked === 1 ? 'one token' : `${revoked} tokens`}; in effect within a second.\n`);
    return 0;
  },
});

export const tokenCommands: readonly Command[] = [create, list, revoke];

/** A token as it may be shown to anybody: neither itself nor its hash. */
function described(record: TokenRecord, at: number) {
  return {
    name: record.name,
    id: tokenId(record.hash),
    store: record.store,
    scopes: record.scopes,
    createdAt: instant(record.createdAt),
    expiresAt: record.expiresAt === undefined ? null : instant(record.expiresAt),
    revokedAt: record.revokedAt === undefined ? null : instant(record.revokedAt),
    status: tokenStatus(record, at),
  };
}

function instant(time: number): string {
  return new Date(time).toISOString();
}

/** It names the database: in another folder the default one is another file, where the token would be of no use. */
function sentenceOf({ name, hash, store, scopes, expiresAt }: TokenRecord, location: string): string {
  const end = expiresAt === undefined ? 'never expires' : `expires ${instant(expiresAt)}`;
  return `Token ${JSON.stringify(name)} (${tokenId(hash)}): ${scopes.join(' ')} on the store ${store} in ${location}, ${end}.`;
}

function tableOf(tokens: readonly ReturnType<typeof described>[]): string {
  const rows = tokens.map(({ name, id, store, scopes, createdAt, expiresAt, status }) => [
    ...[name, id, store, scopes.join(' ')],
    ...[createdAt.slice(0, 19), expiresAt?.slice(0, 19) ?? 'never', status],
  ]);
  return `${columns([['NAME', 'ID', 'STORE', 'SCOPES', 'CREATED', 'EXPIRES', 'STATUS'], ...rows])}\n`;
}
