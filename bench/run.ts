/**
 * `npm run bench`: the servers side by side under every workload, interleaved and repeated. `--full --write` makes
 * docs/benchmark; without them it shows in a minute or two that all of it runs.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { type Choices, readChoices, USAGE } from './choices.ts';
import { publish, published } from './publish.ts';
import { report } from './report.ts';
import { measureAll } from './rounds.ts';

const choices = chosen();
if (choices.extras.includes('ready') || choices.extras.includes('ready-10m')) {
  say('building the executable');
  execFileSync(process.execPath, ['scripts/build.ts'], {
    cwd: new URL('..', import.meta.url),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
// A soak is a run of its own, with a date and a commit of its own: it stays.
const figures = { ...(await measureAll(choices, say)), soak: published()?.soak };
process.stdout.write(report(figures, []));
if (choices.write) publish(figures);
if (figures.failures.length > 0) process.exitCode = 1;

function chosen(): Choices {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    process.exit();
  }
  try {
    if (spawnSync('wrk').error !== undefined) throw new TypeError('wrk is not installed');
    return readChoices(args, process.env);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`bench: ${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** Beside the figures, so that those can go into a file. */
function say(text: string): void {
  process.stderr.write(`${new Date().toLocaleTimeString('en-GB')} ${text}\n`);
}
