/** Runs the attacks of lab/bench/attacks together and reads their results. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createViolations, runCheck } from '../outcome.ts';
import { ROOT } from '../record.ts';

const SHORT = ['--attack', 'delayed-lists,leftovers', '--seconds', '3'];
const FULL = ['--seconds', '60'];

/** On a busy machine a control may need longer until it does its harm. */
const LONGER = ['--seconds', '100'];

const CONTROLS: Readonly<Record<string, readonly string[]>> = {
  // Each sandbox may then take 16 times the disk space that the check allows.
  'sandbox-size-raised': ['--attack', 'resets-64', '--seconds', '5', '--options=--sandbox-size 64MiB'],
  // Long lists may then fill the memory.
  'memory-raised': [
    ...['--attack', 'slow-bodies,slow-bodies', '--seconds', '25'],
    '--options=--sandbox-size 64MiB --sandbox-memory 4096MiB --max-unread 4096MiB',
  ],
  'create-lost': ['--attack', 'long-lists', '--seconds', '3', '--options=--defect create-lost'],
};

await runCheck(async ({ short, control }) => {
  const { add, result } = createViolations();
  const counts = { 'confirmed plants': 0, 'requests of attackers': 0 };
  const engines = short ? ['sqlite'] : ['sqlite', 'postgres'];
  for (const engine of engines) {
    const attacks = control === undefined ? (short ? SHORT : FULL) : (CONTROLS[control] ?? []);
    let output = await attack(['--database', engine, ...attacks]);
    if (control !== undefined && harmIn(output).length === 0)
      output = await attack(['--database', engine, ...attacks, ...LONGER]);
    counts['confirmed plants'] += Number(/of (\d+) confirmed plants/.exec(output)?.[1]);
    const got = /attackers got (\{.*\})/.exec(output)?.[1] ?? '{}';
    counts['requests of attackers'] += Object.values<number>(JSON.parse(got)).reduce((sum, one) => sum + one, 0);
    for (const line of harmIn(output)) add(`${engine}: ${line}`);
    for (const row of rowsOf(output)) {
      if (row['5xx'] !== '0') add(`${engine}: the ${row['client']} got ${row['5xx']} responses with 5xx`);
    }
  }
  return { counts, versions: {}, ...result() };
});

function harmIn(output: string): readonly string[] {
  return output.match(/^NOT OK.*$/gm) ?? [];
}

/** Returns what the command prints. Throws if it did not come to its last result. */
async function attack(options: readonly string[]): Promise<string> {
  const args = ['lab/bench/attacks/run.ts', '--all-together', '--rounds', '1', ...options];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const output = `${stderr}\n${stdout}`;
  process.stderr.write(output);
  if (!/of \d+ confirmed plants/.test(stdout)) throw new Error(output);
  return output;
}

/** The rows of a table in Markdown, by the heads of its columns. */
function rowsOf(output: string): readonly Readonly<Record<string, string>>[] {
  const lines = output.split('\n').filter((line) => line.startsWith('| '));
  const [heads = [], , ...rows] = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.map((cells) => Object.fromEntries(heads.map((head, i) => [head, cells[i] ?? ''])));
}
