/** Creates sandboxes for tests. */
import assert from 'node:assert/strict';
import type { SandboxTimes } from '../../../src/features/sandbox/sandbox.ts';
import { type Client, createClient } from '../../harness/client.ts';
import type { TestService } from '../../harness/service.ts';

/** Times so short that a test need not wait for seconds. */
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

/** Creates a sandbox and its client. */
export async function enterSandbox({ client }: TestService, terms?: object): Promise<Client> {
  return createClient(client.url, (await makeSandbox(client, terms)).token);
}

/** Repeats a check until it is true, or until the test's time limit. */
export async function waitUntil(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
