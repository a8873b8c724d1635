/** Wraps the steps of requests with the token of a sandbox: authentication, faults, and the quota of plants. */
import { types } from 'node:util';
import { bearerToken } from '../../auth/authenticate.ts';
import { type Credential, notValid } from '../../auth/credential.ts';
import { hashToken, isWellFormedToken, looksLikeJwt } from '../../auth/token.ts';
import { Problem } from '../../errors.ts';
import type { AnyInput, Exchange, Finishable, Matched } from '../../http/exchange.ts';
import type { Steps } from '../../http/pipeline.ts';
import { suggest } from '../../util/nearest.ts';
import { noSuchSandbox } from './cache.ts';
import { explainFull } from './explain-full.ts';
import type { Faults } from './faults/apply-faults.ts';
import type { ReadPages } from './long-pages.ts';
import type { Recorder } from './record/recorder.ts';
import { operations } from './sandbox.generated.ts';
import { TOKEN_PREFIX } from './sandbox.ts';
import { SandboxCredential, sandboxCredentialOf } from './sandbox-credential.ts';
import type { Sandbox } from './sandbox-records.ts';
import type { Sandboxes } from './sandboxes.ts';

interface StepsOptions {
  /** Counts a request to create or to control a sandbox. Throws a Problem (42902) if its address sends too many. */
  readonly limitAddress: (exchange: Exchange) => void;
  readonly sandboxes: Sandboxes;
  readonly faults: Faults;
  readonly recorder: Recorder;
  readonly readPages: ReadPages;
  /** The token of a demo; undefined in any other service. */
  readonly demoToken: string | undefined;
}

const NO_TOKEN =
  'This operation needs a token. Send it as Authorization: Bearer <token>. ' +
  'POST /sandboxes creates a sandbox with a token.';
const NOT_VALID =
  'The token is not valid: it is unknown, revoked or malformed. POST /sandboxes creates a sandbox with a token.';

/** Whether the operation is one of sandbox.yaml. */
export function isControl({ operation }: Pick<Finishable, 'operation'>): boolean {
  return operation !== undefined && Object.hasOwn(operations, operation.id);
}

/**
 * Whether the request only watches the sandbox, as the page's stream of events does. It gets no fault, no rule counts
 * it, and the record leaves it out. A request that may change a plant cannot ask for this.
 */
function isWatching({ request: { method, headers } }: Pick<Exchange, 'request'>): boolean {
  return headers['fault'] === 'none' && (method === 'GET' || method === 'HEAD');
}

/**
 * Throws a Problem (40006) if a request that changes a sandbox has a query parameter that its operation lacks. Ignoring
 * a mistyped `snapshot` would reset a sandbox to other plants than the client meant.
 */
