/** Compares every response to the users of two sandboxes with those of a model, across restarts. */
import { test } from 'node:test';
import fc from 'fast-check';
import { briefOrLong } from '../../harness/long.ts';
import { startTestService } from '../../harness/service.ts';
import { anyRequest, restart, runInSandboxes } from './model.ts';

test('the users of two sandboxes get the same responses as from a model of both, across restarts', async () => {
  await using service = await startTestService({ sandboxes: 1_000, sandboxesPerAddress: 1_000 });
  const commands = fc.oneof({ arbitrary: anyRequest, weight: 30 }, { arbitrary: restart, weight: 1 });
  await fc.assert(
    fc.asyncProperty(fc.commands([commands], { maxCommands: 60, size: '+1' }), (sequence) =>
      runInSandboxes(service, sequence),
    ),
    { numRuns: briefOrLong(4, 15) },
  );
});
