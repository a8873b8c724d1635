/**
 * `npm run bench`: the servers side by side under every workload, interleaved and repeated. `--full --write` makes
 * docs/benchmark; without them it shows in a minute or two that all of it runs.
 */
import { type Choices, readChoices, USAGE } from './choices.ts';
import { tables } from './report.ts';
import { measureAll } from './rounds.ts';

const choices = chosen();
const figures = { ...(await measureAll(choices, say)), soak: undefined };
process.stdout.write(`${tables(figures)}\n`);
console.log(JSON.stringify({ ...figures, sessions: [] }, null, 1));
if (figures.failures.length > 0) process.exitCode = 1;

function chosen(): Choices {
  try {
    return readChoices(process.argv.slice(2), process.env);
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
