/** A feature that no file of src mentions: an Api with two operations, a metric and an observer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Handlers, Operations } from '../../src/contract/operation.ts';
import { integer, object } from '../../src/contract/schema.ts';
import type { OpenFeature } from '../../src/feature.ts';
import { createApi } from '../../src/http/api.ts';
import type { Engine } from '../../src/stores/engine.ts';
import { startTestService } from '../harness/service.ts';

const Rain = object({ millimetres: integer(0, 1_000) });
const GET = { method: 'GET', parameters: [], body: undefined, responses: { 200: Rain } } as const;
const STREAM = { 200: ['text/event-stream'] } as const;
const operations = {
  getRain: { ...GET, id: 'getRain', path: '/rain', scopes: ['plants:read'] },
  followRain: { ...GET, id: 'followRain', path: '/drops', scopes: undefined, otherTypes: STREAM },
} as const satisfies Operations;

const handlers: Handlers<typeof operations, Engine> = {
  getRain: async (_input, { plants }) => ({
    status: 200,
    body: { millimetres: (await plants.list('default', { limit: 10 })).length },
  }),
  followRain: () => ({ status: 200, type: 'text/event-stream', body: drops }),
};

async function* drops(signal: AbortSignal) {
  for (let count = 1; !signal.aborted; count++) {
    yield `data: ${count}\n\n`;
    await sleep(1_000, undefined, { signal });
  }
}

test('a service takes a further Api and Feature, whose stream ends when the service stops', async () => {
  const seen: string[] = [];
  const rain: OpenFeature = ({ engine }) => ({
    apis: () => [
      createApi({
        operations,
        handlers,
        contextOf: () => engine,
        documents: { '/rain.json': '../test/features/rain.json' },
      }),
    ],
    metrics: [{ name: 'rain_total', help: 'Rain', read: () => seen.length }],
    exposedFields: ['Rain-Depth'],
    observers: [({ operation }, { status }) => seen.push(`${operation?.id} ${status}`)],
  });
  await using service = await startTestService({
    features: [rain],
    sandboxes: 1,
    admin: { host: '127.0.0.1', port: 0 },
  });
  const { client, running } = service;
  const dry = await client.send('GET', '/rain');
  assert.deepEqual(dry.json(), { millimetres: 0 });
  assert.match(String(dry.headers['access-control-expose-headers']), /, Preference-Applied, Rain-Depth$/);
  assert.equal((await client.send('GET', '/rain', { token: null })).status, 401);
  assert.equal(await (await fetch(`${running.url}/rain.json`)).text(), `"${running.url}"\n`);
  assert.deepEqual(seen, ['getRain 200', 'getRain 401', 'undefined 200']);
  const metrics = await fetch(`http://127.0.0.1:${running.admin?.port}/metrics`);
  assert.match(await metrics.text(), /^plantstore_rain_total 3$/m);
  const stream = await fetch(`${running.url}/drops`);
  assert.equal(stream.headers.get('content-type'), 'text/event-stream');
  const [text] = await Promise.all([stream.text(), service.restart()]);
  assert.match(text, /^data: 1\n\n/);
});

test('a service does not start if two Apis have one document, or two features one part of the page', async () => {
  const startTwice = async (feature: OpenFeature) => {
    await using _service = await startTestService({ features: [feature, feature] });
  };
  const documents = { '/rain.json': '../test/features/rain.json' };
  const api = createApi({ operations: {}, handlers: {}, contextOf: () => undefined, documents });
  await assert.rejects(
    startTwice(() => ({ apis: () => [api] })),
    { message: 'two pages have the name /rain.json' },
  );
  await assert.rejects(
    startTwice(() => ({ page: { events: '/rain' } })),
    { message: 'two parts of the documentation page have the name events' },
  );
});
