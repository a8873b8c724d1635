/** The process of the innocent clients: a visitor with a sandbox, and an operator. It measures their latencies. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TOKEN } from '../wrk.ts';
import { Client } from './counting-client.ts';
import { offer } from './task-process.ts';

/** What one client saw. */
export interface Latency {
  /** Milliseconds from the moment at which a request is due to its response. */
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  /** Requests without a successful response, by status and error number. */
  readonly failed: Readonly<Record<string, number>>;
}

/** Fewer than the number of plants that a sandbox may have. */
const PLANTS_EACH = 900;

interface Innocent {
  readonly client: Client;
  /** An operator has one token. A visitor has several sandboxes and uses one after the other. */
  readonly tokens: readonly string[];
  /** The confirmed plants by id, with the token of their store. */
  readonly confirmed: Map<number, string>;
  /** The number of creates so far. It is also the last id. */
  created: number;
}

let innocents: readonly Innocent[] = [];

const tasks = {
  /** `creates`: the largest number of plants that a client will create. */
  async open({ url, creates }: { url: string; creates: number }): Promise<void> {
    const visitor = new Client(url, '198.51.100.7');
    const tokens: string[] = [];
    while (tokens.length < Math.ceil(creates / PLANTS_EACH)) {
      const token = await visitor.createSandbox();
      if (token === undefined) throw new Error('the innocent visitor gets no sandbox');
      tokens.push(token);
    }
    innocents = [
      { client: visitor, tokens, confirmed: new Map(), created: 0 },
      { client: new Client(url, '192.0.2.9'), tokens: [TOKEN], confirmed: new Map(), created: 0 },
    ];
  },

  /** Both clients send requests at a constant rate, whether or not responses arrive. */
  measure({ seconds, rate }: { seconds: number; rate: number }): Promise<readonly Latency[]> {
    return Promise.all(innocents.map((innocent) => measure(innocent, seconds, rate)));
  },

  /** Reads each confirmed plant. Returns the number of plants, and of those that are not there. */
  async verify(): Promise<{ confirmed: number; lost: number }> {
    let confirmed = 0;
    let lost = 0;
    for (const { client, confirmed: plants } of innocents) {
      for (const [id, token] of plants) {
        confirmed++;
        const { status, text } = await client.send({ path: `/plants/${id}`, token });
        if (status !== 200 || !text.includes(`"${nameOf(id)}"`)) lost++;
      }
    }
    return { confirmed, lost };
  },
};

export type Innocents = typeof tasks;

async function measure(innocent: Innocent, seconds: number, rate: number): Promise<Latency> {
  const times: number[] = [];
  const failed: Record<string, number> = {};
  const sent: Promise<void>[] = [];
  const began = performance.now();
  for (let i = 0; i < seconds * rate; i++) {
    const due = began + (i * 1_000) / rate;
    await sleep(Math.max(0, due - performance.now()));
    sent.push(
      send(innocent, i).then((failure) => {
        times.push(performance.now() - due);
        if (failure !== undefined) failed[failure] = (failed[failure] ?? 0) + 1;
      }),
    );
  }
  await Promise.all(sent);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), requests: times.length, failed };
}

/** Creates, gets and lists in turn. Returns the status of a failure. */
async function send(innocent: Innocent, i: number): Promise<string | undefined> {
  const { client, tokens, confirmed } = innocent;
  const token = tokens[Math.floor(innocent.created / PLANTS_EACH)] ?? tokens[0] ?? '';
  if (i % 3 === 1 && confirmed.size > 0) {
    const [id, itsToken] = [...confirmed][(i * 7) % confirmed.size] ?? [0, token];
    return failureOf(await client.send({ path: `/plants/${id}`, token: itsToken }));
  }
  if (i % 3 !== 0) return failureOf(await client.send({ path: '/plants?limit=100', token }));
  const id = ++innocent.created;
  const body = { id, name: nameOf(id), tag: 'succulent' };
  const got = await client.send({ method: 'POST', path: '/plants', token, body });
  if (got.status === 200) confirmed.set(id, token);
  return failureOf(got);
}

function failureOf({ status, text }: { status: number; text: string }): string | undefined {
  return status === 200 ? undefined : `${status} ${/"error": ?(\d+)/.exec(text)?.[1] ?? text.slice(0, 40)}`;
}

function nameOf(id: number): string {
  return `Aloe vera ${id}`;
}

offer(tasks);
