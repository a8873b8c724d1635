/** The service as shipped, on an engine that keeps nothing: what the store costs is the difference. */
import { startService } from '../src/cli/service.ts';
import { createLogger } from '../src/observe/log.ts';
import type { Engine } from '../src/stores/engine.ts';

const engine: Engine = {
  location: 'nowhere',
  plants: {
    create: async () => 'created',
    get: async () => undefined,
    list: async () => [],
    replace: async () => 'absent',
    delete: async () => 'absent',
  },
  tokens: {
    add: async () => {},
    addFirst: async () => false,
    list: async () => [],
    revoke: async () => 0,
    revision: async () => 0n,
  },
  cursorKey: new Uint8Array(32),
  close: async () => {},
};

const service = await startService(engine, {
  host: '127.0.0.1',
  port: 0,
  baseUrl: undefined,
  tls: undefined,
  token: process.env['PLANTSTORE_TOKEN'],
  limits: { maxBody: 65_536, maxHeader: 16_384, requestTimeout: 10_000, maxConnections: 10_000 },
  now: Date.now,
  log: createLogger('info', process.stderr),
});
console.log(`ready at http://127.0.0.1:${service.address.port}`);
process.once('SIGTERM', () => process.exit());
