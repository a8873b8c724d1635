/**
 * `npm run bench` measures the servers side by side, interleaved and repeated. Without options it takes two minutes and
 * only shows that everything runs. `--full --write` makes docs/benchmark again. `--ratios` compares only the CPU time
 * of requests, in five rounds. `--guard` compares it with the last release. `--scale` measures stores of 10^4, 10^6 and
 * 10^7 plants. `--against DIR` compares this checkout with another.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommandLine, refuse } from '../../scripts/command-line.ts';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { measureCheckout } from './checkout.ts';
import type { Figures } from './figures.ts';
import { compareWithLastRelease, GUARDED } from './guard.ts';
import { COLUMNS, commit, comparison, everyRound, howMeasured, publish, table } from './report.ts';
import { checkSameWork } from './same-work.ts';
import { type Growth, measureGrowth } from './scale.ts';
import { scalePage } from './scale-page.ts';
import { CONTENDERS, NotInstalled, ON_NODE, plantStore, ROOT } from './servers.ts';
import { sideBySide } from './side-by-side.ts';
import { requireWrk } from './wrk.ts';

const { values } = readCommandLine(import.meta.filename, {
  options: {
    full: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    ratios: { type: 'boolean', default: false },
    guard: { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    database: { type: 'string', default: 'sqlite,postgres' },
    against: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    plants: { type: 'string' },
  },
});
const isLong = values.full || values.scale || values.against !== undefined;
const isRatio = values.ratios || values.guard;
const rounds = Number(values.rounds ?? (isRatio ? 5 : isLong ? 3 : 1));
const seconds = Number(values.seconds ?? (isRatio ? 2 : isLong ? 3 : 1));
const amount = { seconds, plants: Number(values.plants ?? (isLong ? 1_000_000 : 20_000)) };
requireWrk();
try {
  if (values.guard) await guard();
  else if (values.ratios) await compareOnNode();
  else if (values.scale) await scale();
  else await compareAll();
} catch (error) {
  if (error instanceof NotInstalled) refuse(error.message);
  throw error;
}
// The package of the embedded server keeps hooks that would prevent the process from ending.
process.exit();

async function compareAll(): Promise<void> {
  const postgres = await startPostgres();
  try {
    if (values.against === undefined) await compareServers(postgres);
    else await compareCheckouts(resolve(values.against), postgres);
  } finally {
    await postgres.remove();
  }
}

async function guard(): Promise<void> {
  const found = await compareWithLastRelease({ rounds, seconds }, say);
  process.stdout.write(`${typeof found === 'string' ? `bench: not compared: ${found}` : found.report}\n`);
}

async function compareOnNode(): Promise<void> {
  const contenders = CONTENDERS.filter(({ name }) => ON_NODE.includes(name));
  await checkPeers();
  const measured = await sideBySide(contenders, { rounds, seconds, hasLatency: false }, say);
  process.stdout.write(`${commit(ROOT)}\n\n${everyRound(measured, 'Plant Store', GUARDED)}\n`);
}

async function scale(): Promise<void> {
  const sizes = (values.plants ?? '10000,1000000,10000000').split(',').map(Number);
  const parts = new Map<string, Growth>();
  for (const engine of values.database.split(',')) {
    say(engine);
    const postgres = engine === 'postgres' ? await startPostgres() : undefined;
    try {
      const name = postgres === undefined ? 'SQLite' : 'PostgreSQL';
      parts.set(name, await measureGrowth({ sizes, rounds, seconds }, postgres, say));
    } finally {
      await postgres?.remove();
    }
  }
  const page = scalePage(parts, howMeasured({ rounds, seconds }));
  process.stdout.write(page);
  if (values.write) writeFileSync(join(ROOT, 'docs/benchmark/scale.md'), page);
}

function checkPeers(): Promise<void> {
  return checkSameWork(
    plantStore(ROOT),
    CONTENDERS.filter(({ doesSameWork }) => doesSameWork),
    say,
  );
}

async function compareCheckouts(other: string, postgres: PostgresServer): Promise<void> {
  const here: Figures[] = [];
  const there: Figures[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}`);
    // The order alternates, so that other work of the machine affects both alike.
    const order = round % 2 === 1 ? [here, there] : [there, here];
    for (const list of order) list.push(await measureCheckout(list === here ? ROOT : other, amount, postgres));
  }
  process.stdout.write(`${commit(ROOT)} here, ${commit(other)} there\n\n${comparison(here, there)}\n`);
}

async function compareServers(postgres: PostgresServer): Promise<void> {
  await checkPeers();
  const servers = await sideBySide(CONTENDERS, { rounds, seconds, hasLatency: true }, say);
  const own: Figures[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}: more of Plant Store`);
    own.push(await measureCheckout(ROOT, amount, postgres));
  }
  process.stdout.write(`${table(servers, COLUMNS)}\n\n${table(new Map([['', own]]), Object.keys(own[0] ?? {}))}\n`);
  if (values.write) publish(servers, own, howMeasured({ rounds, seconds }));
}

/** Prints progress on standard error, so that standard output has only the figures. */
function say(text: string): void {
  process.stderr.write(`${new Date().toLocaleTimeString('en-GB')} ${text}\n`);
}
