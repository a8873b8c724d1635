/** Runs the tests that kill the service and PostgreSQL, and counts the kills and the plants that were confirmed. */
import { environmentOf } from '../control.ts';
import { createViolations, runCheck } from '../outcome.ts';
import { runTests } from '../run-tests.ts';

/** The kills happen at random moments, which no seed repeats. */
const SHORT = ['test/durability/kill.test.ts'];
const FULL = [...SHORT, 'test/durability/shutdown.test.ts', 'test/stores/replicas.test.ts'];

await runCheck(async ({ short, control }) => {
  const violations = createViolations();
  const env = { ...environmentOf(control), KILL_ROUNDS: short ? '4' : '40' };
  const counts = await runTests(short ? SHORT : FULL, env, violations);
  return { counts, versions: {}, ...violations.result() };
});
