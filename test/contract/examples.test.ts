/** The service responds as the examples of the description show, and the links of the description work. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client, ClientResponse } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';
import { examplesOf, type Operation, operationOf, operations } from './document.ts';
import { evaluate, type Sent } from './expressions.ts';

const ALOE = { id: 12, name: 'Aloe vera', tag: 'succulent' };

describe('the examples of the description', () => {
  for (const operation of operations) {
    for (const [name, { value }] of Object.entries(operation.requests)) {
      test(`${operation.id}: the request ${name} returns the response example of the same name`, async () => {
        await using service = await startTestService();
        if (operation.id !== 'createPlant') await create(service.client, ALOE);
        const response = await perform(service.client, operation, sentBy(operation, value));
        assert.equal(response.status, 200, response.text);
        const shown = examplesOf(operation.responses['200'])[name];
        assert.ok(shown !== undefined, 'a response example of the same name');
        assert.deepEqual(response.json(), shown.value);
      });
    }
  }

  test('getPlant and listPlants return each of their examples from a store with just those plants', async () => {
    for (const id of ['getPlant', 'listPlants']) {
      const operation = operationOf(id);
      for (const [name, { value }] of Object.entries(examplesOf(operation.responses['200']))) {
        await using service = await startTestService();
        for (const plant of [value].flat()) await create(service.client, plant);
        const response = await perform(service.client, operation, sentBy(operation, undefined, ['path']));
        assert.deepEqual(response.json(), value, `${id} ${name}`);
      }
    }
  });

  test('a request with the example of every parameter succeeds, as pages that send requests fill it in', async () => {
    for (const operation of operations) {
      await using service = await startTestService();
      await create(service.client, ALOE);
      const [body] = Object.values(operation.requests).map(({ value }) => value);
      const sent = sentBy(operation, body, ['path', 'query', 'header']);
      const response = await perform(service.client, operation, sent);
      assert.ok([200, 204].includes(response.status), `${operation.id}: ${response.status} ${response.text}`);
    }
  });

  test('the examples of parameters do not filter the list', async () => {
    await using service = await startTestService();
    await create(service.client, { id: 1, name: 'Agave' });
    const operation = operationOf('listPlants');
    const response = await perform(service.client, operation, sentBy(operation, undefined, ['query']));
    assert.deepEqual(response.json(), [{ id: 1, name: 'Agave' }]);
  });
});

describe('the links of the description', () => {
  for (const from of operations) {
    for (const [status, { links = {} }] of Object.entries(from.responses)) {
      for (const [name, link] of Object.entries(links)) {
        test(`${from.id} ${status} ${name} leads to ${link.operationId}`, async () => {
          await using service = await startTestService();
          if (from.id !== 'createPlant') await create(service.client, ALOE);
          await create(service.client, { ...ALOE, id: 13 });
          const [body] = Object.values(from.requests).map(({ value }) => value);
          const sent = { ...sentBy(from, body, ['path']), query: queryOf(from) };
          const response = await perform(service.client, from, sent);
          assert.equal(String(response.status), status);
          const to = operationOf(link.operationId);
          const next: { path: Bag; query: Bag; header: Bag } = { path: {}, query: {}, header: {} };
          for (const [parameter, expression] of Object.entries(link.parameters)) {
            const value = evaluate(expression, sent, response);
            assert.ok(value !== undefined, `${expression} names something`);
            const place = to.parameters.find((one) => one.name === parameter)?.in;
            assert.ok(place !== undefined, `${link.operationId} has the parameter ${parameter}`);
            next[place][parameter] = value;
          }
          const [wanted] = Object.values(to.requests).map(({ value }) => value);
          const reached = await perform(service.client, to, { ...next, body: wanted });
          assert.ok(reached.status === 200 || reached.status === 204, `${reached.status} ${reached.text}`);
          if (to.id === 'getPlant') assert.deepEqual(reached.json(), { ...(body as object), id: 12 });
        });
      }
    }
  }

  test('the Link header of listPlants leads to the next page of the same filter', async () => {
    await using service = await startTestService();
    for (const id of [11, 12, 13]) await create(service.client, { ...ALOE, id });
    const response = await service.client.send('GET', '/plants?limit=2&tag=succulent');
    const target = /^<([^>]*)>; rel="next"$/.exec(String(response.headers['link']))?.[1] ?? '';
    assert.deepEqual((await service.client.send('GET', target)).json(), [{ ...ALOE, id: 13 }]);
  });
});

type Bag = Record<string, string>;

/** Makes a request of an operation from the examples of its parameters in these places. */
function sentBy(operation: Operation, body: unknown, places: readonly string[] = ['path']): Sent {
  const sent: { path: Bag; query: Bag; header: Bag } = { path: {}, query: {}, header: {} };
  for (const { name, in: place, example } of operation.parameters) {
    if (example !== undefined && places.includes(place)) sent[place][name] = String(example);
  }
  return { ...sent, ...(body !== undefined && { body }) };
}

/** Asks for a page that is not the last one, so that it has a link to the next page. */
function queryOf({ id }: Operation): Bag {
  return id === 'listPlants' ? { limit: '1', tag: 'succulent' } : {};
}

async function perform(client: Client, { method, path }: Operation, sent: Sent): Promise<ClientResponse> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(sent.path[name] ?? ''));
  const query = new URLSearchParams(sent.query).toString();
  const target = query === '' ? filled : `${filled}?${query}`;
  return client.send(method, target, { headers: sent.header, ...(sent.body !== undefined && { body: sent.body }) });
}

async function create(client: Client, plant: unknown): Promise<void> {
  assert.equal((await client.send('POST', '/plants', { body: plant })).status, 200);
}
