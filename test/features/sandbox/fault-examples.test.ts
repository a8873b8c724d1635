/** The examples of each kind of fault are rules that the service accepts. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { KINDS } from '../../../src/features/sandbox/faults/fault-kinds.generated.ts';
import { startTestService } from '../../harness/service.ts';
import { enterSandbox, QUICK } from './sandbox.ts';

describe('each kind of fault', async () => {
  const service = await startTestService({ sandboxes: 100, webhooks: true, sandboxTimes: QUICK });
  const client = await enterSandbox(service);
  after(async () => {
    client.close();
    await service[Symbol.asyncDispose]();
  });

  for (const [kind, { example, variations = [], pageSwitch }] of Object.entries(KINDS)) {
    test(`has examples that are rules of the API (${kind})`, async () => {
      const examples = [example, ...variations.map(([members]) => members)];
      const rules = [
        ...examples.map((members) => ({ fault: { kind, ...members } })),
        ...(pageSwitch ? [pageSwitch.rule] : []),
      ];
      const response = await client.send('PUT', '/sandbox/faults', { body: rules });
      assert.deepEqual([response.status, response.json()], [200, rules]);
    });
  }

  test('has an example that the header field Fault can have', async () => {
    const refuse = async (field: string) => {
      const { text } = await client.send('GET', '/plants', { headers: { Fault: field } });
      const [, why = '', examples = ''] = /^.* is wrong: (.*) Examples: (.*)\."\}$/.exec(text) ?? assert.fail(text);
      return { why, examples: examples.split(', ') };
    };
    const { examples } = await refuse('no fault');
    assert.ok(examples.length > 10);
    // With another member, which no fault has, the service reads the example but does not apply the fault.
    for (const example of examples)
      assert.doesNotMatch((await refuse(`${example};other-member=1`)).why, /RFC 9651/, example);
  });
});
