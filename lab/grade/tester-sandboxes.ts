/** The credentials of a tester of sandboxes: the tokens of two sandboxes. */
import { startServiceUnderTest } from './service.ts';
import type { Credentials } from './subject.ts';

/** Creates the sandboxes on a clean service, which creates the database. `command` starts it. */
export async function createSandboxes(command: readonly string[], folder: string): Promise<Credentials> {
  const service = await startServiceUnderTest({ command, folder, order: { defect: null, variants: null } });
  try {
    const create = async () => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${service.url}/sandboxes`, { method: 'POST', headers, body: '{}' });
      return ((await response.json()) as { readonly token: string }).token;
    };
    return { values: { token: await create(), otherToken: await create() } };
  } finally {
    await service.stop();
  }
}
