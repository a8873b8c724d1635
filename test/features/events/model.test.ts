/** Compares every response of the feed with a list of the changes, across restarts and the removal of old events. */
import { test } from 'node:test';
import fc from 'fast-check';
import { briefOrLong } from '../../harness/long.ts';
import { startTestService } from '../../harness/service.ts';
import { anyEventRequest, createModel, remove, restart } from './model.ts';
import { clear, enterStore } from './store.ts';

test('one client reads exactly the changes that it made, across restarts', async () => {
  await using service = await startTestService({ events: true });
  const store = 'changes';
  const real = await enterStore(service, store);
  const commands = fc.oneof(
    { arbitrary: anyEventRequest, weight: 30 },
    { arbitrary: restart, weight: 1 },
    { arbitrary: remove, weight: 1 },
  );
  await fc.assert(
    fc.asyncProperty(fc.commands([commands], { maxCommands: 60, size: '+1' }), async (sequence) => {
      await clear(service, store);
      await fc.asyncModelRun(() => ({ model: createModel(), real }), sequence);
    }),
    { numRuns: briefOrLong(4, 15) },
  );
});
