/**
 * Compares every response to the users of two sandboxes with a model of both. The commands of test/plants/model.ts send
 * the requests for plants.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SandboxTerms } from '../../../src/features/sandbox/sandbox.generated.ts';
import { readGarden } from '../../../src/plants/garden.ts';
import { type Client, errorOf, toJson } from '../../harness/client.ts';
import { id, type Model as Plants, refusedRequest, validRequest } from '../../plants/model.ts';
import { CONTROLS, refusedControl } from './model-refused.ts';
import { isPossible, rules } from './model-rules.ts';
import { deleteFaults, type Entry, type Sandbox, userOf } from './model-user.ts';
import { asJson, VIEWS } from './model-views.ts';
import type { MadeSandbox } from './sandbox.ts';

type Model = readonly [Sandbox, Sandbox];
export interface Real {
  /** Its token is an operator's and has every scope of the Plant Store. */
  readonly client: Client;
  restart(): Promise<void>;
}
export type Command = fc.AsyncCommand<Model, Real>;

/** What the user of a sandbox does. `user` sends requests with the token of the sandbox. */
interface Action {
  readonly label: string;
  run(sandbox: Sandbox, user: Client, real: Real): Promise<unknown>;
}
const action = (label: string, run: Action['run']): Action => ({ label, run });

const MAX_SNAPSHOTS = 5;

function initialPlants({ plants }: SandboxTerms): Plants {
  const first = plants === 'garden' ? readGarden() : [];
  return new Map(first.map(({ id, ...plant }) => [id, { plant, etag: undefined }]));
}

/** Returns plants that are stored again. They get other entity tags. */
function anew(plants: Plants): Plants {
  return new Map([...plants].map(([id, { plant }]) => [id, { plant, etag: undefined }]));
}

async function create(client: Client, body?: SandboxTerms): Promise<Sandbox> {
  const response = await client.send('POST', '/sandboxes', { token: null, ...(body && { body }) });
  assert.equal(response.status, 201);
  const { id, token, expiresAt } = response.json() as MadeSandbox;
  const found = await client.send('GET', '/sandbox', { token });
  assert.equal((found.json() as MadeSandbox).expiresAt, expiresAt);
  const [terms, plants] = [body ?? {}, initialPlants(body ?? {})];
  const nothing = { isUsed: false, snapshots: [], rules: [], record: [], deleted: 0, tags: new Map<string, string>() };
  return { id, token, terms, plants, ...nothing };
}

/** Deletes a sandbox. Its token is then refused. */
async function end({ token }: Sandbox, client: Client, { method, target } = { method: 'GET', target: '/sandbox' }) {
  assert.equal((await client.send('DELETE', '/sandbox', { token })).status, 204);
  assert.equal(errorOf(await client.send(method, target, { token })), 40102);
  assert.equal(errorOf(await client.send('GET', '/plants', { token })), 40102);
}

const requestPlants = validRequest.map((request) =>
  action(`sends ${request}`, (sandbox, _user, real) => {
    const client = userOf(sandbox, real.client, true);
    return request.run(sandbox.plants, { ...real, client, tags: sandbox.tags });
  }),
);
const repeatList = fc.integer({ min: 70, max: 110 }).map((times) =>
  action(`sends list ${times} times`, async (sandbox, _user, { client }) => {
    const user = userOf(sandbox, client, true);
    for (let i = 0; i < times; i++) await user.send('GET', `/plants?limit=1&i=${i}`);
  }),
);

const look = fc
  .constantFrom(...Object.entries(VIEWS))
  .map(([name, compare]) => action(`reads its ${name}`, (sandbox, user) => compare(sandbox, user)));

const refuse = fc.oneof(refusedRequest, refusedControl).map(({ method, target, error, ...call }) =>
  action(`sends ${method} ${target} ${toJson(call).slice(0, 200)}, refused with ${error}`, async (_sandbox, user) => {
    assert.equal(errorOf(await user.send(method, target, call)), error);
  }),
);
const refuseOperator = fc.constantFrom(...CONTROLS).map(({ method, target }) =>
  action(`sends ${method} ${target} with the token of an operator`, async (_sandbox, _user, { client }) => {
    assert.equal(errorOf(await client.send(method, target)), 40300);
  }),
);

/** What single requests ask for. Without a status they get no fault, and the record leaves them out. */
const ASKED = [
  { field: { Prefer: 'code=503' }, status: 503, fault: 'status' },
  { field: { Fault: 'status;status=404' }, status: 404, fault: 'status' },
  { field: { Fault: 'status;status=412' }, status: 400, fault: undefined },
  { field: { Fault: 'status=404' }, status: 400, fault: undefined },
  { field: { Fault: 'none' }, status: undefined, fault: undefined },
];
const askForFault = fc.tuple(id, fc.constantFrom(...ASKED)).map(([id, { field, status, fault }]) =>
  action(`sends get ${id} ${JSON.stringify(field)}`, async (sandbox, user) => {
    const response = await user.send('GET', `/plants/${id}`, { headers: field });
    assert.equal(response.status, status ?? (sandbox.plants.has(id) ? 200 : 404));
    if (status === undefined) sandbox.isUsed = true;
    else sandbox.record.push({ ...(sandbox.record.pop() as Entry), fault });
  }),
);

