/** A user of a sandbox, who predicts the fault of each request and what the record shows of it. */
import assert from 'node:assert/strict';
import { StringDecoder } from 'node:string_decoder';
import type { FaultRule, SandboxTerms } from '../../../src/features/sandbox/sandbox.generated.ts';
import { type Call, type Client, type ClientResponse, errorOf, toJson } from '../../harness/client.ts';
import type { Model as Plants } from '../../plants/model.ts';
import { type CountedRule, choose, operationOf } from './model-rules.ts';

/** What a sandbox must contain. */
export interface Sandbox {
  readonly id: string;
  readonly token: string;
  readonly terms: SandboxTerms;
  /** Whether an operation on plants was carried out. The first one extends the life of the sandbox. */
  isUsed: boolean;
  plants: Plants;
  readonly snapshots: Plants[];
  rules: readonly CountedRule[];
  record: Entry[];
  /** The highest number that was deleted from the record. */
  deleted: number;
  /** Every entity tag that was seen, with its content. */
  readonly tags: Map<string, string>;
}

/** A request as the record shows it. */
export interface Entry {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string | undefined;
  readonly fault: string | undefined;
  readonly status?: number | undefined;
  readonly error?: number | undefined;
  readonly response?: string | undefined;
}
type Result = Pick<Entry, 'status' | 'error' | 'response'>;

/** The most bytes of a body that the record shows. */
const MAX_BODY = 4_096;
/** The user removes an endless rule after it has applied this many times. */
const ENOUGH = 3;

/**
 * Returns a client with the token of a sandbox. `isValid`: its requests to the Plant Store have valid input. They get
 * faults, and the client repeats them until they get none.
 */
export function userOf(sandbox: Sandbox, client: Client, isValid = false): Client {
  const send: Client['send'] = async (method, target, call = {}) => {
    const own = { token: sandbox.token, ...call };
    const operation = operationOf(method, target);
    const isWatching = call.headers?.['Fault'] === 'none';
    if (operation === undefined || isWatching || call.token !== undefined) return client.send(method, target, own);

    const record = (rule: FaultRule | undefined, result: Result) => {
      const fault = rule && rule.fault.kind + (rule.when === 'afterCommit' ? ', after commit' : '');
      const body = bodyOf(call);
      const entry: Entry = { method, target, headers: headersOf(call), body, fault, ...result };
      sandbox.record.push(entry);
      return entry;
    };
    const id = idOf(target, call);
    const plan = () => (isValid ? choose(sandbox.rules, operation, id) : undefined);
    /** Requests that were carried out, although their response was another or none. */
    const carriedOut: Entry[] = [];
    let counted = plan();
    for (; counted !== undefined && counted.rule.fault.kind !== 'delay'; counted = plan()) {
      const { rule, applied } = counted;
      const mayLeaveDescription = rule.fault.kind === 'proxy';
      const entry = record(rule, await meet(rule, () => client.send(method, target, { ...own, mayLeaveDescription })));
      if (rule.when === 'afterCommit') carriedOut.push(entry);
      if (operation === 'createPlant')
        assert.equal(await isStored(id, sandbox, client), carriedOut.length > 0 || sandbox.plants.has(id as bigint));
      if (rule.times === undefined && applied >= ENOUGH) await deleteFaults(sandbox, client);
    }
    const response = await client.send(method, target, own);
    const result = { status: response.status, error: response.status < 400 ? undefined : errorOf(response) };
    record(counted?.rule, result);
    // The lost responses were the same as this one.
    for (const entry of carriedOut) if (entry.response === 'lost') Object.assign(entry, result);
    if (isValid) sandbox.isUsed = true;
    return response;
  };
  return { ...client, token: sandbox.token, send };
}

export async function deleteFaults(sandbox: Sandbox, client: Client): Promise<void> {
  assert.equal((await client.send('DELETE', '/sandbox/faults', { token: sandbox.token })).status, 204);
  sandbox.rules = [];
}

/** Sends a request that gets a fault. Resolves to what the record shows of its response. */
async function meet({ fault }: FaultRule, send: () => Promise<ClientResponse>): Promise<Result> {
  if (fault.kind === 'reset') {
    await assert.rejects(send(), { code: 'ECONNRESET' });
    return { status: 503, error: 50300, response: 'lost' };
  }
  const response = await send();
  const { status, headers, text } = response;
  assert.equal(status, fault.status);
  if (fault.kind === 'status') {
    assert.match(text, /This sandbox was told to respond with/);
    return { status, error: errorOf(response) };
  }
  const { media, retry, body = '' } = fault;
  const fields = [headers['content-type'], headers['retry-after']];
  assert.deepEqual([...fields, text], [media && `text/${media}`, retry?.toString(), body]);
  return { status };
}

/** Whether a sandbox has the plant. */
async function isStored(id: bigint | undefined, { token }: Sandbox, client: Client): Promise<boolean> {
  const response = await client.send('GET', '/sandbox/plants', { token });
  return (response.json() as readonly { readonly id: number | bigint }[]).some((plant) => BigInt(plant.id) === id);
}

/** The plant's id in the path or in the body. */
function idOf(target: string, { body }: Call): bigint | undefined {
  const [, id] = /^\/plants\/(-?\d+)$/.exec(target) ?? [];
  return id === undefined ? (body as { readonly id?: bigint } | undefined)?.id : BigInt(id);
}

function headersOf({ body, headers }: Call): Entry['headers'] {
  return { Authorization: 'Bearer …', ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers };
}

function bodyOf({ body }: Call): string | undefined {
  if (body === undefined) return undefined;
  const bytes = Buffer.from(typeof body === 'string' ? body : toJson(body)).subarray(0, MAX_BODY);
  // Without a character that is cut.
  return new StringDecoder().write(bytes);
}
