/**
 * `npm run bench:citus` measures creates in many stores through the service, side by side on a plain PostgreSQL and on
 * a Citus cluster on the same machine. It also measures the CPU time of a create on each node. CITUS_CLUSTER names the
 * script that starts a cluster.
 */
import { join } from 'node:path';
import { readCommandLine } from '../../scripts/command-line.ts';
import {
  addTokens,
  distribute,
  layOutTables,
  NODES,
  type Node,
  startCluster,
  urlOf,
} from '../../test/harness/citus.ts';
import { createSchema, startPostgres } from '../../test/harness/postgres.ts';
import { inDirectory, onServer } from './checkout.ts';
import { cpuOfPostgres } from './cost.ts';
import { atFullLoad } from './measure.ts';
import { plantStore, ROOT } from './servers.ts';
import { requireWrk } from './wrk.ts';

const { values } = readCommandLine(import.meta.filename, {
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '4' } },
});
requireWrk();
const STORES = 24;
const SHARDS = 32;
const seconds = Number(values.seconds);

const cluster = await startCluster();
if (cluster === undefined) process.exit();
const postgres = await startPostgres();
try {
  const directories = NODES.map((node) => join(cluster.directory, node));
  const plain: Figures[] = [];
  const distributed: Figures[] = [];
  const onCluster = (node: Node) => measure(cluster.url, directories, (url) => distribute(url, SHARDS), node);
  for (let round = 0; round < Number(values.rounds); round++) {
    plain.push(await measure(postgres.url, [postgres.directory]));
    distributed.push(await onCluster('coord'));
    const onWorker = await onCluster('w1');
    say('plain', plain[round]);
    say('coordinator', distributed[round]);
    say('worker', onWorker);
  }
  const sum = (figures: readonly Figures[]) => figures.reduce((total, { rate }) => total + rate, 0);
  process.stdout.write(`Citus to plain PostgreSQL: ${(sum(distributed) / sum(plain)).toFixed(2)}\n`);
} finally {
  await cluster.remove();
  await postgres.remove();
}
// The package of the embedded server keeps hooks that would prevent the process from ending.
process.exit();

interface Figures {
  /** Creates per second. */
  readonly rate: number;
  /** CPU time of a create in microseconds, in the service and on each node. */
  readonly service: number;
  readonly nodes: readonly number[];
}

/** Prints the figures. `what`: the server that the service uses. The plain server or coordinator is the first node. */
function say(what: string, figures: Figures | undefined): void {
  const { rate = 0, service = 0, nodes = [] } = figures ?? {};
  const cpu = [service, ...nodes].map(Math.round).join(' + ');
  process.stdout.write(`${what}: ${Math.round(rate)} creates/s at ${cpu} µs of CPU (service + nodes)\n`);
}

/** Measures on new tables. `directories`: the servers' data directories. `node`: the node that the service uses. */
async function measure(
  database: string,
  directories: readonly string[],
  prepare: (url: string) => Promise<void> = async () => undefined,
  node: Node = 'coord',
): Promise<Figures> {
  await using schema = await createSchema(database);
  await layOutTables(schema.url);
  await prepare(schema.url);
  const tokens = await addTokens(schema.url, STORES);
  const workload = { request: 'create', ids: 'random', tokens } as const;
  return await inDirectory((directory) =>
    onServer(plantStore(ROOT, urlOf(schema.url, node)), directory, async (server) => {
      const warm = await atFullLoad(server, workload, 0, 1);
      const before = directories.map(cpuOfPostgres);
      const full = await atFullLoad(server, workload, warm.requests, seconds);
      const creates = full.rate * seconds;
      const nodes = directories.map((one, i) => (cpuOfPostgres(one) - (before[i] ?? 0)) / creates);
      return { rate: full.rate, service: full.cpu, nodes };
    }),
  );
}
