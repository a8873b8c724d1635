/** Owns how long a start takes: from the start of the process to its first answer with 200. */
import { rmSync } from 'node:fs';
import { type Contender, EXECUTABLE, PLANT_STORE } from './contenders.ts';
import { directoryWith } from './databases.ts';
import type { Ready } from './figures.ts';
import { start } from './servers.ts';

const STARTS = 7;

/** Every server on nothing: in a new directory each time. */
export async function measureReady(contender: Contender): Promise<Ready> {
  const milliseconds = await startTimes(async () => {
    const directory = await directoryWith(contender, { stored: 0, ids: 'random' });
    const time = await readyIn(contender, directory);
    rmSync(directory, { recursive: true });
    return time;
  });
  return { server: contender.name, stored: 0, milliseconds };
}

/** Plant Store on many plants: started again and again on the same ones, as a service is. */
export async function measureReadyOn(stored: number): Promise<readonly Ready[]> {
  const directory = await directoryWith(PLANT_STORE, { stored, ids: 'random' });
  const found: Ready[] = [];
  for (const contender of [PLANT_STORE, EXECUTABLE]) {
    found.push({
      server: contender.name,
      stored,
      milliseconds: await startTimes(() => readyIn(contender, directory)),
    });
  }
  rmSync(directory, { recursive: true });
  return found;
}

/** The first is not counted: code that it compiles is kept. */
async function startTimes(once: () => Promise<number>): Promise<readonly number[]> {
  await once();
  const times: number[] = [];
  for (let i = 0; i < STARTS; i++) times.push(await once());
  return times;
}

async function readyIn(contender: Contender, directory: string): Promise<number> {
  const server = await start(contender, directory);
  await server.stop();
  return server.readyAfter;
}
