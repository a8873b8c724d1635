/** A sandbox for a test: its client, which holds every response to the description. */
import assert from 'node:assert/strict';
import type { SandboxTimes } from '../../src/sandbox/index.ts';
import { type Client, createClient } from '../harness/client.ts';
import type { TestService } from '../harness/service.ts';

/** So short that a test need not wait for what a service does within seconds. */
export const QUICK: SandboxTimes = { fresh: 20, sweep: 20, grace: 100 };

export interface MadeSandbox {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: string;
}

export async function makeSandbox(client: Client, terms: object = {}): Promise<MadeSandbox> {
  const response = await client.send('POST', '/sandboxes', { token: null, body: terms });
  assert.equal(response.status, 201, response.text);
  return response.json() as MadeSandbox;
}

/** The client of a new sandbox. */
export async function enterSandbox({ client }: TestService, terms?: object): Promise<Client> {
  return createClient(client.url, (await makeSandbox(client, terms)).token);
}

/** Repeats until it holds; the test's own time limit ends it otherwise. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
