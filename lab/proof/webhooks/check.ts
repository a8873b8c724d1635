/** Runs the test in which processes are killed while they send messages to a receiver that fails. */
import { SERVER_VARIABLE, startPostgres } from '../../../test/harness/postgres.ts';
import { environmentOf } from '../control.ts';
import { createViolations, runCheck } from '../outcome.ts';
import { runTests } from '../run-tests.ts';

/** The kills happen at random moments, which no seed repeats. */
const FILES = ['test/features/webhooks/exactly.test.ts'];

await runCheck(async ({ short, control }) => {
  const violations = createViolations();
  const env = { ...environmentOf(control), KILL_ROUNDS: short ? '2' : '10' };
  const counts = await runTests(FILES, { ...env, TEST_ENGINE: 'sqlite' }, violations);
  if (!short) {
    const server = await startPostgres(['fsync=off']);
    const onServer = { ...env, TEST_ENGINE: 'postgres', [SERVER_VARIABLE]: server.url };
    for (const [what, count] of Object.entries(await runTests(FILES, onServer, violations)))
      counts[what] = (counts[what] ?? 0) + count;
    await server.remove();
  }
  return { counts, versions: {}, ...violations.result() };
});
