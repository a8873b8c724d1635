/** The service as shipped, on an engine that keeps nothing: what the store costs is the difference. */
import { startService } from '../src/cli/service.ts';
import { createLogger } from '../src/observe/log.ts';
import type { StoredPlant } from '../src/plants/plant.ts';
import type { Engine } from '../src/stores/engine.ts';

const PLANT: StoredPlant = { id: 12n, name: 'Aloe vera 12', tag: 'succulent' };
/** A page of 100 has as many digits in its ids as one of random ids. */
const PLANTS = Array.from({ length: 101 }, (_, i) => ({ ...PLANT, id: 4_503_599_627_370_496n + BigInt(i) }));

const engine: Engine = {
  location: 'nowhere',
  plants: {
    create: async () => 'created',
    createMany: async (_store, plants) => plants.map(() => 'created'),
    get: async (_store, id) => ({ ...PLANT, id, version: 1n }),
    list: async (_store, { limit }) => PLANTS.slice(0, limit),
    replace: async (_store, plant) => ({ ...plant, version: 2n }),
    delete: async () => 'absent',
    snapshot: async function* () {},
  },
  tokens: {
    add: async () => {},
    addFirst: async () => false,
    list: async () => [],
    revoke: async () => 0,
    revision: async () => 0n,
  },
  cursorKey: new Uint8Array(32),
  waiting: () => 0,
  check: async () => [],
  close: async () => {},
};

await startService(engine, {
  host: '127.0.0.1',
  port: Number(process.env['PORT']),
  baseUrl: undefined,
  tls: undefined,
  token: process.env['PLANTSTORE_TOKEN'],
  limits: { maxBody: 65_536, maxUnread: 2 ** 30, maxHeader: 16_384, requestTimeout: 10_000, maxConnections: 10_000 },
  now: Date.now,
  log: createLogger('info', process.stderr),
});
process.once('SIGTERM', () => process.exit());
