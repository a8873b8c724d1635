/** Requests with tokens that belong to no sandbox cost the service little, however many there are. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { generateToken } from '../../../src/auth/token.ts';
import { StoreFailure } from '../../../src/errors.ts';
import type { OpenFeature } from '../../../src/feature.ts';
import { openSandboxes } from '../../../src/features/sandbox/index.ts';
import type { Statements } from '../../../src/stores/engine.ts';
import { DEFAULTS, startTestService } from '../../harness/service.ts';
import { enterSandbox } from './sandbox.ts';

const CONNECTIONS = 32;
const REQUESTS = 100;

/** Sends requests on one connection without waiting for responses, each with another token. Returns the statuses. */
async function flood(port: number, path: string, newToken: () => string): Promise<readonly number[]> {
  const request = (_: unknown, i: number) => {
    const last = i === REQUESTS - 1 ? 'Connection: close\r\n' : '';
    return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${newToken()}\r\n${last}\r\n`;
  };
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(Array.from({ length: REQUESTS }, request).join(''));
  return (await text(socket)).match(/(?<=HTTP\/1\.1 )\d+/g)?.map(Number) ?? [];
}

/** Sandboxes whose look-ups by tokens are counted. */
function countLookUps() {
  let current = 0;
  const counts = {
    /** The hashes of tokens that were looked up. */
    hashes: new Set<unknown>(),
    /** The most look-ups at the same time. */
    most: 0,
    open(context: Parameters<OpenFeature>[0]) {
      const read: Statements['read'] = async (sql, values = []) => {
        if (!sql.includes('WHERE hash')) return context.engine.statements.read(sql, values);
        for (const hash of values) counts.hashes.add(hash);
        counts.most = Math.max(counts.most, ++current);
        try {
          return await context.engine.statements.read(sql, values);
        } finally {
          current--;
        }
      };
      const engine = { ...context.engine, statements: { ...context.engine.statements, read } };
      return openSandboxes(DEFAULTS)({ ...context, engine });
    },
  };
  return counts;
}

const wrongChecksum = () => `pss_${'0'.repeat(30)}${generateToken('').slice(30)}`;
for (const [kind, path, status, lookedUp, newToken] of [
  ['unknown tokens', '/plants', 401, CONNECTIONS * REQUESTS, () => generateToken('pss_')],
  ['unknown tokens and a path that does not exist', '/nope', 404, 0, () => generateToken('pss_')],
  ['tokens with a wrong checksum', '/plants', 401, 0, wrongChecksum],
  ['malformed tokens', '/plants', 401, 0, () => `pss_${crypto.randomUUID()}`],
] as const) {
  test(`${kind} are looked up ${lookedUp === 0 ? 'never' : 'by one query at a time'}, and disturb nobody`, async () => {
    const lookUps = countLookUps();
    await using service = await startTestService({ features: [lookUps.open], databaseConnections: 1 });
    const sandbox = await enterSandbox(service);
    assert.equal((await sandbox.send('GET', '/plants')).status, 200);
    const own = lookUps.hashes.size;
    assert.equal(own, 1);
    const port = Number(new URL(service.client.url).port);
    let isOver = false;
    const strangers = Promise.all(Array.from({ length: CONNECTIONS }, () => flood(port, path, newToken))).finally(
      () => {
        isOver = true;
      },
    );
    for (let id = 1; !isOver; id++) {
      for (const client of [service.client, sandbox]) {
        assert.equal((await client.send('POST', '/plants', { body: { id, name: 'Aloe' } })).status, 200);
      }
    }
    for (const statuses of await strangers) assert.deepEqual(statuses, Array(REQUESTS).fill(status));
    assert.deepEqual([lookUps.hashes.size - own, lookUps.most], [lookedUp, 1]);
    sandbox.close();
  });
}

test('tokens that wait while a query fails get its failure, and equal tokens are looked up once', async () => {
  const tokens = Array.from({ length: 60 }, () => generateToken('pss_')).flatMap((token) => [token, token]);
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  const queries: (readonly unknown[])[] = [];
  let waiting = 0;
  const failing: OpenFeature = (context) => {
    const read: Statements['read'] = (sql, values = []) => {
      if (!sql.includes('WHERE hash')) return context.engine.statements.read(sql, values);
      queries.push(values);
      return failed;
    };
    const engine = { ...context.engine, statements: { ...context.engine.statements, read } };
    return openSandboxes(DEFAULTS)({ ...context, engine });
  };
  const counting: OpenFeature = () => ({
    steps: (own) => ({
      ...own,
      authenticate(exchange) {
        const credential = own.authenticate(exchange);
        if (++waiting === tokens.length) fail(new StoreFailure('unreachable'));
        return credential;
      },
    }),
  });
  await using service = await startTestService({ features: [failing, counting] });
  const send = (token: string) =>
    fetch(`${service.client.url}/plants`, { headers: { Authorization: `Bearer ${token}` } });
  const responses = await Promise.all(tokens.map(send));
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([503]));
  // Another query would wait just as long for the same failure.
  assert.equal(queries.length, 1);
  assert.equal(new Set(queries[0]).size, queries[0]?.length);
});
