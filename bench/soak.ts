/**
 * `node bench/soak.ts [--minutes 10] [--workload create-random] [--write]`: the memory of Plant Store under full load,
 * every 30 seconds, and its trend. --write puts it into docs/benchmark.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { PLANT_STORE } from './contenders.ts';
import type { Soak } from './figures.ts';
import { trendOf } from './goals.ts';
import { describeCommit } from './machine.ts';
import { publish, published } from './publish.ts';
import type { Server } from './servers.ts';
import { loader, onServer } from './session.ts';
import { median } from './statistics.ts';
import { WORKLOADS } from './workloads.ts';

const INTERVAL_SECONDS = 30;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    workload: { type: 'string', default: 'create-random' },
    write: { type: 'boolean', default: false },
  },
});
const workload = WORKLOADS.find(({ name }) => name === values.workload);
if (workload === undefined) throw new TypeError(`there is no workload ${values.workload}`);
const minutes = Number(values.minutes);
if (!(minutes >= INTERVAL_SECONDS / 60)) throw new TypeError('--minutes must be a number from 0.5 on');

const soak = await onServer(PLANT_STORE, workload, {}, async (server): Promise<Soak> => {
  const run = loader(server, workload);
  const samples: Soak['samples'][number][] = [];
  let requests = 0;
  for (let seconds = INTERVAL_SECONDS; seconds <= minutes * 60; seconds += INTERVAL_SECONDS) {
    const seen = run(INTERVAL_SECONDS);
    const megabytes = await memoryDuring(server, seen);
    requests += (await seen).requests;
    samples.push({ minutes: seconds / 60, megabytes });
    process.stdout.write(`${(seconds / 60).toFixed(1)} min  ${megabytes.toFixed(1)} MB  ${requests} requests\n`);
  }
  const [date, commit] = [new Date().toISOString().slice(0, 10), describeCommit()];
  return { date, commit, workload: workload.title, requests, samples };
});

const trend = trendOf(soak);
if (trend !== undefined) process.stdout.write(`${trend.toFixed(2)} MB a minute once it has settled\n`);
const figures = published();
if (values.write && figures !== undefined) publish({ ...figures, soak });

/** The median of what the server held each second until the load ended. */
async function memoryDuring(server: Server, load: Promise<unknown>): Promise<number> {
  const held: number[] = [];
  let ended = false;
  const end = load.finally(() => {
    ended = true;
  });
  while (!ended) {
    held.push(server.residentMemory());
    await Promise.race([sleep(1_000), end]);
  }
  return median(held) ?? Number.NaN;
}
