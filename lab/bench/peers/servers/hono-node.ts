/** Hono on Node and better-sqlite3: `PLANTSTORE_TOKEN=… PORT=… DATABASE=… node hono-node.ts`. */
import { serve } from '@hono/node-server';
import { openPlants } from './better-sqlite.ts';
import { createApp } from './hono.ts';
import { announce, DATABASE, HOST, PORT, TOKEN } from './settings.ts';

const { fetch } = createApp(openPlants(DATABASE, TOKEN));
serve({ fetch, hostname: HOST, port: PORT }, announce);