/** Null: the present rules again. */
const putFaults = fc.option(rules).map((others) =>
  action(`sets the rules ${toJson(others)}`, async (sandbox, user) => {
    const wanted = others ?? sandbox.rules.map(({ rule }) => rule);
    const response = await user.send('PUT', '/sandbox/faults', { body: wanted });
    if (!wanted.every(isPossible)) {
      assert.equal(errorOf(response), 40020);
      return;
    }
    assert.deepEqual([response.status, response.json()], [200, asJson(wanted)]);
    sandbox.rules = wanted.map((rule) => ({ rule, matched: 0, applied: 0 }));
  }),
);

const reset = fc.constantFrom(undefined, 1, 2, MAX_SNAPSHOTS).map((number) =>
  action(number === undefined ? 'is reset' : `is reset to snapshot ${number}`, async (sandbox, user) => {
    const query = number === undefined ? '' : `?snapshot=${number}`;
    const response = await user.send('POST', `/sandbox/reset${query}`);
    const plants = number === undefined ? initialPlants(sandbox.terms) : sandbox.snapshots[number - 1];
    if (plants === undefined) {
      assert.equal(errorOf(response), 40402);
      return;
    }
    assert.equal(response.status, 204);
    sandbox.plants = anew(plants);
  }),
);
const takeSnapshot = fc.constant(
  action('takes a snapshot', async ({ plants, snapshots }, user) => {
    const response = await user.send('POST', '/sandbox/snapshots');
    if (snapshots.length === MAX_SNAPSHOTS) {
      assert.equal(errorOf(response), 40010);
      return;
    }
    const { number } = response.json() as { readonly number: number };
    assert.deepEqual([response.status, number], [201, snapshots.push(anew(plants))]);
  }),
);
const removeFaults = fc.constant(action('removes its rules', deleteFaults));
const deleteRequests = fc.constant(
  action('deletes its record', async (sandbox, user) => {
    sandbox.deleted = await VIEWS.record(sandbox, user);
    assert.equal((await user.send('DELETE', '/sandbox/requests')).status, 204);
    sandbox.record = [];
  }),
);

const TERMS = [
  undefined,
  {},
  { ttl: 60 },
  { plants: 'none', ttl: 7_200 },
  { plants: 'garden', ttl: 2 ** 31 - 1 },
] as const;
const begin = fc.tuple(fc.constantFrom(...TERMS), fc.constantFrom(...CONTROLS)).map(([terms, control]) =>
  action(`is deleted and created with ${JSON.stringify(terms)}`, async (sandbox, _user, { client }) => {
    await end(sandbox, client, control);
    Object.assign(sandbox, await create(client, terms));
  }),
);

const anyAction = fc.oneof(
  { arbitrary: requestPlants, weight: 60 },
  { arbitrary: look, weight: 20 },
  { arbitrary: putFaults, weight: 16 },
  { arbitrary: refuse, weight: 12 },
  { arbitrary: fc.oneof(reset, takeSnapshot), weight: 12 },
  { arbitrary: askForFault, weight: 6 },
  { arbitrary: fc.oneof(removeFaults, deleteRequests), weight: 4 },
  { arbitrary: fc.oneof(refuseOperator, begin), weight: 5 },
  { arbitrary: repeatList, weight: 1 },
);

/** What one of two users does. */
export const anyRequest: fc.Arbitrary<Command> = fc
  .tuple(fc.constantFrom(0, 1), anyAction)
  .map(([place, { label, run }]) => ({
    check: () => true,
    async run(model, real) {
      await run(model[place], userOf(model[place], real.client), real);
    },
    toString: () => `sandbox ${place} ${label}`,
  }));

/** Restarts the service. Plants, snapshots and rules stay. Records and counts do not. */
export const restart: fc.Arbitrary<Command> = fc.constant({
  check: () => true,
  async run(model, real) {
    await real.restart();
    for (const sandbox of model) {
      const rules = sandbox.rules.map(({ rule }) => ({ rule, matched: 0, applied: 0 }));
      Object.assign(sandbox, { rules, record: [], deleted: 0 });
    }
  },
  toString: () => 'restart',
});

/** Runs commands on two new sandboxes. Then compares everything that both show, and deletes both. */
export async function runInSandboxes(real: Real, commands: Iterable<Command>): Promise<void> {
  const model: Model = [await create(real.client), await create(real.client, { plants: 'garden' })];
  await fc.asyncModelRun(() => ({ model, real }), commands);
  for (const sandbox of model) {
    for (const compare of Object.values(VIEWS)) await compare(sandbox, userOf(sandbox, real.client));
    await end(sandbox, real.client);
  }
}
