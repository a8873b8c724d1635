/**
 * The contract suite as a black box. It gets only the URL and the tokens of a service, in the variables of
 * `plantstore grade`. It prints each rule that does not hold, and exits with 1 if there is any. With `--first` it ends
 * at the first such rule. With `--events` it checks only the feed of events.
 */
import { CHECKS, findBroken } from './checks.ts';
import { EVENT_CHECKS } from './checks-events.ts';

const variable = (name: string): string => {
  const value = process.env[`PLANTSTORE_${name}`];
  if (value === undefined) throw new Error(`PLANTSTORE_${name} is not set`);
  return value;
};

const tokens = {
  token: variable('TOKEN'),
  readToken: variable('READ_TOKEN'),
  expiredToken: variable('EXPIRED_TOKEN'),
  revokedToken: variable('REVOKED_TOKEN'),
  otherToken: variable('OTHER_TOKEN'),
};
const checks = process.argv.includes('--events') ? EVENT_CHECKS : CHECKS;
const seed = Number(process.env['PLANTSTORE_SEED'] ?? 1);
for await (const { rule, error } of findBroken(variable('URL'), tokens, seed, checks)) {
  process.exitCode = 1;
  process.stdout.write(`Does not hold: ${rule}\n  ${String(error).replaceAll('\n', '\n  ')}\n`);
  if (process.argv.includes('--first')) process.exit();
}
process.stdout.write(`${Object.keys(checks).length} checks\n`);
