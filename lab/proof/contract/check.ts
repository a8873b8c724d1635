/** Compares the responses to random requests with a model of each description, for several clients at a time. */

import fc from 'fast-check';
import * as events from '../../../test/features/events/model.ts';
import { clear, enterStore } from '../../../test/features/events/store.ts';
import * as sandboxes from '../../../test/features/sandbox/model.ts';
import type { Client } from '../../../test/harness/client.ts';
import { SERVER_VARIABLE, startPostgres } from '../../../test/harness/postgres.ts';
import { startTestService, type TestOptions, type TestService } from '../../../test/harness/service.ts';
import { empty } from '../../../test/plants/empty.ts';
import * as plants from '../../../test/plants/model.ts';
import { plantDefect } from '../../defects/index.ts';
import { createViolations, runCheck, say } from '../outcome.ts';

/** Clients at the same time. Each has its own store. */
const CLIENTS = 16;
/** The features that have a description. Each run makes two or more sandboxes. */
const FEATURES: TestOptions = { sandboxes: 100_000, sandboxesPerAddress: 100_000, events: true };

/** What a client needs for its runs. */
interface Place {
  readonly service: TestService;
  readonly store: string;
  /** Writes to the store. No other client does. */
  readonly client: Client;
}

/** A model of the operations of a description. */
interface Model {
  /** What the requests are for. */
  readonly name: string;
  /** The requests to each engine, and in a short run. */
  readonly requests: number;
  readonly shortRequests: number;
  /** Returns the property that one client checks in every run. */
  readonly propertyIn: (place: Place) => ReturnType<typeof property> | Promise<ReturnType<typeof property>>;
}

const property = <State extends object, Real extends object>(
  commands: fc.Arbitrary<fc.AsyncCommand<State, Real>>,
  run: (sequence: Iterable<fc.AsyncCommand<State, Real>>) => Promise<void>,
): fc.IAsyncProperty<unknown> => fc.asyncProperty(fc.commands([commands], { maxCommands: 60, size: '+1' }), run);

const MODELS: readonly Model[] = [
  {
    name: 'plants',
    requests: 500_000,
    shortRequests: 5_000,
    propertyIn({ service, store, client }) {
      const real = { client, restart: service.restart, tags: new Map<string, string>() };
      return property(plants.anyRequest, async (sequence) => {
        await empty(service, store);
        await fc.asyncModelRun(() => ({ model: new Map() as plants.Model, real }), sequence);
      });
    },
  },
  {
    name: 'sandboxes',
    requests: 100_000,
    shortRequests: 10_000,
    propertyIn({ service, client }) {
      const real = { client, restart: service.restart };
      return property(sandboxes.anyRequest, (sequence) => sandboxes.runInSandboxes(real, sequence));
    },
  },
  {
    name: 'events',
    requests: 50_000,
    shortRequests: 5_000,
    async propertyIn({ service, store, client }) {
      const real = { ...(await enterStore(service, store)), client };
      return property(events.anyEventRequest, async (sequence) => {
        await clear(service, store);
        await fc.asyncModelRun(() => ({ model: events.createModel(), real }), sequence);
      });
    },
  },
];

await runCheck(async ({ short, seed, control }) => {
  const { add, result } = createViolations();
  const counts: Record<string, number> = {};
  const attack = async (engine: string) => {
    await using service = await startTestService({
      ...FEATURES,
      features: control === undefined ? [] : [plantDefect(control)],
    });
    for (const model of MODELS) {
      const most = short ? model.shortRequests : model.requests;
      // What breaks the claim on purpose needs no shortest example.
      const parameters = { seed, endOnFailure: control !== undefined };
      counts[`requests for ${model.name} to ${engine}`] = await send(service, model, most, parameters, add);
      if (result().violations > 0) return;
    }
  };
  await attack('SQLite');
  if (!short) {
    const server = await startPostgres();
    process.env['TEST_ENGINE'] = 'postgres';
    process.env[SERVER_VARIABLE] = server.url;
    try {
      await attack('PostgreSQL');
    } finally {
      await server.remove();
    }
  }
  return { counts, versions: { 'fast-check': fc.__version }, ...result() };
});

/** Sends requests until there are enough or one gets a wrong response. Returns their number. */
async function send(
  service: TestService,
  { name, propertyIn }: Model,
  most: number,
  parameters: { readonly seed: number; readonly endOnFailure: boolean },
  add: (violation: string) => void,
): Promise<number> {
  let requests = 0;
  let isBroken = false;
  const run = async (number: number) => {
    const store = `store-${number}`;
    const client = await service.as({ store });
    const counted: Client = {
      ...client,
      send(...args) {
        if (++requests % 50_000 === 0) say(`${requests} requests for ${name}`);
        return client.send(...args);
      },
    };
    const checked = await propertyIn({ service, store, client: counted });
    for (let round = 0; requests < most && !isBroken; round++) {
      const seed = parameters.seed + round * CLIENTS + number;
      const details = await fc.check(checked, { ...parameters, seed, numRuns: 5 });
      if (!details.failed) continue;
      isBroken = true;
      add(`${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => run(number)));
  return requests;
}
