/** Runs the tests that kill the service and PostgreSQL, and counts the kills and the plants that were confirmed. */
import { resolve } from 'node:path';
import { run } from 'node:test';
import { environmentOf } from '../control.ts';
import { createViolations, runCheck, say } from '../outcome.ts';

/** The kills happen at random moments, which no seed repeats. */
const SHORT = ['test/durability/kill.test.ts'];
const FULL = [...SHORT, 'test/durability/shutdown.test.ts', 'test/stores/replicas.test.ts'];

await runCheck(async ({ short, control }) => {
  const violations = createViolations();
  const counts: Record<string, number> = {};
  const files = (short ? SHORT : FULL).map((file) => resolve(import.meta.dirname, '../../..', file));
  const env = { ...process.env, ...environmentOf(control), KILL_ROUNDS: short ? '4' : '40' };
  for await (const event of run({ files, env })) {
    if (event.type === 'test:pass') say(`passed: ${event.data.name}`);
    if (event.type === 'test:fail') violations.add(`${event.data.name}: ${event.data.details.error.cause}`);
    if (event.type !== 'test:diagnostic') continue;
    // The tests report what they counted, for example `20 kills`.
    const [, count, what] = /^(\d+) (.*)$/.exec(event.data.message) ?? [];
    if (what !== undefined) counts[what] = (counts[what] ?? 0) + Number(count);
  }
  return { counts, versions: {}, ...violations.result() };
});
