/** Faults of the feed of events, as readers of pages and of streams see them. The stored events stay right. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { type Client, errorOf, parseExact } from '../../harness/client.ts';
import { startTestService } from '../../harness/service.ts';
import { cursorIn, eventsOf, openStream, type ReadEvent, readPage } from '../events/reader.ts';
import { enterSandbox, QUICK } from './sandbox.ts';

const SSE = 'text/event-stream';
const LINES = 'application/jsonl';
const LISTS = { operation: 'listEvents' };

describe('a fault of the feed', async () => {
  const service = await startTestService({ events: true, sandboxes: 100, sandboxTimes: QUICK });
  after(() => service[Symbol.asyncDispose]());

  /** Creates a sandbox with three events. */
  const enter = async () => {
    const client = await enterSandbox(service);
    after(() => client.close());
    for (const id of [1, 2]) await client.send('POST', '/plants', { body: { id, name: 'Aloe {' } });
    const { events } = await readPage(client, '/events');
    const types = events.map(({ type }) => type);
    assert.deepEqual(types, ['store.reset', 'plant.created', 'plant.created']);
    return { client, events };
  };
  const setRule = async (client: Client, rule: object) => {
    const response = await client.send('PUT', '/sandbox/faults', { body: [rule] });
    assert.deepEqual([response.status, response.json()], [200, [rule]]);
  };
  const countsOf = async (client: Client) => {
    const [count] = (await client.send('GET', '/sandbox/faults/counts')).json() as {
      matched: number;
      applied: number;
    }[];
    return [count?.matched, count?.applied];
  };

  const linesOf = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => parseExact(line) as ReadEvent);
  /** Reads the plants of the events in each form, until there are `count` events. */
  const FORMS: Readonly<
    Record<string, (client: Client, target: string, count: number) => Promise<readonly unknown[]>>
  > = {
    'a page': async (client, target) => (await readPage(client, target)).events,
    'Server-Sent Events': async (client, target, count) => {
      using stream = await openStream(client, target, SSE);
      return eventsOf(await stream.until((text) => text.split('\n\n').length > count + 1));
    },
    'JSON Lines': async (client, target, count) => {
      using stream = await openStream(client, target, LINES);
      return linesOf(await stream.until((text) => text.split('\n').length > count));
    },
  };

  for (const [form, read] of Object.entries(FORMS)) {
    test(`sends an event twice in ${form}, and each event once without the rule`, async () => {
      const { client, events } = await enter();
      const [first, second, third] = events;
      assert.deepEqual(await read(client, '/events', 3), events);
      await setRule(client, { fault: { kind: 'duplicate' }, match: LISTS, times: 1 });
      assert.deepEqual(await read(client, '/events', 4), [first, first, second, third]);
      assert.deepEqual(await countsOf(client), [1, 1]);
      assert.deepEqual(await read(client, '/events', 3), events);
      await setRule(client, { fault: { kind: 'duplicate', event: 3 }, match: LISTS });
      assert.deepEqual(await read(client, '/events', 4), [first, second, third, third]);
    });

    test(`leaves an event out of ${form}, which a reader gets from the cursor before the gap`, async () => {
      const { client, events } = await enter();
      const [first, second, third] = events;
      await setRule(client, { fault: { kind: 'gap', event: 2 }, match: LISTS, times: 1 });
      assert.deepEqual(await read(client, '/events', 2), [first, third]);
      assert.deepEqual(await countsOf(client), [1, 1]);
      assert.deepEqual(await read(client, `/events?after=${first?.id}`, 2), [second, third]);
      assert.deepEqual(await read(client, '/events', 3), events);
    });
  }

  test('does not change the Link of a page, so a reader that only goes on never gets the event', async () => {
    const { client, events } = await enter();
    await setRule(client, { fault: { kind: 'gap', event: 3 }, match: LISTS, times: 1 });
    const { events: found, next } = await readPage(client, '/events');
    assert.deepEqual(found, events.slice(0, 2));
    assert.equal(cursorIn(next), events[2]?.id);
    assert.deepEqual((await readPage(client, next)).events, []);
  });

  test('changes nothing in a response with fewer events, and counts as applied', async () => {
    const { client, events } = await enter();
    await setRule(client, { fault: { kind: 'gap', event: 4 }, match: LISTS });
    assert.deepEqual((await readPage(client, '/events')).events, events);
    assert.deepEqual(await countsOf(client), [1, 1]);
  });

  /** Reads the bytes of a stream until its connection ends. */
  const readCut = async ({ url, token }: Client, fault: string, type: string) => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    const fields = `Host: x\r\nAuthorization: Bearer ${token}\r\nAccept: ${type}\r\nFault: ${fault}`;
    socket.write(`GET /events HTTP/1.1\r\n${fields}\r\n\r\n`);
    let found = '';
    for await (const bytes of socket) found += bytes;
    const end = found.indexOf('\r\n\r\n');
    return { head: found.slice(0, end + 2), body: found.slice(end + 4) };
  };

  test('with the status 410 has the error number of events that are no longer kept', async () => {
    const { client } = await enter();
    const response = await client.send('GET', '/events', { headers: { Fault: 'status;status=410' } });
    assert.deepEqual([response.status, errorOf(response)], [410, 41000]);
  });

  test('sends the events of a stream slowly', async () => {
    const { client, events } = await enter();
    const began = performance.now();
    using stream = await openStream(client, '/events', LINES, { Fault: 'slow;rate=500' });
    const text = await stream.until((text) => text.split('\n').length > events.length);
    assert.deepEqual(linesOf(text), events);
    assert.ok(performance.now() - began > text.length, 'at 500 bytes per second, each byte takes 2 ms');
  });

  test('cuts a stream in the middle of an event, and a reader continues behind the last whole event', async () => {
    const { client, events } = await enter();
    using control = await openStream(client, '/events', SSE);
    const whole = await control.until((text) => text.endsWith('\n\n') && eventsOf(text).length === 3);
    const [, first = '', second = ''] = whole.split(/(?<=\n\n)/);
    const cut = await readCut(client, 'truncate;event=2;framing=close', SSE);
    assert.doesNotMatch(cut.head, /^(Content-Length|Transfer-Encoding):/im);
    assert.equal(cut.body, `retry: 1000\n\n${first}${second.slice(0, second.length / 2)}`);
    const resumed = { 'Last-Event-ID': String(events[0]?.id) };
    using again = await openStream(client, '/events', SSE, resumed);
    assert.deepEqual(eventsOf(await again.until((text) => text.split('\n\n').length > 3)), events.slice(1));
  });

  test('cuts a chunked stream without its last chunk, by default half through its first event', async () => {
    const { client, events } = await enter();
    const line = `${JSON.stringify(events[0])}\n`;
    for (const [fault, length] of [
      ['truncate', Math.floor(line.length / 2)],
      ['truncate;framing=chunked', Math.floor(line.length / 2)],
      ['truncate;bytes=7;ms=20', 7],
      ['truncate;bytes=9999', line.length - 1],
    ] as const) {
      const { head, body } = await readCut(client, fault, LINES);
      assert.match(head, /^Transfer-Encoding: chunked\r$/m);
      assert.equal(body, `${length.toString(16)}\r\n${line.slice(0, length)}\r\n`, fault);
    }
    const stream = await openStream(client, '/events', LINES, { Fault: 'truncate' });
    await assert.rejects(stream.end());
  });

  test('keeps a stream open and silent, until the sandbox ends', async () => {
    const { client, events } = await enter();
    using control = await openStream(client, '/events', SSE);
    await setRule(client, { fault: { kind: 'silent' }, match: LISTS, times: 1 });
    using silent = await openStream(client, '/events', SSE);
    await setRule(client, { fault: { kind: 'silent', event: 3 }, match: LISTS, times: 1 });
    using late = await openStream(client, '/events', SSE);
    assert.deepEqual(await countsOf(client), [1, 1]);
    await client.send('POST', '/plants', { body: { id: 3, name: 'Aloe' } });
    const text = await control.until((text) => text.split('\n\n').length > 5);
    assert.equal(eventsOf(text).length, 4);
    await client.send('DELETE', '/sandbox');
    assert.equal(await silent.end(), '');
    assert.deepEqual(eventsOf(await late.end()), events.slice(0, 2));
  });

  test('that needs a stream is refused for a page, and its rule does not match a page', async () => {
    const { client, events } = await enter();
    for (const fault of ['silent', 'truncate;event=1']) {
      const refused = await client.send('GET', '/events', { headers: { Fault: fault } });
      assert.equal(errorOf(refused), 40020);
      assert.match(
        refused.text,
        /listEvents sends a stream only with Accept: text\/event-stream or application\/jsonl/,
      );
    }
    await setRule(client, { fault: { kind: 'silent' }, match: LISTS, times: 1 });
    assert.deepEqual((await readPage(client, '/events')).events, events);
    assert.deepEqual(await countsOf(client), [0, 0]);
  });

  test('is refused for an operation without events, and for a place that is out of range', async () => {
    const { client } = await enter();
    const refusals = [
      [{ fault: { kind: 'gap' }, match: { operation: 'listPlants' } }, 40020, /listPlants has no events/],
      [{ fault: { kind: 'gap' }, match: { id: 1 } }, 40020, /createPlant, getPlant, .* has no events/],
      [
        { fault: { kind: 'gap' }, match: { ...LISTS, id: 1 } },
        40020,
        /"0\.match\.id: a request for listEvents has no plant\."/,
      ],
      [{ fault: { kind: 'duplicate', event: 0 }, match: LISTS }, 40005, /event/],
      [{ fault: { kind: 'duplicate', event: 1_001 }, match: LISTS }, 40005, /event/],
      [{ fault: { kind: 'delay', ms: 1, event: 1 } }, 40020, /the kind delay takes no event/],
    ] as const;
    for (const [rule, code, message] of refusals) {
      const refused = await client.send('PUT', '/sandbox/faults', { body: [rule] });
      assert.equal(errorOf(refused), code);
      assert.match(refused.text, message);
    }
    const refused = await client.send('GET', '/plants', { headers: { Fault: 'duplicate' } });
    assert.equal(errorOf(refused), 40020);
  });
});

test('a rule for events is refused by a service without events', async () => {
  await using service = await startTestService({ sandboxes: 10 });
  const client = await enterSandbox(service);
  for (const [rule, message] of [
    [{ fault: { kind: 'delay', ms: 1 }, match: LISTS }, /this service has no listEvents/],
    [{ fault: { kind: 'gap' } }, /has no events|have no events/],
  ] as const) {
    const refused = await client.send('PUT', '/sandbox/faults', { body: [rule] });
    assert.equal(errorOf(refused), 40020);
    assert.match(refused.text, message);
  }
  client.close();
});
