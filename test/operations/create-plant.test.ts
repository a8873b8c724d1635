/** createPlant: its responses, and what is stored afterwards. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Call, parseExact } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';
import { accepted, LIMIT, refused } from './create-plant-cases.ts';

describe('createPlant', async () => {
  const service = await startTestService();
  const { client } = service;
  after(() => service[Symbol.asyncDispose]());
  let last = 1_000n;

  const count = async () => {
    const page = (await client.send('GET', '/plants?limit=1000')).json();
    assert.ok(Array.isArray(page));
    return page.length;
  };
  const create = (body: string | Buffer | undefined, pieces: number | undefined, headers: Call['headers'] = {}) => {
    if (pieces === undefined || body === undefined) return client.send('POST', '/plants', { body, headers });
    const bytes = Buffer.from(body);
    const chunks = Array.from({ length: Math.ceil(bytes.length / pieces) }, (_, i) =>
      bytes.subarray(i * pieces, (i + 1) * pieces),
    );
    return client.send('POST', '/plants', { chunks, headers: { ...headers, 'Transfer-Encoding': 'chunked' } });
  };

  for (const [title, body, plant, { id: meant, pieces, headers } = {}] of accepted) {
    test(`accepts ${title}`, async () => {
      last += 1n;
      const id = meant ?? last;
      const before = await count();
      const response = await create(body(String(last)), pieces, headers);
      assert.equal(response.status, 200, response.text.slice(0, 300));
      assert.deepEqual(response.json(), plant);
      assert.equal(response.headers.location, `/plants/${id}`);
      const stored = parseExact((await client.send('GET', `/plants/${id}`)).text);
      assert.deepEqual(stored, { id: Number.isSafeInteger(Number(id)) ? Number(id) : id, ...plant });
      assert.equal(await count(), before + 1);
    });
  }

  for (const [title, body, error, fields, { pieces, headers } = {}] of refused) {
    test(`refuses ${title} with ${error}`, async () => {
      last += 1n;
      const before = await count();
      const response = await create(body?.(String(last)), pieces, headers);
      assert.equal(response.status, 400);
      const { error: code, message } = response.json() as { error: number; message: string };
      assert.equal(code, error, message);
      const wrong = message.split('; ').map((error) => /^(the body|\w+) (?:is missing|must)/.exec(error)?.[1]);
      if (fields !== '') assert.equal(wrong.join(' '), fields, message);
      assert.equal((await client.send('GET', `/plants/${last}`)).status, 404);
      assert.equal(await count(), before);
    });
  }

  test('names the limit when it refuses a long body', async () => {
    const response = await client.send('POST', '/plants', { body: ' '.repeat(LIMIT + 1) });
    assert.match(response.text, /65536 bytes/);
  });

  test('responds to a repetition in any notation with 200 and the same body, and stores nothing', async () => {
    const first = await client.send('POST', '/plants', { body: '{"id":20,"name":"Aloe","tag":"x"}' });
    const etag = (await client.send('GET', '/plants/20')).headers.etag;
    const before = await count();
    for (const body of [
      '{"id":20,"name":"Aloe","tag":"x"}',
      '{"tag":"x","name":"\\u0041loe","id":2e1,"extra":1}',
      '{"id":20.0,"name":"Aloe","tag":"x"}',
    ]) {
      const again = await client.send('POST', '/plants', { body });
      assert.deepEqual([again.status, again.text], [200, first.text]);
      assert.equal(again.headers.location, first.headers.location);
    }
    assert.equal((await client.send('GET', '/plants/20')).headers.etag, etag);
    assert.equal(await count(), before);
  });

  for (const [what, body] of [
    ['another name', { id: 21, name: 'Agave', tag: 'x' }],
    ['another tag', { id: 21, name: 'Aloe', tag: 'y' }],
    ['no tag', { id: 21, name: 'Aloe' }],
    ['an empty tag', { id: 21, name: 'Aloe', tag: '' }],
    ['a name that differs in case', { id: 21, name: 'aloe', tag: 'x' }],
    ['a name that differs in a blank at its end', { id: 21, name: 'Aloe ', tag: 'x' }],
    ['a name of another normalisation', { id: 21, name: 'Aloe\u0301', tag: 'x' }],
  ] as const) {
    test(`refuses a taken id with ${what} and changes nothing`, async () => {
      await client.send('POST', '/plants', { body: { id: 21, name: 'Aloe', tag: 'x' } });
      const before = await client.send('GET', '/plants/21');
      const response = await client.send('POST', '/plants', { body });
      assert.deepEqual(response.json(), { error: 40009, message: 'id 21 is already taken by a different plant.' });
      const after = await client.send('GET', '/plants/21');
      assert.deepEqual([after.text, after.headers.etag], [before.text, before.headers.etag]);
    });
  }

  test('distinguishes a plant without a tag from a plant with an empty tag', async () => {
    await client.send('POST', '/plants', { body: { id: 22, name: 'Aloe' } });
    assert.equal((await client.send('POST', '/plants', { body: { id: 22, name: 'Aloe', tag: '' } })).status, 400);
  });

  test('responds neither with the id nor with members that the description does not name', async () => {
    const response = await client.send('POST', '/plants', { body: { id: 23, name: 'Aloe', version: 9, store: 'x' } });
    assert.equal(response.text, '{"name":"Aloe"}');
  });
});
