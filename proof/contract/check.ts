/** Compares the responses to random requests with the model of test/plants/model.ts, in several stores at a time. */
import fc from 'fast-check';
import { SERVER_VARIABLE, startPostgres } from '../../test/harness/postgres.ts';
import { startTestService, type TestService } from '../../test/harness/service.ts';
import { empty } from '../../test/plants/empty.ts';
import { anyRequest, type Model } from '../../test/plants/model.ts';
import { createViolations, runCheck, say } from '../outcome.ts';

/** Clients at the same time. Each has its own store. */
const CLIENTS = 16;
/** Requests to each engine. */
const REQUESTS = 500_000;
const SHORT_REQUESTS = 5_000;

await runCheck(async ({ short, seed, control }) => {
  const { add, result } = createViolations();
  const attack = async (requests: number) => {
    await using service = await startTestService({ defect: control });
    return await send(service, requests, seed, add);
  };
  const counts = { 'requests to SQLite': await attack(short ? SHORT_REQUESTS : REQUESTS), 'requests to PostgreSQL': 0 };
  if (!short) {
    const server = await startPostgres();
    process.env['TEST_ENGINE'] = 'postgres';
    process.env[SERVER_VARIABLE] = server.url;
    try {
      counts['requests to PostgreSQL'] = await attack(REQUESTS);
    } finally {
      await server.remove();
    }
  }
  return { counts, versions: { 'fast-check': fc.__version }, ...result() };
});

/** Sends requests until there are enough or one gets a wrong response. Returns their number. */
async function send(service: TestService, most: number, seed: number, add: (violation: string) => void) {
  let requests = 0;
  let isBroken = false;
  const run = async (number: number) => {
    const store = `store-${number}`;
    const client = await service.as({ store });
    const counted: typeof client = {
      ...client,
      send(...args) {
        if (++requests % 50_000 === 0) say(`${requests} requests`);
        return client.send(...args);
      },
    };
    const real = { client: counted, restart: service.restart, tags: new Map<string, string>() };
    const property = fc.asyncProperty(fc.commands([anyRequest], { maxCommands: 60, size: '+1' }), async (sequence) => {
      await empty(service, store);
      await fc.asyncModelRun(() => ({ model: new Map() as Model, real }), sequence);
    });
    for (let round = 0; requests < most && !isBroken; round++) {
      const details = await fc.check(property, { seed: seed + round * CLIENTS + number, numRuns: 5 });
      if (!details.failed) continue;
      isBroken = true;
      add(`${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => run(number)));
  return requests;
}
