/** `plantstore serve --demo --fault …`: a demo whose sandbox has rules of faults from its start. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../harness/client.ts';
import { refusedWith, runHere, serveProcess } from '../harness/process.ts';

const TWO = ['--fault', 'delay;ms=1;times=2', '--fault', 'status;status=503;operation=createPlant;share=20;seed=7'];

test('a demo begins with the rules of --fault, which a client can read and delete like any other', async () => {
  const service = await serveProcess(['--demo', ...TWO]);
  const client = createClient(service.url, 'demo');
  try {
    assert.match(service.stdout(), /^ {2}Faults: delay, status, until you switch them off on the page$/m);
    assert.deepEqual((await client.send('GET', '/sandbox/faults')).json(), [
      { fault: { kind: 'delay', ms: 1 }, times: 2 },
      { fault: { kind: 'status', status: 503 }, match: { operation: 'createPlant' }, share: 20, seed: 7 },
    ]);
    const failed: number[] = [];
    for (let id = 1_000; id < 1_040; id++) {
      const { status } = await client.send('POST', '/plants', { body: { id, name: 'Agave' } });
      if (status === 503) failed.push(id);
    }
    const counts = (await client.send('GET', '/sandbox/faults/counts')).json();
    assert.deepEqual(
      (counts as { applied: number }[]).map(({ applied }) => applied),
      [2, failed.length],
    );
    assert.ok(failed.length > 0 && failed.length < 20, String(failed));
    assert.equal((await client.send('DELETE', '/sandbox/faults')).status, 204);
    assert.equal((await client.send('POST', '/plants', { body: { id: 2_000, name: 'Agave' } })).status, 200);
  } finally {
    client.close();
    await service.stop('SIGTERM');
  }
});

test('the rules of --fault may be in one text, with the members of a rule, spaces and an exact id', async () => {
  const rules =
    'status; status=404; operation=getPlant; id=-7; skip=1 reset;connection=first;when=afterCommit ' +
    'delay;ms=5;leave=continue;other=delete silent gap;event=2 delay;ms=5;id=0';
  const service = await serveProcess(['--demo'], { PLANTSTORE_FAULT: rules });
  const client = createClient(service.url, 'demo');
  try {
    assert.deepEqual((await client.send('GET', '/sandbox/faults')).json(), [
      { fault: { kind: 'status', status: 404 }, match: { operation: 'getPlant', id: -7 }, skip: 1 },
      { fault: { kind: 'reset', connection: 'first' }, when: 'afterCommit' },
      { fault: { kind: 'delay', ms: 5, leave: 'continue', other: 'delete' } },
      { fault: { kind: 'silent' } },
      { fault: { kind: 'gap', event: 2 } },
      { fault: { kind: 'delay', ms: 5 }, match: { id: 0 } },
    ]);
  } finally {
    client.close();
    await service.stop('SIGTERM');
  }
});

test('a wrong rule ends the start with its place, the reason and examples', async () => {
  for (const [rule, why] of [
    ['', /--fault: .*rule 1 is wrong: it must be a kind of fault/],
    ['delay', /rule 1 is wrong: fault: the kind delay needs ms/],
    ['delay,ms=5', /rule 1 is wrong: it must be a kind of fault, and parameters/],
    ['delay;ms=0', /rule 1 is wrong: ms must be an integer/],
    ['delay;ms=1.5', /rule 1 is wrong: it must be/],
    ['delay;ms=5;rate=2', /rule 1 is wrong: fault: the kind delay takes no rate/],
    ['delay;ms=5;latency=2', /rule 1 is wrong: latency .*; a rule also takes operation, .*when, .*share/],
    ['delay;ms=5;share=101', /rule 1 is wrong: share must be/],
    ['delay;ms=5;when=later', /rule 1 is wrong: when must be/],
    ['storm', /rule 1 is wrong: kind must be/],
    ['status;status=503;operation=plantTree', /rule 1 is wrong: operation must be one of listPlants/],
    ['status;status=503;operation=listPlants;id=5', /rule 1 is wrong: id: a request for listPlants has no plant/],
    ['reset;message=any', /rule 1 is wrong: messages of webhooks cannot have the kind reset/],
    ['unsigned;operation=getPlant', /rule 1 is wrong: the kind unsigned is .* Leave operation and id out/],
    ['status;status=418', /rule 1 is wrong: fault: .* cannot respond with 418/],
    ['delay;ms=5 delay;ms=x', /rule 2 is wrong: ms must be an integer/],
    [
      Array(17)
        .fill(`proxy;status=502;body=${'x'.repeat(1_024)}`)
        .join(' '),
      /over 16384 characters as JSON/,
    ],
    [Array(21).fill('delay;ms=5').join(' '), /a sandbox has at most 20 rules/],
  ] as const) {
    const refused = await runHere(['serve', '--demo', '--port', '0', '--fault', rule]);
    assert.match(refused.stderr, why, rule);
    assert.ok(refused.code === 1 || refused.code === 2, rule);
    assert.equal(refused.stderr.trim().split('\n').length, 1, refused.stderr);
  }
});

test('the start warns of rules that never apply', async () => {
  for (const [rules, warning] of [
    [['delay;ms=5', 'status;status=503;share=20'], /rule 1 applies to every request, so the rules after it never do/],
    [['status;status=503;share=20', 'delay;ms=5'], undefined],
    [['delay;ms=5;times=3', 'delay;ms=9;skip=1', 'delay;ms=7;operation=getPlant', 'silent', 'slow;rate=9'], undefined],
  ] as const) {
    const service = await serveProcess(['--demo', ...rules.flatMap((rule) => ['--fault', rule])]);
    await service.stop('SIGTERM');
    if (warning === undefined) assert.doesNotMatch(service.stdout(), /applies to every request/);
    else assert.match(service.stdout(), warning);
  }
});

test('--fault needs a demo', async () => {
  for (const options of [[], ['--sandboxes', '5']]) {
    const refused = await runHere(['serve', '--port', '0', ...options, '--fault', 'delay;ms=5']);
    refusedWith(refused, 2, /--fault cannot be given without --demo: .* Add --demo/);
  }
});