function refuseUnknownQuery({ operation, match: { query }, request: { method } }: Matched): void {
  if (method === 'GET' || method === 'HEAD') return;
  const known = operation.parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  const unknown = [...new URLSearchParams(query).keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const named = /^[\w.-]{1,40}$/.test(unknown) ? `${unknown} is no query parameter` : 'a query parameter is unknown';
  throw new Problem(40006, `${named} of ${operation.id}${suggest(unknown, known)}. Nothing was changed.`);
}

/**
 * Throws a Problem (40006) if a request that changes a sandbox has a body and its operation takes none. Ignoring the
 * body {"snapshot": 1} would reset a sandbox to other plants than the client meant. Some clients always send {}.
 */
function refuseUnknownBody({ operation, request: { method, headers } }: Matched): void {
  if (method === 'GET' || method === 'HEAD' || operation.body !== undefined) return;
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (!isChunked && Number(headers['content-length'] ?? 0) <= '{}'.length) return;
  const names = operation.parameters.map(({ name }) => name);
  const instead = names.length === 0 ? '' : `; write ${names.join(', ')} in the query`;
  throw new Problem(40006, `${operation.id} takes no body${instead}. Nothing was changed.`);
}

/** Gives 40101 a message with what a visitor can do. */
function explaining(message: string, authenticate: () => ReturnType<Steps['authenticate']>) {
  const explain = (error: unknown): never => {
    if (!(error instanceof Problem) || error.code !== 40101) throw error;
    throw notValid(error.why ?? 'the token is not valid', message);
  };
  try {
    const credential = authenticate();
    return types.isPromise(credential) ? credential.catch(explain) : credential;
  } catch (error) {
    return explain(error);
  }
}

export function wrapSteps(options: StepsOptions): (own: Steps) => Steps {
  const { limitAddress, sandboxes, faults, recorder, readPages, demoToken } = options;
  const inDemo = demoToken && `This operation needs a token. Send it as Authorization: Bearer ${demoToken}.`;
  /** A JWT may contain the scope "sandbox". It grants nothing. */
  const withoutScopes = async (credential: ReturnType<Steps['authenticate']>): Promise<Credential> => ({
    ...(await credential),
    scopes: new Set(),
  });
  const control = async (own: Steps, exchange: Matched, input: AnyInput, credential: SandboxCredential) => {
    // The sandbox may have ended while the body came.
    credential.sandbox = sandboxes.get(credential.id) ?? (await sandboxes.find(credential.id));
    const result = await readPages(credential.sandbox, exchange, input, () => own.perform(exchange, input));
    // With the new rules, this response may have to close its connection.
    if (exchange.operation.id === operations.putFaults.id) credential.sandbox = await sandboxes.find(credential.id);
    return result;
  };
  /** Until this ends, the record shows the request as pending, even if its client has left. */
  const performRecorded: Faults['perform'] = async (exchange, input, credential, operate) => {
    credential.isPerforming = true;
    try {
      return await faults.perform(exchange, input, credential, operate);
    } catch (error) {
      throw explainFull(error);
    } finally {
      credential.isPerforming = false;
      if (exchange.outgoing.destroyed) recorder.abandon(credential);
    }
  };
  const limitControl = async (own: Steps, exchange: Matched) => {
    await own.limitRate(exchange);
    limitAddress(exchange);
  };

  const authenticateAny = (own: Steps, exchange: Matched): ReturnType<Steps['authenticate']> => {
    const token = bearerToken(exchange.request, inDemo ?? NO_TOKEN);
    // No token is ever tried as two kinds.
    if (token === demoToken || token.startsWith(TOKEN_PREFIX)) {
      const hash = hashToken(token);
      const cached = sandboxes.get(hash);
      if (cached !== undefined) return new SandboxCredential(hash, cached);
      // A wrong checksum is refused without a look-up.
      if (token !== demoToken && !isWellFormedToken(token, TOKEN_PREFIX)) throw noSuchSandbox();
      return sandboxes.find(hash).then((sandbox) => new SandboxCredential(hash, sandbox));
    }
    const credential = looksLikeJwt(token)
      ? own.authenticate(exchange)
      : explaining(NOT_VALID, () => own.authenticate(exchange));
    // The operations of sandbox.yaml need a sandbox, which only the token of a sandbox has.
    return isControl(exchange) ? withoutScopes(credential) : credential;
  };

  return (own) => ({
    ...own,
    authenticate(exchange) {
      if (demoToken === undefined) return authenticateAny(own, exchange);
      // The token of a demo is no secret.
      const message = `The token is not valid. Send the token of this demo: Authorization: Bearer ${demoToken}.`;
      return explaining(message, () => authenticateAny(own, exchange));
    },
    authorize(exchange) {
      // Only requests whose token was accepted are recorded: looking a sandbox up for others would let strangers cause
      // work.
      const credential = sandboxCredentialOf(exchange);
      const isRecorded = !isControl(exchange) && !isWatching(exchange);
      if (credential !== undefined && isRecorded) recorder.begin(credential, exchange);
      own.authorize(exchange);
    },
    limitRate: (exchange) => (isControl(exchange) ? limitControl(own, exchange) : own.limitRate(exchange)),
    readInput(exchange) {
      if (isControl(exchange)) {
        refuseUnknownQuery(exchange);
        refuseUnknownBody(exchange);
      }
      return own.readInput(exchange);
    },
    perform(exchange, input) {
      const credential = sandboxCredentialOf(exchange);
      if (credential === undefined) return own.perform(exchange, input);
      if (isControl(exchange)) return control(own, exchange, input, credential);
      const carryOut = (sandbox: Sandbox) => {
        const run = () => readPages(sandbox, exchange, input, () => own.perform(exchange, input));
        return sandbox.extendsTo === undefined ? run() : sandboxes.use(sandbox).then(run);
      };
      // The sandbox may have ended while the body came, or during a delay.
      const operate = () => {
        const sandbox = sandboxes.get(credential.id);
        return sandbox === undefined ? sandboxes.find(credential.id).then(carryOut) : carryOut(sandbox);
      };
      return isWatching(exchange) ? operate() : performRecorded(exchange, input, credential, operate);
    },
    encode(exchange, result) {
      const response = own.encode(exchange, result);
      const credential = sandboxCredentialOf(exchange);
      return credential === undefined ? response : faults.hold(exchange, credential, response);
    },
    write(exchange, response) {
      const credential = sandboxCredentialOf(exchange);
      if (credential === undefined) return own.write(exchange, response);
      return faults.write(exchange, credential, response, own.write);
    },
  });
}
