/** The handlers of the operations in sandbox.yaml. */
import type { Handlers, Operation } from '../../contract/operation.ts';
import { Problem } from '../../errors.ts';
import type { PlantStore } from '../../plants/plant-store.ts';
import { problemOfRules } from './faults/possible-faults.ts';
import { type Rules, readRules } from './faults/rules.ts';
import type { Recorder } from './record/recorder.ts';
import { operations as own } from './sandbox.generated.ts';
import { isDemo } from './sandbox.ts';
import type { Sandbox } from './sandbox-records.ts';
import type { NewClient, Sandboxes } from './sandboxes.ts';

export interface Context {
  /** The sandbox of the token. createSandbox has no token and must not use it. */
  readonly sandbox: Sandbox;
  readonly sandboxes: Sandboxes;
  readonly recorder: Recorder;
  readonly rules: Rules;
  readonly plants: PlantStore;
  readonly client: NewClient;
  /** The operations of every Api. */
  readonly operations: readonly Operation[];
}

/** The most plants that showPlants returns. */
export const MAX_SHOWN = 1_000;

const textOf = (time: number) => new Date(time).toISOString();

/** Faults are for the operations of all other APIs. */
export const othersOf = (operations: readonly Operation[]) => operations.filter(({ id }) => !Object.hasOwn(own, id));

export const handlers: Handlers<typeof own, Context> = {
  async createSandbox({ body }, { sandboxes, client }) {
    const { plants = 'none', ttl } = body;
    const { sandbox, token } = await sandboxes.create(client, plants, ttl && ttl * 1_000);
    return { status: 201, body: { id: sandbox.id, token, expiresAt: textOf(sandbox.expiresAt) } };
  },
  async getSandbox(_, { sandbox, sandboxes }) {
    const { id, plants, createdAt, expiresAt } = sandbox;
    const snapshots = await sandboxes.snapshots.list(sandbox);
    const body = {
      id,
      plants,
      createdAt: textOf(createdAt),
      ...(!isDemo(sandbox) && { expiresAt: textOf(expiresAt) }),
      snapshots: snapshots.map(({ number, createdAt }) => ({ number, createdAt: textOf(createdAt) })),
    };
    return { status: 200, body };
  },
  async deleteSandbox(_, { sandbox, sandboxes }) {
    if (isDemo(sandbox)) {
      return new Problem(40021, 'The sandbox of a demo cannot be deleted. Reset it with POST /sandbox/reset.');
    }
    await sandboxes.end(sandbox);
    return { status: 204 };
  },
  resetSandbox: async ({ parameters }, { sandbox, sandboxes }) =>
    (await sandboxes.snapshots.reset(sandbox, parameters.snapshot)) ?? { status: 204 },
  async createSnapshot(_, { sandbox, sandboxes }) {
    const snapshot = await sandboxes.snapshots.take(sandbox);
    if (snapshot instanceof Problem) return snapshot;
    return { status: 201, body: { number: snapshot.number, createdAt: textOf(snapshot.createdAt) } };
  },
  getFaults: (_, { sandbox }) => ({ status: 200, body: readRules(sandbox.faults) }),
  async putFaults({ body }, { sandbox, sandboxes, operations }) {
    const problem = problemOfRules(body, othersOf(operations));
    if (problem !== undefined) return problem;
    await sandboxes.setFaults(sandbox, body);
    return { status: 200, body };
  },
  async deleteFaults(_, { sandbox, sandboxes }) {
    await sandboxes.setFaults(sandbox, []);
    return { status: 204 };
  },
  getFaultCounts: (_, { sandbox, rules }) => ({ status: 200, body: rules.counts(sandbox) }),
  showPlants: async (_, { sandbox, plants }) => ({
    status: 200,
    body: await plants.list(sandbox.store, { limit: MAX_SHOWN }),
  }),
  listRequests: ({ parameters }, { sandbox, recorder }) => ({
    status: 200,
    body: recorder.list(sandbox.id, parameters.after),
  }),
  deleteRequests(_, { sandbox, recorder }) {
    recorder.clear(sandbox.id);
    return { status: 204 };
  },
};
