/** The header fields Prefer (RFC 7240) and Fault (RFC 9651): what is obeyed, what is ignored and what is refused. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../harness/service.ts';
import { enterSandbox, QUICK } from './sandbox.ts';

describe('a request asks for a fault', async () => {
  const service = await startTestService({ sandboxes: 100, sandboxTimes: QUICK });
  const client = await enterSandbox(service);
  after(async () => {
    client.close();
    await service[Symbol.asyncDispose]();
  });
  const get = (headers: Record<string, string>) => client.send('GET', '/plants', { headers });

  test('by the first preference for a code in the list, which may be quoted', async () => {
    for (const Prefer of [
      'code=503',
      'CODE = "503"',
      'wait=1, code=503;a="b, c"',
      'foo="a \\" b", code=503',
      'code=503, code=401',
      ', ,code=503',
    ]) {
      const { status, headers } = await get({ Prefer });
      assert.deepEqual([status, headers['preference-applied']], [503, 'code=503'], Prefer);
    }
  });

  test('and not by text within a quoted string, by a second preference for a code, or by a malformed one', async () => {
    for (const Prefer of [
      'foo="a, code=503"',
      'foo="a, code=503',
      'foo="a \\", code=503"',
      'foo; x="a, code=503"',
      'code=200, code=503',
      'code, code=503',
      'code="503',
      'code=503"',
      'code=503.0',
      'code=503 x',
      'xcode=503',
    ]) {
      const { status, headers } = await get({ Prefer });
      assert.deepEqual([status, headers['preference-applied']], [200, undefined], Prefer);
    }
  });

  // A pattern that tries places twice takes 0.3 s for one such field, so the test would reach its time limit.
  test('and a long Prefer does not keep the service busy', { timeout: 30_000 }, async () => {
    for (let i = 0; i < 200; i++) assert.equal((await get({ Prefer: '"\\'.repeat(7_500) })).status, 200);
  });

  test('by a Fault whose parameters are integers and tokens; the last of several equal parameters counts', async () => {
    for (const Fault of [
      'status;status=503',
      ' status; status=503;when=before ',
      'status;status=0503',
      'status;status=404;status=503',
    ]) {
      assert.equal((await get({ Fault })).status, 503, Fault);
    }
  });

  test('and a Fault with a value of another type is refused', async () => {
    for (const Fault of [
      'status;status=503.0',
      'status;status="503"',
      'status;status=s503',
      'status;status=?1',
      'status;status',
      'status;status=:NTAz:',
      'status;status=@503',
      'status;status=%"503"',
      'status;status=503;when="before"',
      'status;status=503;when',
      'status;status=503;when=1',
      'status ;status=503',
      'status;Status=503',
      'status;status=503;',
      'status;status=+503',
      'status;status=5e2',
      '(status);status=503',
      '"status";status=503',
    ]) {
      const response = await get({ Fault });
      assert.deepEqual([response.status, (response.json() as { readonly error: number }).error], [400, 40020], Fault);
    }
  });

  test('and the message repeats only the beginning of a long name', async () => {
    const short = await get({ Fault: 'reset;unknown=1' });
    assert.match(short.text, /unknown is unknown; the members are kind, connection, .+, other\./);
    const long = await get({ Fault: `reset;${'x'.repeat(12_000)}=1` });
    assert.match(long.text, /x{60}… is unknown;/);
    assert.ok(long.text.length < 600, String(long.text.length));
  });

  test('and none with Fault: none, which no rule counts and the record leaves out', async () => {
    const watched = await enterSandbox(service);
    const rule = { fault: { kind: 'status', status: 503 }, times: 1 };
    await watched.send('PUT', '/sandbox/faults', { body: [rule] });
    const headers = { Fault: 'none' };
    for (const method of ['GET', 'HEAD'])
      assert.equal((await watched.send(method, '/plants', { headers })).status, 200);
    const counts = async () => (await watched.send('GET', '/sandbox/faults/counts')).json();
    const recorded = async () => (await watched.send('GET', '/sandbox/requests')).json() as readonly unknown[];
    assert.deepEqual([await counts(), await recorded()], [[{ rule, matched: 0, applied: 0 }], []]);
    // A request that may change a plant cannot hide.
    const refused = await watched.send('POST', '/plants', { headers, body: { id: 12, name: 'Aloe' } });
    assert.equal((refused.json() as { error: number }).error, 40020);
    assert.match(refused.text, /: none is only for GET and HEAD\. Leave Fault out/);
    assert.equal((await recorded()).length, 1);
    assert.equal((await watched.send('GET', '/plants')).status, 503);
    assert.deepEqual(await counts(), [{ rule, matched: 1, applied: 1 }]);
    watched.close();
  });
});
