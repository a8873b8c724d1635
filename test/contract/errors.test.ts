/** The service can return every error number that the description shows for an operation, with the same message. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storeErrors } from '../../src/errors.ts';
import type { Call, Client, ClientResponse } from '../harness/client.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { examplesOf, type Operation, operations, targetOf } from './document.ts';

/** Provokes one Problem at an operation. */
type Provoke = (at: At) => Promise<ClientResponse>;
interface At {
  readonly service: TestService;
  readonly operation: Operation;
  /** Sends a valid request of the operation for plant 12, which exists, with the given changes. */
  send(client: Client, changes?: Call & { readonly target?: string }): Promise<ClientResponse>;
}

const PROVOKED: Readonly<Record<number, Provoke>> = {
  40001: ({ service, send }) => send(service.client, { body: '' }),
  40002: ({ service, send }) => send(service.client, { headers: { 'Content-Type': 'text/plain' } }),
  40003: ({ service, send }) => send(service.client, { body: { name: 'x'.repeat(70_000) } }),
  40004: ({ service, send }) => send(service.client, { body: '{"id": 12,' }),
  40005: ({ service, send }) => send(service.client, { body: { id: '12' } }),
  40006: ({ service, send, operation }) => {
    const { path, parameters } = operation;
    const number = parameters.find((one) => one.in === 'query' && typeof one.example === 'number');
    if (path.includes('{id}')) return send(service.client, { target: targetOf(operation, 'twelve') });
    if (number !== undefined) return send(service.client, { target: `${targetOf(operation, '12')}?${number.name}=x` });
    // Without such a parameter, the form of the request has to be wrong.
    return send(service.client, {
      body: undefined,
      chunks: ['{}'],
      headers: { 'Transfer-Encoding': 'identity, chunked' },
    });
  },
  40009: ({ service, send }) => send(service.client, { body: { id: 12, name: 'Agave' } }),
  40100: ({ service, send }) => send(service.client, { token: null }),
  40101: ({ service, send }) => send(service.client, { token: 'nobody-has-this-token' }),
  40102: async ({ service, send }) => send(await service.as({ expiresAt: Date.now() - 1 })),
  40300: async ({ service, send }) => send(await service.as({ scopes: [] })),
  40401: async ({ service, send }) => {
    await service.engine.plants.delete('default', 12n, undefined);
    return send(service.client);
  },
  41200: ({ service, send }) => send(service.client, { headers: { 'If-Match': '"stale"' } }),
  50301: async ({ service, send }) => {
    // The first round opens the connections. In later rounds the requests arrive together and fill the queue.
    for (let round = 0; round < 20; round++) {
      const responses = await Promise.all(Array.from({ length: 100 }, () => send(service.client)));
      const refused = responses.find(({ status }) => status === 503);
      if (refused !== undefined) return refused;
    }
    throw new Error('the queue was not full for any of 2,000 requests');
  },
};

/** Error numbers of requests that reach no operation. */
const OF_NO_OPERATION = ['40400', '40500'];

/** Error numbers that the description shows but this file does not provoke, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  42900: 'the rate limit is off by default; its own tests turn it on',
  50000: 'the harness fails every test that gets a 500; the tests of the pipeline provoke one',
  50300: 'the store has to be stopped; the tests of the engines do so',
  50302: 'the disk has to be full; the tests of the engines fill one',
  'GET 50301': 'megabytes of unread responses have to wait; the tests of connections do so',
};

test('the description shows every error number of the store', () => {
  const shown = new Set(operations.flatMap(codesOf));
  assert.deepEqual(
    Object.keys(storeErrors).filter((code) => !shown.has(Number(code)) && !OF_NO_OPERATION.includes(code)),
    [],
  );
});

describe('the error numbers of the description', () => {
  for (const operation of operations) {
    const shown = codesOf(operation).filter(
      (code) => !(code in ELSEWHERE) && !(`${operation.method} ${code}` in ELSEWHERE),
    );
    for (const code of shown) {
      test(`${operation.id} returns ${code} with a message that the description shows`, async () => {
        await using service = await startTestService({ maxQueue: 1 });
        const provoke = PROVOKED[code];
        assert.ok(provoke !== undefined, `PROVOKED or ELSEWHERE has an entry for ${code}`);
        const [example] = Object.values(operation.requests);
        await service.client.send('POST', '/plants', { body: { id: 12, name: 'Aloe vera', tag: 'succulent' } });
        const response = await provoke({
          service,
          operation,
          send: (client, { target, ...call } = {}) =>
            client.send(operation.method, target ?? targetOf(operation, '12'), {
              ...(example !== undefined && { body: example.value }),
              ...call,
            }),
        });
        const error = response.json() as ErrorObject;
        assert.deepEqual([error.error, response.status], [code, Math.floor(code / 100)], response.text);
        const shown = errorsOf(operation).filter((one) => one.error === code);
        assert.ok(
          shown.some(({ message }) => message === error.message),
          `the description shows ${shown.map(({ message }) => message)}, but the service sent ${error.message}`,
        );
      });
    }
  }
});

interface ErrorObject {
  readonly error: number;
  readonly message: string;
}

/** Returns the Error objects that the description shows for an operation. */
function errorsOf(operation: Operation): ErrorObject[] {
  return Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, response]) => Object.values(examplesOf(response)).map(({ value }) => value as ErrorObject));
}

function codesOf(operation: Operation): number[] {
  return [...new Set(errorsOf(operation).map(({ error }) => error))];
}
