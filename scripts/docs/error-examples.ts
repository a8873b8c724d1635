/** Causes every error of the catalogue on a running service, so that docs/errors.md shows real responses. */
import { Writable } from 'node:stream';
import { generateToken, hashToken } from '../../src/auth/token.ts';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { serveOptionsWith } from '../../src/cli/serve.ts';
import { scopes } from '../../src/contract/openapi.generated.ts';
import { type ErrorCode, StoreFailure, type StoreFailureReason, type storeErrors } from '../../src/errors.ts';
import { FEATURES, loadFeatures } from '../../src/features/index.ts';
import { createLogger } from '../../src/observe/log.ts';
import { createCursors, EVENT_LISTS } from '../../src/plants/cursor.ts';
import { type Service, startService } from '../../src/service.ts';

interface Example {
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{cursor}` stands for the cursor of an event that is no longer kept. */
  readonly path: string;
  /** In addition to the token and, with a body, Content-Type. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What the page shows instead of a long body. */
  readonly shown?: string;
  /** Replaces the valid token, which the page does not show. */
  readonly token?: string;
  /** Whether the request uses the token of a new sandbox. */
  readonly inSandbox?: true;
  /** Prepares the service. */
  readonly before?: (service: Service) => unknown;
  /** Options of the service. */
  readonly args?: readonly string[];
}

const ALOE = '{"id": 12, "name": "Aloe vera"}';
const OTHER = generateToken();

/** The type requires an example of each number of the store's API. */
const EXAMPLES: Readonly<Record<keyof typeof storeErrors, Example> & Partial<Record<ErrorCode, Example>>> = {
  40001: { method: 'POST', path: '/plants', body: '' },
  40002: { method: 'POST', path: '/plants', body: ALOE, headers: { 'Content-Type': 'text/plain' } },
  40003: { method: 'POST', path: '/plants', body: 'x'.repeat(70_000), shown: '(70,000 bytes)' },
  40004: { method: 'POST', path: '/plants', body: '{"id": 12,\n "name": "Aloe vera",}' },
  40005: { method: 'POST', path: '/plants', body: '{"id": "12", "tag": null}' },
  40006: { path: '/plants?limit=5000' },
  40009: { method: 'POST', path: '/plants', body: '{"id": 12, "name": "Agave"}' },
  40010: {
    args: ['--sandboxes', '1', '--sandbox-plants', '1'],
    method: 'POST',
    path: '/plants',
    body: ALOE,
    inSandbox: true,
  },
  40020: {
    args: ['--sandboxes', '1'],
    path: '/plants',
    headers: { Fault: 'delay;seconds=2' },
    inSandbox: true,
  },
  40021: { args: ['--demo'], method: 'DELETE', path: '/sandbox' },
  40100: { path: '/plants', token: '' },
  40101: { path: '/plants', token: 'nobody-has-this-token' },
  40102: { path: '/plants', token: OTHER, before: ({ engine }) => addToken(engine, { scopes, expiresAt: 1 }) },
  40300: {
    method: 'POST',
    path: '/plants',
    body: ALOE,
    token: OTHER,
    before: ({ engine }) => addToken(engine, { scopes: ['plants:read'], expiresAt: undefined }),
  },
  40400: { path: '/plant' },
  40401: { path: '/plants/13' },
  40402: { args: ['--sandboxes', '1'], method: 'POST', path: '/sandbox/reset?snapshot=3', inSandbox: true },
  40500: { method: 'PATCH', path: '/plants/12', body: ALOE },
  41000: { args: ['--events'], path: '/events?after={cursor}' },
  41200: { method: 'PUT', path: '/plants/12', headers: { 'If-Match': '"1"' }, body: '{"name": "Agave"}' },
  42900: {
    args: ['--rate-limit', '1/s'],
    path: '/plants',
    before: ({ url }) => fetch(`${url}/plants`, { headers: bearer(VALID) }),
  },
  42901: { args: ['--sandboxes', '1'], method: 'POST', path: '/sandboxes', body: '{}', inSandbox: true },
  42902: {
    args: ['--sandboxes', '1', '--sandbox-memory', '8KiB'],
    path: '/plants',
    headers: { Fault: 'delay;ms=1000;when=afterCommit' },
    inSandbox: true,
  },
  50000: { path: '/plants', before: ({ engine }) => breakStore(engine, new Error('an error within the service')) },
  50300: { path: '/plants', before: ({ engine }) => failStore(engine, 'unreachable') },
  50301: { path: '/plants', before: ({ engine }) => failStore(engine, 'overloaded') },
  50302: { method: 'POST', path: '/plants', body: ALOE, before: ({ engine }) => failStore(engine, 'out_of_space') },
};

const VALID = generateToken();
/** Header fields that belong to errors. */
const OF_ERRORS = ['Allow', 'Retry-After', 'WWW-Authenticate'];

function bearer(token: string) {
  return { Authorization: token === '' ? 'Bearer' : `Bearer ${token}` };
}

/** The request and the response of each error, as HTTP/1.1 text. */
export async function errorExamples(): Promise<
  ReadonlyMap<number, { readonly request: string; readonly response: string }>
> {
  const examples = new Map<number, { request: string; response: string }>();
  for (const [code, example] of Object.entries(EXAMPLES)) {
    const service = await start(example.args ?? []);
    try {
      examples.set(Number(code), await causeError(service, Number(code), example));
    } finally {
      await service.close();
    }
  }
  return examples;
}

async function start(args: readonly string[]): Promise<Service> {
  const defaults = { port: 0, database: 'temporary', token: VALID };
  const { config } = readCommandLine({ name: 'serve', options: serveOptionsWith(FEATURES) }, args, {}, defaults);
  const log = createLogger('silent', new Writable());
  return startService(config, {
    features: await loadFeatures(config),
    log,
    now: Date.now,
    random: Math.random,
    onOpen: async ({ plants }) => void (await plants.create('default', { id: 12n, name: 'Aloe vera' })),
    onBroken: (cause) => {
      throw cause;
    },
  });
}

async function causeError(service: Service, code: number, example: Example) {
  const { method = 'GET', path, body, shown = body, headers, before, inSandbox } = example;
  await before?.(service);
  const token = inSandbox ? await makeSandbox(service) : example.token;
  await service.refreshTokens();
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const fields = { ...type, ...headers };
  const cursor = createCursors(service.engine.cursorKey, EVENT_LISTS).encode('default', 1n, 12n);
  const response = await fetch(service.url + path.replace('{cursor}', cursor), {
    method,
    headers: { ...bearer(token ?? VALID), ...fields },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (JSON.parse(text).error !== code) throw new Error(`expected ${code}, but the response is ${text}`);
  const credential = token === undefined ? {} : bearer(token.replace(/^(ps._).{36}$/, '$1…'));
  const shownFields = OF_ERRORS.map((name) => [name, response.headers.get(name) ?? ''] as const).filter(
    ([, value]) => value !== '',
  );
  return {
    request: message(`${method} ${path} HTTP/1.1`, Object.entries({ ...credential, ...fields }), shown),
    response: message(`HTTP/1.1 ${response.status} ${response.statusText}`, shownFields, text),
  };
}

function message(start: string, fields: readonly (readonly [string, string])[], body = ''): string {
  const lines = fields.map(([name, value]) => `${name}: ${value}`);
  return [start, ...lines, ...(body === '' ? [] : ['', body])].join('\n');
}

/** Creates a sandbox and resolves to its token. */
async function makeSandbox({ url }: Service): Promise<string> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"plants": "garden"}' };
  const { token } = (await (await fetch(`${url}/sandboxes`, init)).json()) as { readonly token: string };
  return token;
}

function addToken({ tokens }: Service['engine'], terms: { scopes: readonly string[]; expiresAt: number | undefined }) {
  const rest = { name: 'other', store: 'default', createdAt: 0, revokedAt: undefined };
  return tokens.add({ hash: hashToken(OTHER), ...rest, ...terms });
}

/** Makes the engine fail. The tests of the engines cause real failures with stopped servers and full disks. */
function failStore(engine: Service['engine'], reason: StoreFailureReason): void {
  breakStore(engine, new StoreFailure(reason));
}

function breakStore({ plants }: Service['engine'], error: Error): void {
  const fail = () => Promise.reject(error);
  Object.assign(plants, { list: fail, create: fail });
}
