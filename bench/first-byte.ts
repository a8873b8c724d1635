/** `node bench/first-byte.ts`: how long the documentation page takes to its first byte, the first time and after. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { PLANT_STORE } from './contenders.ts';
import { directoryWith } from './databases.ts';
import { withSpread } from './format.ts';
import { start } from './servers.ts';
import { spread } from './statistics.ts';

const STARTS = 7;
const REPEATED = 100;

const first: number[] = [];
const later: number[] = [];
const directory = await directoryWith(PLANT_STORE, { stored: 0, ids: 'random' });
for (let i = 0; i < STARTS; i++) {
  const server = await start(PLANT_STORE, directory);
  first.push(await firstByte(server.url));
  for (let n = 0; n < REPEATED; n++) later.push(await firstByte(server.url));
  await server.stop();
}
rmSync(directory, { recursive: true });
process.stdout.write(
  `first byte of /, ms: the first time ${withSpread(spread(first))}, after that ${withSpread(spread(later))}\n`,
);

async function firstByte(url: string): Promise<number> {
  const began = performance.now();
  const [response] = (await once(get(url), 'response')) as [IncomingMessage];
  const time = performance.now() - began;
  await once(response.resume(), 'end');
  return time;
}
