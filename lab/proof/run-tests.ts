/** Runs files of tests for a check. Each failed test is a violation. */
import { resolve } from 'node:path';
import { run } from 'node:test';
import { say, type Violations } from './outcome.ts';
import { ROOT } from './record.ts';

/** `files`: relative to the root of the repository. Resolves to what the tests counted, for example `20 kills`. */
export async function runTests(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  violations: Violations,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const paths = files.map((file) => resolve(ROOT, file));
  for await (const event of run({ files: paths, env: { ...process.env, ...env } })) {
    if (event.type === 'test:pass') say(`passed: ${event.data.name}`);
    if (event.type === 'test:fail') violations.add(`${event.data.name}: ${event.data.details.error.cause}`);
    if (event.type !== 'test:diagnostic') continue;
    const [, count, what] = /^(\d+) (.*)$/.exec(event.data.message) ?? [];
    if (what !== undefined) counts[what] = (counts[what] ?? 0) + Number(count);
  }
  return counts;
}
