/** Faults on request as real clients see them, and their record. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createClient, errorOf } from '../../harness/client.ts';
import { briefOrLong } from '../../harness/long.ts';
import { startTestService } from '../../harness/service.ts';
import { enterSandbox, makeSandbox, QUICK, waitUntil } from './sandbox.ts';

interface Received {
  readonly number: number;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body?: string;
  readonly status?: number;
  readonly error?: number;
  readonly fault?: string;
  readonly response?: string;
}

const run = promisify(execFile);

describe('faults', async () => {
  const service = await startTestService({ sandboxes: 1_000, sandboxPlants: 2_000, sandboxTimes: QUICK });
  after(() => service[Symbol.asyncDispose]());
  const { url } = service.client;

  /** Creates a sandbox with rules. Some tests use `fetch`, since the harness's client refuses broken responses. */
  const withRules = async (...rules: readonly object[]) => {
    const { token } = await makeSandbox(service.client);
    const client = createClient(url, token);
    after(() => client.close());
    const response = await client.send('PUT', '/sandbox/faults', { body: rules });
    assert.deepEqual([response.status, response.json()], [200, rules]);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const create = (id: number, more: RequestInit = {}) =>
      fetch(`${url}/plants`, { method: 'POST', headers, body: JSON.stringify({ id, name: 'Fern' }), ...more });
    const idsOf = async () =>
      ((await client.send('GET', '/plants?limit=1000')).json() as { id: number }[]).map(({ id }) => id);
    const received = async () => (await client.send('GET', '/sandbox/requests')).json() as readonly Received[];
    return { client, token, headers, create, idsOf, received };
  };

  test('a client that repeats requests without a response stores each plant exactly once', async () => {
    const { create, idsOf } = await withRules({
      fault: { kind: 'reset' },
      when: 'afterCommit',
      share: 33,
      seed: 1,
      match: { operation: 'createPlant' },
    });
    let lost = 0;
    const store = async (id: number): Promise<void> => {
      const status = await create(id).then(
        (response) => response.status,
        () => undefined,
      );
      if (status === 200) return;
      assert.equal(status, undefined);
      lost++;
      await store(id);
    };
    const ids = Array.from({ length: briefOrLong(200, 1_000) }, (_, i) => i + 1);
    const left = [...ids];
    const work = async () => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) await store(id);
    };
    await Promise.all(Array.from({ length: 16 }, work));
    assert.ok(lost > ids.length / 5, `${lost} responses were lost`);
    assert.deepEqual(await idsOf(), ids);
  });

  test('a rule with the same seed applies to the same requests', async () => {
    const rule = { fault: { kind: 'status', status: 503 }, share: 40, seed: 7 };
    const results = [];
    for (let i = 0; i < 2; i++) {
      const { create } = await withRules(rule);
      const statuses = [];
      for (let id = 1; id <= 20; id++) statuses.push((await create(id)).status);
      results.push(statuses.join());
    }
    assert.equal(results[0], results[1]);
    assert.match(results[0] ?? '', /503.*200|200.*503/);
  });

  test('a rule skips requests, applies a number of times, and starts again when it is set again', async () => {
    const rule = { fault: { kind: 'status', status: 503 }, match: { operation: 'createPlant' }, times: 2, skip: 1 };
    const { client } = await withRules(rule);
    const statuses = async () => {
      const found = [];
      for (const id of [1, 2, 3, 4]) {
        found.push((await client.send('POST', '/plants', { body: { id, name: 'Fern' } })).status);
      }
      return found;
    };
    assert.deepEqual(await statuses(), [200, 503, 503, 200]);
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    await client.send('PUT', '/sandbox/faults', { body: [rule] });
    assert.deepEqual(await statuses(), [200, 503, 503, 200]);
    const counts = async () => (await client.send('GET', '/sandbox/faults/counts')).json();
    assert.deepEqual(await counts(), [{ rule, matched: 4, applied: 2 }]);
    // The rules as they are returned can be set again.
    const rules = (await client.send('GET', '/sandbox/faults')).json();
    assert.equal((await client.send('PUT', '/sandbox/faults', { body: rules })).status, 200);
    assert.deepEqual(await counts(), [{ rule, matched: 0, applied: 0 }]);
    assert.equal((await client.send('DELETE', '/sandbox/faults')).status, 204);
    assert.deepEqual(await counts(), []);
    assert.deepEqual((await client.send('GET', '/sandbox/faults')).json(), []);
  });

  test('the same rules, set again in the same millisecond, start again too', async () => {
    await using stopped = await startTestService({ sandboxes: 1, now: () => 1_800_000_000_000 });
    const client = await enterSandbox(stopped);
    const rule = { fault: { kind: 'status', status: 503 }, times: 1 };
    for (let i = 0; i < 2; i++) {
      await client.send('PUT', '/sandbox/faults', { body: [rule] });
      assert.equal((await client.send('GET', '/plants')).status, 503);
      assert.equal((await client.send('GET', '/plants')).status, 200);
    }
    client.close();
  });

  test('a status fault sends the error number and header fields of its status instead of the operation', async () => {
    for (const [operation, status, error] of [
      ['createPlant', 400, 40006],
      ['createPlant', 401, 40101],
      ['createPlant', 403, 40300],
      ['getPlant', 404, 40401],
      ['replacePlant', 412, 41200],
      ['createPlant', 429, 42900],
      ['createPlant', 503, 50300],
    ] as const) {
      const { client, idsOf } = await withRules({ fault: { kind: 'status', status }, match: { operation }, times: 1 });
      const [method, target] = {
        createPlant: ['POST', '/plants'],
        getPlant: ['GET', '/plants/1'],
        replacePlant: ['PUT', '/plants/1'],
      }[operation] as [string, string];
      const response = await client.send(method, target, { body: { id: 1, name: 'Fern' } });
      assert.equal(errorOf(response), error);
      const { message } = response.json() as { readonly message: string };
      assert.equal(message, `This sandbox was told to respond with ${status}. The request was not carried out.`);
      assert.deepEqual(await idsOf(), []);
    }
  });

  test('a status fault after the commit sends the error, and the plant is stored', async () => {
    const { client, idsOf } = await withRules({
      fault: { kind: 'status', status: 503 },
      when: 'afterCommit',
      times: 1,
    });
    const response = await client.send('POST', '/plants', { body: { id: 1, name: 'Fern' } });
    assert.equal(errorOf(response), 50300);
    assert.match(response.text, /This sandbox was told to respond with 503\. The request was carried out first\./);
    assert.deepEqual(await idsOf(), [1]);
  });

  test('a fault after the commit follows every result, also that of a full sandbox', async () => {
    await using narrow = await startTestService({ sandboxes: 1, sandboxPlants: 1, events: true });
    const client = await enterSandbox(narrow);
    await client.send('POST', '/plants', { body: { id: 1, name: 'Fern' } });
    const foreign = `/events?after=${'A'.repeat(40)}`;
    for (const [method, target, body, error] of [
      ['POST', '/plants', { id: 2, name: 'Ivy' }, 40010],
      ['POST', '/plants', { id: 1, name: 'Ivy' }, 40009],
      ['DELETE', '/plants/2', undefined, 40401],
      ['GET', foreign, undefined, 40006],
    ] as const) {
      const send = async (Fault?: string) => {
        const headers = Fault === undefined ? {} : { Fault };
        const response = await client.send(method, target, { body, headers });
        return response.text === '' ? response.status : errorOf(response);
      };
      assert.equal(await send(), error);
      assert.equal(await send('status;status=503;when=afterCommit'), 50300, `${method} ${target}`);
      assert.equal(await send('delay;ms=1;when=afterCommit'), error);
    }
    const headers = { Fault: 'proxy;status=502;body=lost;when=afterCommit' };
    const answer = await fetch(`${narrow.client.url}/plants`, {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${client.token}`, 'Content-Type': 'application/json' },
      body: '{"id":2,"name":"Ivy"}',
    });
    assert.deepEqual([answer.status, await answer.text()], [502, 'lost']);
    client.close();
  });

  test('a rule for one plant does not apply to others', async () => {
    const { client } = await withRules({ fault: { kind: 'status', status: 503 }, match: { id: 2 } });
    assert.equal((await client.send('POST', '/plants', { body: { id: 1, name: 'Fern' } })).status, 200);
    assert.equal((await client.send('POST', '/plants', { body: { id: 2, name: 'Fern' } })).status, 503);
    assert.equal((await client.send('GET', '/plants/1')).status, 200);
    assert.equal((await client.send('GET', '/plants/2')).status, 503);
  });

  test('a rule applies only to requests with valid input', async () => {
    const { client } = await withRules({ fault: { kind: 'status', status: 503 } });
    assert.equal(errorOf(await client.send('POST', '/plants', { body: { id: 1 } })), 40005);
  });

  /** Sends a request to create a plant, and leaves: with a reset, or by closing only the sending side. */
  const leave = async (token: string, isReset: boolean) => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    const body = '{"id":1,"name":"Fern"}';
    const fields = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
    socket.write(`POST /plants HTTP/1.1\r\n${fields}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    // The delay has begun before the client leaves.
    const control = createClient(url, token);
    await waitUntil(async () => (await control.send('GET', '/sandbox/requests')).text.includes('"fault":"delay'));
    control.close();
    if (isReset) socket.resetAndDestroy();
    else socket.end();
    return isReset ? '' : text(socket);
  };

  test('a client that closes its side during a delay cancels the request, and is told so', async () => {
    const { token, received, idsOf } = await withRules({ fault: { kind: 'delay', ms: 30_000 }, times: 1 });
    const response = await leave(token, false);
    assert.match(response, /^HTTP\/1\.1 503 .+"error":50300,"message":"The client closed .+ was not carried out\./s);
    assert.deepEqual([(await received())[0]?.status, await idsOf()], [503, []]);
  });

  test('a client that gives up during a delay cancels the request', async () => {
    const { token, headers, create, received, idsOf } = await withRules({
      fault: { kind: 'delay', ms: 30_000 },
      times: 3,
    });
    await leave(token, true);
    // Long enough for the request to arrive, also on a busy machine.
    const curl = ['-s', '--max-time', '2', `${url}/plants`, '-H', `Authorization: ${headers.Authorization}`];
    await assert.rejects(run('curl', [...curl, '--json', '{"id":2,"name":"Fern"}']), { code: 28 });
    const giveUp = new AbortController();
    const third = assert.rejects(create(3, { signal: giveUp.signal }), { name: 'AbortError' });
    await waitUntil(async () => (await received()).length === 3);
    giveUp.abort();
    await third;
    await waitUntil(async () => (await received()).every(({ response }) => response !== 'pending'));
    assert.ok((await received()).every(({ status }) => status !== 200));
    assert.deepEqual(await idsOf(), []);
  });

  for (const isReset of [false, true]) {
    test(`a late delay goes on, and the request is carried out (${isReset ? 'reset' : 'half-closed'})`, async () => {
      const rule = { fault: { kind: 'delay', ms: 200, leave: 'continue' }, times: 1 };
      const { token, idsOf } = await withRules(rule);
      const response = await leave(token, isReset);
      if (!isReset) assert.match(response, /^HTTP\/1\.1 200 /);
      await waitUntil(async () => (await idsOf()).includes(1));
    });
  }

  test('a delay after the commit ends when the client closes its side, and it gets its response', async () => {
    const { token, idsOf } = await withRules({ fault: { kind: 'delay', ms: 30_000 }, when: 'afterCommit', times: 1 });
    assert.match(await leave(token, false), /^HTTP\/1\.1 200 /);
    assert.deepEqual(await idsOf(), [1]);
  });

  test('a delay ends when the service stops, and the request is carried out', async () => {
    await using other = await startTestService({ sandboxes: 10 });
    const sandbox = await enterSandbox(other);
    await sandbox.send('PUT', '/sandbox/faults', { body: [{ fault: { kind: 'delay', ms: 30_000 }, times: 1 }] });
    const waiting = sandbox.send('POST', '/plants', { body: { id: 1, name: 'Fern' } });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await other.restart();
    assert.equal((await waiting).status, 200);
    sandbox.close();
  });

  test('fetch, curl and Python report a reset, a truncated body and a slow body', async () => {
    const { headers, create, client } = await withRules();
    await create(1);
    const set = (fault: object) => client.send('PUT', '/sandbox/faults', { body: [{ fault }] });
    const curl = (...more: string[]) =>
      run('curl', ['-s', ...more, '-H', `Authorization: ${headers.Authorization}`, `${url}/plants/1`]).then(
        ({ stdout }) => ({ code: 0, stdout }),
        ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
      );
    const python = async () => {
      const script =
        'import sys, urllib.request as u\n' +
        'try: print(u.urlopen(u.Request(sys.argv[1], headers={"Authorization": sys.argv[2]})).read().decode())\n' +
        'except Exception as e: print(type(e).__name__)';
      return (await run('python3', ['-c', script, `${url}/plants/1`, headers.Authorization])).stdout.trim();
    };
    const body = '{"id":1,"name":"Fern"}';
    const hasPython = await run('python3', ['--version']).then(
      () => true,
      () => false,
    );

    await set({ kind: 'reset' });
    await assert.rejects(fetch(`${url}/plants/1`, { headers }), /fetch failed/);
    // curl's exit code 56: failure in receiving data.
    assert.equal((await curl()).code, 56);
    if (hasPython) assert.match(await python(), /ConnectionResetError|RemoteDisconnected|URLError/);

    await set({ kind: 'truncate' });
    await assert.rejects(
      fetch(`${url}/plants/1`, { headers }).then((response) => response.text()),
      /terminated/,
    );
    // curl's exit code 18: a partial file.
    assert.deepEqual(await curl(), { code: 18, stdout: body.slice(0, body.length / 2) });
    if (hasPython) assert.equal(await python(), 'IncompleteRead');

    await set({ kind: 'slow', rate: 100 });
    assert.equal(await (await fetch(`${url}/plants/1`, { headers })).text(), body);
    if (hasPython) assert.equal(await python(), body);
    // curl's exit code 28: the time-out. The body of 22 bytes takes longer at 5 bytes per second.
    await set({ kind: 'slow', rate: 5 });
    const slow = await curl('--max-time', '2');
    assert.equal(slow.code, 28);
    assert.ok(slow.stdout.length > 0 && slow.stdout.length < body.length, slow.stdout);
  });

  test('a reset with connection first meets a new connection, so that no client repeats by itself', async () => {
    const { client, headers, received } = await withRules();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    after(() => agent.destroy());
    let id = 0;
    /** Creates a plant. Returns the status and whether the connection was used before and stays open. */
    const create = async (more: Record<string, string> = {}) => {
      const sent = request(`${url}/plants`, { method: 'POST', agent, headers: { ...headers, ...more } });
      sent.end(JSON.stringify({ id: ++id, name: 'Fern' }));
      const response = await new Promise<IncomingMessage | undefined>((resolve) => {
        sent.on('response', resolve);
        sent.on('error', () => resolve(undefined));
      });
      if (response === undefined) return `reset, ${sent.reusedSocket ? 'reused' : 'new'}`;
      await response.resume().toArray();
      return `${response.statusCode}, ${sent.reusedSocket ? 'reused' : 'new'}, ${response.headers.connection}`;
    };
    const rule = { fault: { kind: 'reset', connection: 'first' }, match: { operation: 'createPlant' }, times: 1 };
    assert.equal(await create(), '200, new, keep-alive');

    const set = await client.send('PUT', '/sandbox/faults', { body: [rule] });
    assert.deepEqual([set.status, set.headers['connection']], [200, 'close']);
    // The connection was open before the rule, so this request is not reset and does not use the rule up.
    assert.equal(await create(), '200, reused, close');
    assert.equal((await client.send('GET', '/plants')).headers['connection'], 'close');
    assert.equal(await create(), 'reset, new');
    assert.equal(await create(), '200, new, keep-alive');
    assert.equal(await create(), '200, reused, keep-alive');

    const Fault = 'reset;connection=first';
    assert.equal(await create({ Fault }), '200, reused, close');
    assert.equal(await create({ Fault }), 'reset, new');
    const faults = (await received()).filter(({ method }) => method === 'POST').map(({ fault }) => fault ?? '');
    assert.deepEqual(faults, ['', '', 'reset', '', '', '', 'reset']);
  });

  test('a single request can ask for a fault by Prefer, which is confirmed, or by Fault', async () => {
    const { client, idsOf } = await withRules();
    const create = (headers: Record<string, string>) =>
      client.send('POST', '/plants', { body: { id: 1, name: 'Fern' }, headers });
    const preferred = await create({ Prefer: 'respond-async, code=503; x=1' });
    assert.deepEqual([errorOf(preferred), preferred.headers['preference-applied']], [50300, 'code=503']);
    assert.equal(errorOf(await create({ Fault: 'status;status=429;when=afterCommit' })), 42900);
    assert.deepEqual(await idsOf(), [1]);
    assert.equal((await create({ Fault: 'delay;ms=1' })).status, 200);
    for (const Prefer of ['code=404', 'code=999', 'code=x', 'wait=1']) {
      const response = await create({ Prefer });
      assert.deepEqual([response.status, response.headers['preference-applied']], [200, undefined], Prefer);
    }
    for (const Fault of [
      '',
      '?',
      'delay',
      'delay;ms=0',
      'delay;ms=30001',
      'delay;ms=1.5',
      'delay;ms=1;constructor=1',
      'delay;ms=1;kind=reset',
      'delay;s=1',
      'nothing',
      'status;status=404',
      'delay;ms=1;when=never',
      'reset, reset',
      '"reset"',
    ]) {
      assert.equal(errorOf(await create({ Fault })), 40020, Fault);
    }
    assert.match((await create({ Fault: 'reset;wen=afterCommit' })).text, /wen is unknown.* reset;when=afterCommit/);
    const preflight = await fetch(`${url}/plants`, { method: 'OPTIONS' });
    assert.match(String(preflight.headers.get('access-control-allow-headers')), /\*/);
    assert.match(String(preferred.headers['access-control-expose-headers']), /Preference-Applied/);
  });

  test('an impossible fault is refused with the number of its rule', async () => {
    const { client } = await withRules();
    for (const rule of [
      { fault: { kind: 'status' } },
      { fault: { kind: 'delay' } },
      { fault: { kind: 'slow' } },
      { fault: { kind: 'reset', ms: 1 } },
      { fault: { kind: 'truncate', connection: 'first' } },
      { fault: { kind: 'status', status: 404 }, match: { operation: 'createPlant' } },
      { fault: { kind: 'status', status: 418 } },
      { fault: { kind: 'proxy' } },
      { fault: { kind: 'proxy', status: 502, ms: 1 } },
      { fault: { kind: 'idle' } },
      { fault: { kind: 'close', bytes: 1 } },
      { fault: { kind: 'delay', ms: 1, part: 'head' } },
      { fault: { kind: 'race' } },
    ]) {
      const response = await client.send('PUT', '/sandbox/faults', { body: [{ fault: { kind: 'reset' } }, rule] });
      assert.equal(errorOf(response), 40020);
      assert.match(response.text, /"1\.fault: /);
    }
    const rule = { fault: { kind: 'delay', ms: 1 }, match: { operation: 'listPlants', id: 2 } };
    const unmatched = await client.send('PUT', '/sandbox/faults', { body: [rule] });
    assert.equal(errorOf(unmatched), 40020);
    assert.match(unmatched.text, /"0\.match\.id: a request for listPlants has no plant\."/);
    assert.deepEqual((await client.send('GET', '/sandbox/faults')).json(), []);
  });

  test('a token that belongs to no sandbox cannot ask for faults', async () => {
    const { client } = service;
    const headers = { Prefer: 'code=503', Fault: '?' };
    assert.equal((await client.send('GET', '/plants', { headers })).status, 200);
  });
});

describe('the record of a sandbox', async () => {
  const service = await startTestService({ sandboxes: 1_000, sandboxTimes: QUICK });
  after(() => service[Symbol.asyncDispose]());

  test('shows each request and its response, without the credential', async () => {
    const { token } = await makeSandbox(service.client);
    const client = createClient(service.client.url, token);
    const list = async (query = '') =>
      (await client.send('GET', `/sandbox/requests${query}`)).json() as readonly Received[];
    await client.send('POST', '/plants', { body: { id: 1, name: 'Fern' }, headers: { Cookie: 'secret=1' } });
    await client.send('GET', '/plants/9');
    await client.send('GET', '/plants?limit=x');
    await client.send('POST', '/plants', { body: '{"id": 2', headers: { Fault: 'reset' } });
    const requests = await list();
    assert.deepEqual(
      requests.map(({ number, method, target, status, error }) => [number, method, target, status, error]),
      [
        [1, 'POST', '/plants', 200, undefined],
        [2, 'GET', '/plants/9', 404, 40401],
        [3, 'GET', '/plants?limit=x', 400, 40006],
        [4, 'POST', '/plants', 400, 40004],
      ],
    );
    assert.deepEqual(
      requests.map(({ body }) => body),
      ['{"id":1,"name":"Fern"}', undefined, undefined, '{"id": 2'],
    );
    const text = JSON.stringify(requests);
    assert.ok(!text.includes(token) && !text.includes('secret=1'));
    assert.match(text, /"Authorization","value":"Bearer …"/);
    assert.deepEqual(
      (await list('?after=2')).map(({ number }) => number),
      [3, 4],
    );
    assert.equal((await client.send('DELETE', '/sandbox/requests')).status, 204);
    assert.deepEqual(await list(), []);
    await client.send('GET', '/plants');
    assert.deepEqual(
      (await list()).map(({ number }) => number),
      [5],
    );
    client.close();
  });

  test('shows the last hundred requests and the fault that applied to each', async () => {
    const client = await enterSandbox(service);
    for (let i = 0; i < 105; i++) await client.send('GET', `/plants/${i}`, { headers: { Fault: 'delay;ms=1' } });
    const requests = (await client.send('GET', '/sandbox/requests')).json() as readonly Received[];
    assert.deepEqual([requests.length, requests[0]?.number, requests[0]?.fault], [100, 6, 'delay']);
    client.close();
  });
});
