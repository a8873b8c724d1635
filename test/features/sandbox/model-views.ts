/** Compares what a sandbox shows with its model. */
import assert from 'node:assert/strict';
import { type Client, parseExact, toJson } from '../../harness/client.ts';
import { exact, plantsOf } from '../../plants/model.ts';
import type { Entry, Sandbox } from './model-user.ts';
import type { MadeSandbox } from './sandbox.ts';

/** The longest life in seconds, and the longest life of a sandbox that nobody uses. */
const LONGEST = 86_400;
const LONGEST_UNUSED = 3_600;
/** The most requests of a record. It may have fewer if they have at least this many characters as JSON. */
const MAX_REQUESTS = 100;
const LARGE = 90_000;

interface ShownSandbox extends MadeSandbox {
  readonly plants: string;
  readonly createdAt: string;
  readonly snapshots: readonly { readonly number: number }[];
}
interface ShownRequest extends Omit<Entry, 'headers'> {
  readonly number: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** Returns a value as a response contains it. */
export const asJson = (value: unknown): unknown => parseExact(toJson(value));

async function read<Body>(user: Client, target: string): Promise<Body> {
  const response = await user.send('GET', target);
  assert.equal(response.status, 200, response.text);
  return response.json() as Body;
}

async function comparePlants({ plants }: Sandbox, user: Client): Promise<void> {
  assert.deepEqual((await read<unknown[]>(user, '/sandbox/plants')).map(exact), plantsOf(plants));
}

async function compareSandbox({ id, terms, isUsed, snapshots }: Sandbox, user: Client): Promise<void> {
  const { plants = 'none', ttl = LONGEST } = terms;
  const found = await read<ShownSandbox>(user, '/sandbox');
  const seconds = (Date.parse(found.expiresAt) - Date.parse(found.createdAt)) / 1_000;
  const expected = Math.min(ttl, isUsed ? LONGEST : LONGEST_UNUSED);
  assert.deepEqual([found.id, found.plants, seconds], [id, plants, expected]);
  const numbers = found.snapshots.map(({ number }) => number);
  assert.deepEqual(
    numbers,
    [...snapshots.keys()].map((i) => i + 1),
  );
}

async function compareRules({ rules }: Sandbox, user: Client): Promise<void> {
  assert.deepEqual(await read(user, '/sandbox/faults'), asJson(rules.map(({ rule }) => rule)));
}

async function compareCounts({ rules }: Sandbox, user: Client): Promise<void> {
  assert.deepEqual(await read(user, '/sandbox/faults/counts'), asJson(rules));
}

/** Resolves to the highest number. */
async function compareRecord({ record, deleted }: Sandbox, user: Client): Promise<number> {
  const found = await read<ShownRequest[]>(user, '/sandbox/requests');
  const isLarge = toJson(found).length >= LARGE;
  const expected = record.slice(-(isLarge ? found.length : MAX_REQUESTS));
  assert.deepEqual(found.map(entryOf), expected.map(predictable));
  const numbers = [deleted, ...found.map(({ number }) => number)];
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  );
  const after = numbers[Math.floor(numbers.length / 2)] ?? 0;
  const later = await read<ShownRequest[]>(user, `/sandbox/requests?after=${after}`);
  assert.deepEqual(
    later,
    found.filter(({ number }) => number > after),
  );
  return numbers.at(-1) ?? 0;
}

const entryOf = ({ headers, ...rest }: ShownRequest): Entry =>
  predictable({ ...rest, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) });

/** Leaves out what the model does not predict: cursors, and the fields that Node adds. */
function predictable({ method, target, headers, body, fault, status, error, response }: Entry): Entry {
  const { Host: _, Connection: __, 'Content-Length': ___, ...fields } = headers;
  const withoutCursor = target.replace(/\bafter=[^&]+/, 'after=…');
  return { method, target: withoutCursor, headers: fields, body, fault, status, error, response };
}

/** By what they compare. */
export const VIEWS = {
  plants: comparePlants,
  sandbox: compareSandbox,
  rules: compareRules,
  counts: compareCounts,
  record: compareRecord,
};
