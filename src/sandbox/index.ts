/** What `serve --sandboxes` adds to a service: operations, an authenticator, faults, the record, and their description. */

import type { Alterations } from '../alterations.ts';
import { readAsset } from '../assets.ts';
import { bearerToken, type Credential, expired, notValid } from '../auth/credential.ts';
import { hashToken } from '../auth/token.ts';
import type { Operation } from '../contract/operation.ts';
import { type NewPlant, scopes as plantScopes } from '../description/openapi.generated.ts';
import type { Panel } from '../docs/index.ts';
import type { Exchange, Finishable } from '../http/exchange.ts';
import type { AnyInput } from '../http/input.ts';
import type { Observe, Steps } from '../http/pipeline.ts';
import { authorizationOf } from '../http/request.ts';
import { EXPOSED_FIELDS } from '../http/response.ts';
import { addressReader } from './address.ts';
import { createFaults } from './faults.ts';
import { type Context, handlers } from './handlers.ts';
import { createRecorder } from './recorder.ts';
import { operations, scopes } from './sandbox.generated.ts';
import { looksLikeSandbox, type Sandbox } from './sandbox.ts';
import { createSandboxes, type SandboxParts } from './sandboxes.ts';

export { SANDBOX_TIMES, type SandboxLimits, type SandboxTimes } from './sandbox.ts';

interface SandboxCredential extends Credential {
  readonly sandbox: Sandbox;
}

export interface OpenSandboxes {
  /** For the page. */
  readonly panel: Panel;
  readonly alterations: Alterations;
  readonly observe: Observe;
  /** For the metrics. */
  readonly counts: { readonly created: number; readonly refused: number; readonly expired: number };
  live(): Promise<number>;
  waiting(): number;
  close(): void;
}

interface Parts extends SandboxParts {
  readonly trustProxy: readonly string[];
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** The token of the demo, whose sandbox has the store `default`. */
  readonly demoToken: string | undefined;
}

/** What pages of other origins may read, that which confirms a preference included. */
const EXPOSED = { 'Access-Control-Expose-Headers': `${EXPOSED_FIELDS}, Preference-Applied` };
const EVERY_SCOPE: ReadonlySet<string> = new Set([...plantScopes, ...scopes]);
const NO_SUCH = 'The token is not valid: it belongs to no sandbox. Create a sandbox with POST /sandboxes.';
const EXPIRED = 'The sandbox has expired or was deleted. Create another with POST /sandboxes.';

type AnyHandler = (input: AnyInput, context: Context) => ReturnType<Steps['perform']>;

export async function openSandboxes(parts: Parts): Promise<OpenSandboxes> {
  const { demoToken, now } = parts;
  const sandboxes = createSandboxes(parts);
  const faults = createFaults(parts.random);
  const recorder = createRecorder(now);
  const addressOf = addressReader(parts.trustProxy);
  if (demoToken !== undefined) await sandboxes.createDemo(demoToken, 'default');
  const isOurs = (token: string) => looksLikeSandbox(token) || token === demoToken;

  const authenticate = async (hash: string): Promise<SandboxCredential> => {
    const sandbox = await sandboxes.find(hash);
    if (sandbox === undefined) throw notValid('it belongs to no sandbox', NO_SUCH);
    if (sandbox.expiresAt <= now()) throw expired(`the sandbox ${sandbox.id} has expired`, EXPIRED);
    return { id: hash, store: sandbox.store, scopes: EVERY_SCOPE, isPublic: true, sandbox };
  };
  const sandboxOf = ({ credential }: Finishable) => (credential as SandboxCredential | undefined)?.sandbox;
  /** Whoever has such a scope from elsewhere has no sandbox. */
  const withoutScopes = async (credential: ReturnType<Steps['authenticate']>): Promise<Credential> => ({
    ...(await credential),
    scopes: new Set(),
  });
  const isControl = ({ operation }: Finishable) => Object.hasOwn(handlers, operation?.id ?? '');

  /** Finds the sandbox again after a slow request: it may have expired or been reset. */
  const lookAgain = async (exchange: Exchange): Promise<Sandbox> => {
    const known = exchange.credential as SandboxCredential;
    const credential = await authenticate(known.id);
    exchange.credential = credential;
    return credential.sandbox;
  };
  const performPlants = (own: Steps, exchange: Exchange, input: AnyInput, sandboxBefore: Sandbox) =>
    faults.perform(exchange, input, sandboxBefore, async () => {
      const sandbox = await lookAgain(exchange);
      if (exchange.operation?.id !== 'createPlant') return own.perform(exchange, input);
      if (!sandboxes.caps.hasRoomForPlant(sandbox))
        await sandboxes.caps.requireRoomForPlant(sandbox, (input.body as NewPlant).id);
      const result = await own.perform(exchange, input);
      if (result.status === 200) sandbox.counted.plants++;
      return result;
    });

  const steps = (own: Steps): Steps => ({
    ...own,
    authenticate(exchange) {
      const authorization = authorizationOf(exchange.request);
      const token = authorization === undefined ? undefined : bearerToken(authorization);
      if (token !== undefined && isOurs(token)) return authenticate(hashToken(token));
      const credential = own.authenticate(exchange);
      return isControl(exchange) ? withoutScopes(credential) : credential;
    },
    perform(exchange, input) {
      const sandbox = sandboxOf(exchange);
      const { id } = exchange.operation as Operation;
      if (!isControl(exchange)) {
        return sandbox === undefined ? own.perform(exchange, input) : performPlants(own, exchange, input, sandbox);
      }
      const handler = handlers[id as keyof typeof handlers] as AnyHandler;
      const address = addressOf(exchange.request);
      return handler(input, { sandbox: sandbox as Sandbox, sandboxes, recorder, address });
    },
    finish(exchange, response) {
      exchange.headers = { ...EXPOSED, ...exchange.headers };
      return own.finish(exchange, response);
    },
    write: (exchange, response) => faults.write(exchange, response, own.write),
  });

  const observe: Observe = (exchange, response) => {
    if (isControl(exchange)) return;
    const record = (sandbox: Sandbox | undefined) =>
      sandbox && recorder.add(sandbox.id, exchange, response, faults.appliedTo(exchange));
    const known = sandboxOf(exchange);
    if (known !== undefined) {
      record(known);
      return;
    }
    // A path or a method that does not exist is refused before the credential is looked at.
    const token = /^bearer +(\S+)$/i.exec(exchange.request.headers.authorization ?? '')?.[1];
    if (token === undefined || !isOurs(token)) return;
    void sandboxes.find(hashToken(token)).then(record, () => undefined);
  };

  return {
    panel: {
      html: readAsset('sandbox/panel.html').toString(),
      hint: 'You need no token: the first request that you send creates a sandbox for you.',
      script: 'sandbox/panel.js',
      style: 'sandbox/panel.css',
    },
    alterations: { operations: (table) => ({ ...table, ...operations }), steps },
    observe,
    counts: sandboxes.counts,
    live: sandboxes.countLive,
    waiting: faults.countWaiting,
    close: sandboxes.close,
  };
}
