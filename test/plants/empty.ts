import type { TestService } from '../harness/service.ts';

/** Each run begins with an empty store; starting a service for each would take ten times as long. */
export async function empty({ engine: { plants } }: TestService): Promise<void> {
  for (const { id } of await plants.list('default', { limit: 1_000 })) await plants.delete('default', id, undefined);
}
