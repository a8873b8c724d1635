/** Compares every response to one client with those of a map of plants, across restarts. */
import { test } from 'node:test';
import fc from 'fast-check';
import { briefOrLong } from '../harness/long.ts';
import { startTestService } from '../harness/service.ts';
import { empty } from './empty.ts';
import { anyRequest, type Model, restart } from './model.ts';

test('one client gets the same responses as from a map of plants, across restarts', async () => {
  await using service = await startTestService();
  const commands = fc.oneof({ arbitrary: anyRequest, weight: 30 }, { arbitrary: restart, weight: 1 });
  const tags = new Map<string, string>();
  const real = { client: service.client, restart: service.restart, tags };
  await fc.assert(
    fc.asyncProperty(fc.commands([commands], { maxCommands: 60, size: '+1' }), async (sequence) => {
      await empty(service);
      await fc.asyncModelRun(() => ({ model: new Map() as Model, real }), sequence);
    }),
    { numRuns: briefOrLong(4, 15) },
  );
});
