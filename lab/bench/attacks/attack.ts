/** What an attack is, and what several attacks need. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './counting-client.ts';

export interface Attack {
  /** The number of the attack in the table of docs/benchmark/attacks.md. */
  readonly row: number;
  /** What the attacker does. A phrase for a table. */
  readonly does: string;
  /** The only engine on which the attack is worth measuring. Default: both. */
  readonly only?: 'postgres';
  /** Further options of the service that the attack needs. */
  readonly options?: readonly string[];
  /** Prepares with documented requests. Continues with less if the service refuses some of them. */
  prepare(client: Client): Promise<Strike>;
}

/** Attacks until the signal aborts. It may be called several times. */
export type Strike = (signal: AbortSignal) => Promise<unknown>;

/** Repeats a step in parallel until the signal aborts. */
export function repeat(parallel: number, signal: AbortSignal, step: (lane: number) => Promise<unknown>) {
  return Promise.all(
    Array.from({ length: parallel }, async (_, lane) => {
      while (!signal.aborted) {
        await step(lane);
        // A step that fails without a request would otherwise block the event loop of this process.
        await sleep(1);
      }
    }),
  );
}

/** Starts a step at a constant rate, whether or not earlier steps have ended, with a maximum of unfinished steps. */
export async function atRate(perSecond: number, most: number, signal: AbortSignal, step: () => Promise<unknown>) {
  const unfinished = new Set<Promise<unknown>>();
  while (!signal.aborted) {
    if (unfinished.size < most) {
      const one = step().finally(() => unfinished.delete(one));
      unfinished.add(one);
    }
    await sleep(1_000 / perSecond);
  }
  await Promise.all(unfinished);
}

/** Tries to create sandboxes, several at a time. Returns the tokens of those that the service granted. */
export async function createSandboxes(
  client: Client,
  number: number,
  terms: { plants?: string } = {},
  addressOf?: (i: number) => string,
) {
  const tokens: string[] = [];
  for (let at = 0; at < number; at += 10) {
    const some = Array.from({ length: Math.min(10, number - at) }, (_, i) =>
      client.createSandbox(terms, addressOf?.(at + i)),
    );
    tokens.push(...(await Promise.all(some)).filter((token) => token !== undefined));
  }
  return tokens;
}

/** 1,024 characters of four bytes each. */
export const WIDE = '🌵'.repeat(1_024);
/** Characters that take one byte in the database and six bytes in JSON. */
const ESCAPED = '\u0001'.repeat(900);
const MAX_PLANTS = 1_000;

/**
 * Fills a sandbox such that its list is as long as possible. Without a maximum of bytes, that is 1,000 plants of 8 KiB.
 * With one, plants whose names JSON has to escape make a longer list.
 */
export async function createHoard(client: Client): Promise<string> {
  const wide = await createFilled(client, { name: WIDE, tag: WIDE });
  if (wide.plants === MAX_PLANTS) return wide.token;
  const escaped = await createFilled(client, { name: ESCAPED });
  return escaped.plants * ESCAPED.length * 6 > wide.plants * WIDE.length * 8 ? escaped.token : wide.token;
}

/** The most events that a sandbox keeps. */
const MAX_EVENTS = 500;

/** Makes as many of the longest events as a sandbox keeps. */
export async function createEvents(client: Client, token: string): Promise<void> {
  await client.send({ method: 'POST', path: '/plants', token, body: { id: 1, name: '' } });
  const body = (i: number) => ({ name: `${WIDE.slice(0, -20)}${i}`, tag: WIDE });
  const replace = (i: number) => client.send({ method: 'PUT', path: '/plants/1', token, body: body(i) });
  for (let made = 0; made < MAX_EVENTS; made += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, i) => replace(made + i)));
  }
}

/** Creates a sandbox, and the same plant in it until the sandbox is full. */
export async function createFilled(client: Client, plant: { name: string; tag?: string } = { name: WIDE, tag: WIDE }) {
  const token = (await client.createSandbox()) ?? '';
  let plants = 0;
  const add = async (id: number) => {
    const { status } = await client.send({ method: 'POST', path: '/plants', token, body: { id, ...plant } });
    if (status === 200) plants++;
    return status === 200;
  };
  for (let at = 0; at < MAX_PLANTS; at += 20) {
    const added = await Promise.all(Array.from({ length: 20 }, (_, i) => add(at + i)));
    if (!added.every(Boolean)) break;
  }
  return { token, plants };
}
