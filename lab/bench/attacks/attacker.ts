/** The process of one attack. */
import type { Strike } from './attack.ts';
import { Client, type Counts } from './counting-client.ts';
import { ATTACKS } from './index.ts';
import { offer } from './task-process.ts';

const ADDRESS = '203.0.113.1';

let client: Client;
let strike: Strike;

const tasks = {
  async prepare({ name, url }: { name: string; url: string }): Promise<void> {
    client = new Client(url, ADDRESS);
    const attack = ATTACKS[name];
    if (attack === undefined) throw new Error(`there is no attack ${name}`);
    strike = await attack.prepare(client);
  },

  /** Attacks for some seconds. Returns what the attacker got, and the number of its sandboxes so far. */
  async strike(seconds: number): Promise<{ counts: Counts; sandboxes: number }> {
    taken();
    await strike(AbortSignal.timeout(seconds * 1_000));
    return { counts: taken(), sandboxes: client.sandboxes };
  },
};

export type Attacker = typeof tasks;

/** Empties the client's counts and returns them. */
function taken(): Counts {
  const counts = { ...client.counts };
  for (const key of Object.keys(client.counts)) delete client.counts[key];
  return counts;
}

offer(tasks);
