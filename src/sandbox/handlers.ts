/** The handlers of the operations in sandbox.yaml. */
import type { Handler, Handlers } from '../contract/operation.ts';
import { Problem } from '../errors.ts';
import type { Recorder } from './recorder.ts';
import { problemOfRules, readRules } from './rules.ts';
import type { operations } from './sandbox.generated.ts';
import { isDemo, type Sandbox } from './sandbox.ts';
import type { Sandboxes } from './sandboxes.ts';

export interface Context {
  /** The sandbox of the token. createSandbox has no token and must not use it. */
  readonly sandbox: Sandbox;
  readonly sandboxes: Sandboxes;
  readonly recorder: Recorder;
  /** The client's address. */
  readonly address: string;
}

type SandboxHandler<Id extends keyof typeof operations> = Handler<(typeof operations)[Id], Context>;

const textOf = (time: number) => new Date(time).toISOString();

const createSandbox: SandboxHandler<'createSandbox'> = async ({ body }, { sandboxes, address }) => {
  const { plants = 'none', ttl } = body;
  const { sandbox, token } = await sandboxes.create(address, plants, ttl && ttl * 1_000);
  return { status: 201, body: { id: sandbox.id, token, expiresAt: textOf(sandbox.expiresAt) } };
};

const getSandbox: SandboxHandler<'getSandbox'> = async (_, { sandbox, sandboxes }) => {
  const { id, plants, createdAt, expiresAt } = sandbox;
  const snapshots = (await sandboxes.snapshots.list(sandbox)).map(({ number, createdAt }) => ({
    number,
    createdAt: textOf(createdAt),
  }));
  const end = isDemo(sandbox) ? {} : { expiresAt: textOf(expiresAt) };
  return { status: 200, body: { id, plants, createdAt: textOf(createdAt), ...end, snapshots } };
};

const deleteSandbox: SandboxHandler<'deleteSandbox'> = async (_, { sandbox, sandboxes }) => {
  await sandboxes.end(sandbox);
  return { status: 204 };
};

const resetSandbox: SandboxHandler<'resetSandbox'> = async ({ parameters }, { sandbox, sandboxes }) =>
  (await sandboxes.snapshots.reset(sandbox, parameters.snapshot)) ?? { status: 204 };

const createSnapshot: SandboxHandler<'createSnapshot'> = async (_, { sandbox, sandboxes }) => {
  const snapshot = await sandboxes.snapshots.take(sandbox);
  if (snapshot instanceof Problem) return snapshot;
  return { status: 201, body: { number: snapshot.number, createdAt: textOf(snapshot.createdAt) } };
};

const getFaults: SandboxHandler<'getFaults'> = (_, { sandbox }) => ({ status: 200, body: readRules(sandbox.faults) });

const putFaults: SandboxHandler<'putFaults'> = async ({ body }, { sandbox, sandboxes }) => {
  const problem = problemOfRules(body);
  if (problem !== undefined) return problem;
  await sandboxes.setFaults(sandbox, body);
  return { status: 200, body };
};

const deleteFaults: SandboxHandler<'deleteFaults'> = async (_, { sandbox, sandboxes }) => {
  await sandboxes.setFaults(sandbox, []);
  return { status: 204 };
};

const listRequests: SandboxHandler<'listRequests'> = ({ parameters }, { sandbox, recorder }) => ({
  status: 200,
  body: recorder.list(sandbox.id, parameters.after),
});

const deleteRequests: SandboxHandler<'deleteRequests'> = (_, { sandbox, recorder }) => {
  recorder.clear(sandbox.id);
  return { status: 204 };
};

export const handlers: Handlers<typeof operations, Context> = {
  createSandbox,
  getSandbox,
  deleteSandbox,
  resetSandbox,
  createSnapshot,
  getFaults,
  putFaults,
  deleteFaults,
  listRequests,
  deleteRequests,
};
