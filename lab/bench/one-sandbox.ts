/**
 * `node lab/bench/one-sandbox.ts` compares the CPU time of a create in a sandbox with that of a create in an ordinary
 * store. One service gets short series of creates in one and in the other, which alternate. So the load of the machine
 * and the growth of the database affect both alike. `--checkout ../other` measures the service of another checkout.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { readCommandLine } from '../../scripts/command-line.ts';
import { inDirectory } from './checkout.ts';
import { spread } from './figures.ts';
import { ROOT } from './servers.ts';
import { CONNECTIONS, TOKEN } from './wrk.ts';

/** The most plants of a sandbox. */
const MAX_PLANTS = 10_000;

/** Creates plants with the ids after `stored`. The client responds once all are stored. */
interface Series {
  readonly url: string;
  readonly token: string;
  readonly stored: number;
  readonly creates: number;
}

if (isMainThread) await compare();
else serveSeries();

async function compare(): Promise<void> {
  const { values } = readCommandLine(import.meta.filename, {
    options: {
      rounds: { type: 'string', default: '200' },
      creates: { type: 'string', default: '1000' },
      checkout: { type: 'string', default: ROOT },
    },
  });
  const creates = Number(values.creates);
  const rounds = Number(values.rounds);
  const { startPlantStore }: typeof import('../../src/index.ts') = await import(
    join(resolve(values.checkout), 'src/index.ts')
  );
  const outside: number[] = [];
  const inside: number[] = [];
  /** A sandbox has room for this number of rounds. Each service then begins with empty stores. */
  const together = Math.max(2, Math.floor(MAX_PLANTS / creates));
  while (inside.length < rounds) {
    await inDirectory(async (directory) => {
      const database = `sqlite:${join(directory, 'plants.db')}`;
      const args = `--database ${database} --sandbox-plants ${MAX_PLANTS} --sandbox-size 1024MiB`.split(' ');
      await using service = await startPlantStore({ token: TOKEN, sandboxes: true, args });
      const client = new Worker(new URL(import.meta.url));
      const measure = async (token: string, round: number) => {
        const before = [process.cpuUsage(), await client.cpuUsage()] as const;
        client.postMessage({ url: service.url, token, stored: round * creates, creates } satisfies Series);
        await once(client, 'message');
        const clients = await client.cpuUsage(before[1]);
        const all = process.cpuUsage(before[0]);
        return (all.user + all.system - clients.user - clients.system) / creates;
      };
      const { token } = await service.sandbox();
      for (let round = 0; round < together; round++) {
        const isSandboxFirst = round % 2 === 0;
        const first = await measure(isSandboxFirst ? token : TOKEN, round);
        const second = await measure(isSandboxFirst ? TOKEN : token, round);
        // The first round warms up.
        if (round === 0) continue;
        inside.push(isSandboxFirst ? first : second);
        outside.push(isSandboxFirst ? second : first);
      }
      await client.terminate();
    });
  }
  const show = (name: string, list: readonly number[], digits: number) => {
    const sorted = list.toSorted((a, b) => a - b);
    const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]?.toFixed(digits);
    process.stdout.write(`${name}: ${spread(list).median.toFixed(digits)} (quartiles ${at(0.25)} and ${at(0.75)})\n`);
  };
  show('µs of CPU for a create in a store', outside, 1);
  show('µs of CPU for a create in a sandbox', inside, 1);
  show(
    'sandbox divided by store',
    inside.map((cpu, i) => cpu / (outside[i] ?? Number.NaN)),
    2,
  );
}

function serveSeries(): void {
  const port = parentPort;
  if (port === null) throw new Error('this part runs in a worker');
  let sockets: readonly Socket[] = [];
  port.on('message', async (series: Series) => {
    const { hostname, port: number } = new URL(series.url);
    if (sockets.length === 0) {
      sockets = Array.from({ length: CONNECTIONS }, () => connect(Number(number), hostname));
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    }
    let next = 0;
    const requestOf = (index: number) => {
      const body = `{"id":${index},"name":"Aloe vera ${index}","tag":"succulent"}`;
      const fields = [`Host: ${hostname}`, `Authorization: Bearer ${series.token}`, 'Content-Type: application/json'];
      return `POST /plants HTTP/1.1\r\n${fields.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    await Promise.all(
      sockets.map(async (socket) => {
        while (next < series.creates) {
          socket.write(requestOf(series.stored + next++));
          const [response] = (await once(socket, 'data')) as [Buffer];
          if (!response.toString('latin1', 0, 13).endsWith(' 200 ')) throw new Error(response.toString());
        }
      }),
    );
    port.postMessage('done');
  });
}
