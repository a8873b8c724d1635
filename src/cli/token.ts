/** `plantstore token create | list | revoke`: manages opaque tokens. The service may be running. */
import { hashToken, issueToken, isWellFormedToken, type TokenRecord, tokenId, tokenStatus } from '../auth/token.ts';
import { scopes as plantScopes } from '../contract/openapi.generated.ts';
import { NoDatabase, StartupError } from '../errors.ts';
import { withEngine } from '../stores/open.ts';
import { type Command, command, UsageError } from './command-line.ts';
import { DATABASE, JSON_SWITCH, STORE, SWITCH } from './options.ts';
import { columns, jsonText, print, tell } from './output.ts';
import { lifetime, tokenName, words } from './values.ts';

/** Prints the token to standard output for scripts, and a sentence about it to standard error. */
const createWith = (known: readonly string[]) =>
  command({
    name: 'token create',
    summary: 'Creates a token and prints it. It is never shown again',
    options: {
      database: DATABASE,
      create: { ...SWITCH, help: 'Creates an empty database if there is none.' },
      name: { read: tokenName, value: 'NAME', help: "Name of the token. Default: the token's id." },
      scope: {
        read: words,
        value: 'SCOPE',
        list: true,
        help:
          `Scopes of the token: ${plantScopes.join(', ')}, and webhooks for a service with --webhooks. ` +
          `Default: ${plantScopes.join(' ')}.`,
      },
      expires: { read: lifetime, value: 'TIME', help: 'How long the token is valid, such as 90d. Default: forever.' },
      store: STORE,
      json: JSON_SWITCH,
    },
    async run(config, { stdout, stderr }) {
      const { scope: scopes = plantScopes, name, store, expires } = config;
      if (!scopes.every((scope) => known.includes(scope))) {
        throw new UsageError(`--scope: each must be one of ${known.join(', ')}`);
      }
      const createdAt = Date.now();
      const expiresAt = expires === undefined ? undefined : createdAt + expires;
      const { token, record } = issueToken({ name, store, scopes, createdAt, expiresAt });
      const location = await withEngine(config.database, 'tokens', config.create, async ({ tokens, location }) => {
        const refuseTaken = async () => {
          const others = (await tokens.list()).filter(({ hash, name }) => hash !== record.hash && name === record.name);
          if (others.every((other) => tokenStatus(other, createdAt) !== 'active')) return;
          throw new StartupError('a valid token of this name exists; revoke it first, or choose another name');
        };
        await refuseTaken();
        await tokens.add(record);
        try {
          // Another command may have taken the name at the same time.
          await refuseTaken();
          await print(stdout, `${config.json ? jsonText({ token, ...describe(record, createdAt) }) : token}\n`);
        } catch (error) {
          // Nobody has received the token.
          await tokens.revoke(record.hash, Date.now());
          throw error;
        }
        return location;
      }).catch(adviseCreate);
      if (!config.json)
        tell(stderr, `${sentenceOf(record, location)} It is shown only this once and works within a second.`);
      return 0;
    },
  });

/** A missing database is created only with --create: a token in a mistyped path would never be valid. */
function adviseCreate(error: unknown): never {
  const isAbsent = Error.isError(error) && (error instanceof NoDatabase || error.cause instanceof NoDatabase);
  if (!isAbsent) throw error;
  const advice = 'start the service first, or create an empty database with --create';
  throw new StartupError(`${error.message}; ${advice}`, { cause: error });
}

const list = command({
  name: 'token list',
  summary: 'Lists the tokens, including revoked and expired ones',
  options: { database: DATABASE, json: JSON_SWITCH },
  async run({ database, json }, { stdout }) {
    const records = await withEngine(database, 'read', false, ({ tokens }) => tokens.list());
    const now = Date.now();
    const text = json ? jsonText(records.map((record) => describe(record, now))) : tableOf(records, now);
    await print(stdout, `${text}\n`);
    return 0;
  },
});

const revoke = command({
  name: 'token revoke',
  operand: 'NAME|ID|TOKEN',
  summary: 'Revokes a token, by its name, its id or the token itself',
  options: { database: DATABASE },
  async run({ database }, { stderr }, which) {
    if (which === undefined) throw new UsageError('the name or the id of the token is missing');
    const revoked = await withEngine(database, 'tokens', false, async ({ tokens }) => {
      const byId = (await tokens.list()).find(({ hash }) => tokenId(hash) === which);
      // For a leaked token, the user may know neither its name nor its id.
      const hash = isWellFormedToken(which) ? hashToken(which) : byId?.hash;
      return tokens.revoke(hash ?? which, Date.now());
    });
    // The message does not repeat the argument, which may be a token.
    if (revoked === 0) throw new StartupError('no token has this name or id, or it was already revoked');
    tell(stderr, `Revoked ${revoked === 1 ? 'one token' : `${revoked} tokens`}; this takes effect within a second.`);
    return 0;
  },
});

/** `scopes`: those of features, in addition to those of the store's API. */
export const tokenCommands = (scopes: readonly string[]): readonly Command[] => [
  createWith([...plantScopes, ...scopes]),
  list,
  revoke,
];

/** The parts of a token's record that may be shown, without the token or its hash. */
function describe(record: TokenRecord, at: number) {
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

/** Includes the database's path, since the default path depends on the folder. */
function sentenceOf({ name, hash, store, scopes, expiresAt }: TokenRecord, location: string): string {
  const end = expiresAt === undefined ? 'never expires' : `expires ${instant(expiresAt)}`;
  const rights = `${scopes.join(' ')} on the store ${store} in ${location}`;
  return `Token ${JSON.stringify(name)} (${tokenId(hash)}): ${rights}, ${end}.`;
}

function tableOf(records: readonly TokenRecord[], at: number): string {
  const rows = records.map((record) => {
    const { name, id, store, scopes, createdAt, expiresAt, status } = describe(record, at);
    return [name, id, store, scopes.join(' '), createdAt, expiresAt ?? 'never', status];
  });
  return columns([['NAME', 'ID', 'STORE', 'SCOPES', 'CREATED', 'EXPIRES', 'STATUS'], ...rows]);
}
