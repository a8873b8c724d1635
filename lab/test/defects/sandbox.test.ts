/** The defects of the sandboxes' API: their lines show them, and the clean service responds correctly to them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { parse } from 'yaml';
import { refusedWith, runHere } from '../../../test/harness/process.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import type { Counts } from '../../defects/counts.ts';
import { API_NAMES, defectsOf, plantDefect, variantsOf } from '../../defects/index.ts';
import { responsesIn, runLine, withoutChance, withoutRepeats } from './line.ts';

/** Runs a line in a sandbox of its own. */
async function runIn({ client: { url } }: TestService, line: string): Promise<Buffer> {
  const { token } = (await (await fetch(`${url}/sandboxes`, { method: 'POST' })).json()) as { readonly token: string };
  return runLine(line, { PLANTSTORE_URL: url, PLANTSTORE_TOKEN: token });
}

/** Removes what differs between two sandboxes and two services. */
const withoutNames = (printed: Buffer) =>
  withoutChance(printed)
    .replace(/"(?:id|token|createdAt|expiresAt|at)":"[^"]*"/g, '')
    .replace(/"(?:milliseconds|connection)":\d+|127\.0\.0\.1:\d+|Content-Length: \d+/g, '');

const clean = await startTestService({ sandboxes: 100 });
after(() => clean[Symbol.asyncDispose]());

describe('a planted defect of the sandboxes', { concurrency: 4 }, () => {
  for (const defect of defectsOf('sandboxes')) {
    test(`${defect.name}: its example shows the defect, but not on the clean service`, async () => {
      const printed = await runIn(clean, defect.show);
      const statuses = responsesIn(printed).map(({ status }) => status);
      const promised = [...defect.clean.matchAll(/\b[2-5]\d\d\b/g)].map(([status]) => Number(status));
      assert.deepEqual(withoutRepeats(statuses), withoutRepeats(promised), printed.toString());

      let counts: Counts | undefined;
      const planted = plantDefect(defect.name, undefined, (sent) => {
        counts = { ...sent };
      });
      await using service = await startTestService({ sandboxes: 10, features: [planted] });
      const wrong = await runIn(service, defect.show);
      assert.notEqual(withoutNames(wrong), withoutNames(printed));
      assert.ok(counts !== undefined && counts.triggered > 0 && counts.candidates > 0, JSON.stringify(counts));
      // The line is not the only difference: on a clean service it prints the same again.
      assert.equal(withoutNames(await runIn(clean, defect.show)), withoutNames(printed));
    });
  }
});

test('a planted defect of the sandboxes leaves the highest int64 in a fault rule as it is', async () => {
  const rules = '[{"fault":{"kind":"reset"},"match":{"id":9223372036854775807}}]';
  for (const { name } of defectsOf('sandboxes')) {
    await using service = await startTestService({ sandboxes: 10, features: [plantDefect(name)] });
    const put = `curl -s "$PLANTSTORE_URL/sandbox/faults" -X PUT -H 'Content-Type: application/json' -d '${rules}' \\
      -H "Authorization: Bearer $PLANTSTORE_TOKEN"`;
    assert.equal(String(await runIn(service, put)), rules, name);
  }
});

test('every defect of the sandboxes breaks an existing rule of sandbox.yaml, and has a name of its own', () => {
  const description = readFileSync('contract/sandbox.yaml', 'utf8');
  const document = parse(description);
  for (const { name, breaks, ruleIn } of defectsOf('sandboxes')) {
    const keys = breaks.split('/').map((key) => key.replaceAll('~1', '/'));
    const isThere =
      ruleIn === 'schema'
        ? keys.slice(1).reduce((node, key) => node?.[key], document) !== undefined
        : description.replace(/\s+/g, ' ').includes(breaks);
    assert.ok(isThere, `${name}: ${breaks}`);
    assert.equal(variantsOf(name).length, 1, `${name}: a defect of the sandboxes has no variants`);
  }
  const names = API_NAMES.flatMap((api) => defectsOf(api)).map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(defectsOf('sandboxes').length >= 10);
});

test('serve plants a defect of the sandboxes only with sandboxes', async () => {
  const refused = await runHere(['serve', '--defect', 'sandbox-status-undeclared']);
  refusedWith(refused, 2, /--defect sandbox-status-undeclared needs --sandboxes or --demo/);
  await using service = await startTestService({ sandboxes: 10, features: [plantDefect('sandbox-status-undeclared')] });
  assert.equal((await fetch(`${service.client.url}/sandboxes`, { method: 'POST' })).status, 200);
});
