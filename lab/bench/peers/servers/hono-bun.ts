/** Hono on Bun and bun:sqlite: `PLANTSTORE_TOKEN=… PORT=… DATABASE=… bun hono-bun.ts`. */
import { openPlants } from './bun-sqlite.ts';
import { createApp } from './hono.ts';
import { announce, DATABASE, HOST, PORT, TOKEN } from './settings.ts';

const { fetch } = createApp(openPlants(DATABASE, TOKEN));
Bun.serve({ fetch, hostname: HOST, port: PORT });
announce();
