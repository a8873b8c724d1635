/** Owns how long a start takes: from the start of the process to its first answer with 200. */
import { rmSync } from 'node:fs';
import { type Contender, EXECUTABLE, isInstalled, PLANT_STORE } from './contenders.ts';
import { directoryWith } from './databases.ts';
import type { Ready } from './figures.ts';
import { start } from './servers.ts';

const STARTS = 7;

/** Every server on nothing: on a new directory each time. */
export async function measureReady(contender: Contender): Promise<Ready> {
  const milliseconds: number[] = [];
  // Once more than is counted: code that is compiled at the first start is kept.
  for (let i = 0; i <= STARTS; i++) {
    const directory = await directoryWith(contender, 0);
    if (i > 0) milliseconds.push(await readyIn(contender, directory));
    else await readyIn(contender, directory);
    rmSync(directory, { recursive: true, force: true });
  }
  return { server: contender.name, stored: 0, milliseconds };
}

/** Plant Store on many plants: started again and again on the same ones, as a service is. */
export async function measureReadyOn(stored: number): Promise<readonly Ready[]> {
  const directory = await directoryWith(PLANT_STORE, stored);
  const found: Ready[] = [];
  for (const contender of [PLANT_STORE, EXECUTABLE].filter(isInstalled)) {
    const milliseconds: number[] = [];
    for (let i = 0; i < STARTS; i++) milliseconds.push(await readyIn(contender, directory));
    found.push({ server: contender.name, stored, milliseconds });
  }
  rmSync(directory, { recursive: true, force: true });
  return found;
}

async function readyIn(contender: Contender, directory: string): Promise<number> {
  const server = await start(contender, directory);
  await server.stop();
  return server.readyAfter;
}
