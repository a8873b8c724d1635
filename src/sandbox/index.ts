/** What `serve --sandboxes` adds to a service: operations, an authenticator, faults, the record, and their description. */

import { readAsset } from '../assets.ts';
import { bearerToken, type Credential, expired, notValid } from '../auth/credential.ts';
import { hashToken } from '../auth/token.ts';
import { type NewPlant, scopes as plantScopes } from '../description/openapi.generated.ts';
import type { Panel } from '../docs/index.ts';
import type { Feature, FeatureContext, OpenFeature } from '../feature.ts';
import { createApi, type ServedDocument } from '../http/api.ts';
import { type AnyInput, credentialOf, type Exchange, type Finishable } from '../http/exchange.ts';
import type { Observe, Steps } from '../http/pipeline.ts';
import { authorizationOf } from '../http/request.ts';
import { EXPOSED_FIELDS } from '../http/response.ts';
import type { Metric } from '../observe/metrics.ts';
import { addressReader } from './address.ts';
import { createFaults } from './faults.ts';
import { handlers } from './handlers.ts';
import { createRecorder } from './recorder.ts';
import { operations, scopes } from './sandbox.generated.ts';
import { looksLikeSandbox, SANDBOX_TIMES, type Sandbox, type SandboxTimes } from './sandbox.ts';
import { createSandboxes } from './sandboxes.ts';

export type { SandboxTimes } from './sandbox.ts';

interface SandboxCredential extends Credential {
  readonly sandbox: Sandbox;
}

/** What pages of other origins may read, that which confirms a preference included. */
const EXPOSED = { 'Access-Control-Expose-Headers': `${EXPOSED_FIELDS}, Preference-Applied` };
const EVERY_SCOPE: ReadonlySet<string> = new Set([...plantScopes, ...scopes]);
const NO_SUCH = 'The token is not valid: it belongs to no sandbox. Create a sandbox with POST /sandboxes.';
const EXPIRED = 'The sandbox has expired or was deleted. Create another with POST /sandboxes.';

/** What a demo has of sandboxes beside its own, where `--sandboxes` is not given. */
const DEMO_SANDBOXES = 100;

const DOCUMENTS: readonly ServedDocument[] = [
  { path: '/sandbox/openapi.json', type: 'application/json', read: () => readAsset('sandbox/sandbox.served.json') },
  { path: '/sandbox/openapi.yaml', type: 'application/yaml', read: () => readAsset('sandbox/sandbox.served.yaml') },
];

/** `times`: how long the service uses what it knows of a sandbox. */
export function openSandboxes(times: SandboxTimes = SANDBOX_TIMES): OpenFeature {
  return (context) => open(context, times);
}

async function open({ config, engine, log, now, random }: FeatureContext, times: SandboxTimes): Promise<Feature> {
  const limits = {
    most: config.sandboxes ?? DEMO_SANDBOXES,
    mostPerAddress: config.sandboxesPerAddress,
    ttl: config.sandboxTtl,
    plants: config.sandboxPlants,
  };
  /** The token of the demo, whose sandbox has the store `default`. */
  const demoToken = config.demo ? config.token : undefined;
  const sandboxes = createSandboxes({ engine, limits, times, now, log });
  const faults = createFaults(random);
  const recorder = createRecorder(now);
  const addressOf = addressReader(config.trustProxy ?? []);
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
  const isControl = ({ operation }: Finishable) => Object.hasOwn(operations, operation?.id ?? '');

  const api = createApi({
    operations,
    handlers,
    documents: DOCUMENTS,
    contextOf: (exchange) => ({
      get sandbox(): Sandbox {
        return (credentialOf(exchange) as SandboxCredential).sandbox;
      },
      sandboxes,
      recorder,
      address: addressOf(exchange.request),
    }),
  });

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
      const sandbox = isControl(exchange) ? undefined : sandboxOf(exchange);
      return sandbox === undefined ? own.perform(exchange, input) : performPlants(own, exchange, input, sandbox);
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

  const { counts } = sandboxes;
  const panel: Panel = {
    html: readAsset('sandbox/panel.html').toString(),
    hint: 'You need no token: the first request that you send creates a sandbox for you.',
    script: 'sandbox/panel.js',
    style: 'sandbox/panel.css',
  };
  return {
    apis: [api],
    steps,
    observers: [observe],
    page: { panel },
    metrics: [
      gauge('live', 'Sandboxes that have not expired', sandboxes.countLive),
      counter('created', 'Sandboxes made by this process', () => counts.created),
      counter('refused', 'Sandboxes refused by this process, since there were too many', () => counts.refused),
      counter('expired', 'Expired or deleted sandboxes removed by this process', () => counts.expired),
      gauge('faults_waiting', 'Requests that a fault delays now', faults.countWaiting),
    ],
    close: sandboxes.close,
  };
}

const gauge = (last: string, help: string, read: Metric['read']): Metric => ({
  name: `sandboxes_${last}`,
  help,
  type: 'gauge',
  read,
});
const counter = (last: string, help: string, read: Metric['read']): Metric => ({
  name: `sandboxes_${last}_total`,
  help,
  type: 'counter',
  read,
});
