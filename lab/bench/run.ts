/**
 * `npm run bench` measures the servers side by side, interleaved and repeated. Without options it takes two minutes and
 * only shows that everything runs. `--full --write` makes docs/benchmark again. `--against DIR` compares this checkout
 * with another.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { readCommandLine } from '../../scripts/command-line.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { inDirectory, measureCheckout, onServer } from './checkout.ts';
import type { Figures } from './figures.ts';
import { atFullLoad, atHalfLoad, UNDER_WAY, type Workload } from './measure.ts';
import { COLUMNS, commit, comparison, publish, table } from './report.ts';
import { CONTENDERS, type Contender, NotInstalled, ROOT } from './servers.ts';

const { values } = readCommandLine(import.meta.filename, {
  options: {
    full: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    against: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    plants: { type: 'string' },
  },
});
const isLong = values.full || values.against !== undefined;
const rounds = Number(values.rounds ?? (isLong ? 3 : 1));
const seconds = Number(values.seconds ?? (isLong ? 3 : 1));
const amount = { seconds, plants: Number(values.plants ?? (isLong ? 1_000_000 : 20_000)) };
if (spawnSync('wrk').error !== undefined) {
  process.stderr.write('bench: wrk is not installed\n');
  process.exit(2);
}

const postgres = await startPostgres();
try {
  if (values.against === undefined) await compareServers();
  else await compareCheckouts(resolve(values.against));
} finally {
  await postgres.remove();
}
// The package of the embedded server keeps hooks that would prevent the process from ending.
process.exit();

async function compareCheckouts(other: string): Promise<void> {
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

async function compareServers(): Promise<void> {
  const servers = new Map(CONTENDERS.map(({ name }) => [name, [] as Figures[]]));
  const own: Figures[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const contender of CONTENDERS) {
      say(`round ${round} of ${rounds}: ${contender.name}`);
      try {
        servers.get(contender.name)?.push(await measure(contender));
      } catch (error) {
        if (!(error instanceof NotInstalled) || process.env['CI'] !== undefined) throw error;
        say(`${error.message}: left out`);
      }
    }
    say(`round ${round} of ${rounds}: more of Plant Store`);
    own.push(await measureCheckout(ROOT, amount, postgres));
  }
  process.stdout.write(`${table(servers, COLUMNS)}\n\n${table(new Map([['', own]]), Object.keys(own[0] ?? {}))}\n`);
  const how =
    `Measured at commit ${commit(ROOT)} in ${rounds} rounds of ${seconds} s each, ` +
    'all servers side by side in each round.';
  if (values.write) publish(servers, own, how);
}

function measure(contender: Contender): Promise<Figures> {
  return inDirectory((directory) =>
    onServer(contender, directory, async (server) => {
      const creates: Workload = { request: 'create', ids: 'sequential' };
      const warm = await atFullLoad(server, creates, 0, seconds);
      const create = await atFullLoad(server, creates, warm.requests, seconds);
      const before = warm.requests + create.requests;
      const half = await atHalfLoad(server, creates, before, create.rate, seconds);
      // Reads only plants that were stored for certain: wrk did not wait for the last responses.
      const stored = Math.max(1, warm.requests - 2 * UNDER_WAY);
      const get = await atFullLoad(server, { ...creates, request: 'get' }, stored, seconds);
      const figures = {
        'create: CPU µs': create.cpu,
        'create: per second': create.rate,
        'create: p99 at half load, ms': half,
        'get: CPU µs': get.cpu,
      };
      if (contender.lists === undefined) return figures;
      const list = await atFullLoad(server, { ...creates, request: 'list' }, 1, seconds);
      return { ...figures, 'list: CPU µs': list.cpu };
    }),
  );
}

/** Prints progress on standard error, so that standard output has only the figures. */
function say(text: string): void {
  process.stderr.write(`${new Date().toLocaleTimeString('en-GB')} ${text}\n`);
}
