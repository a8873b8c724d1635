/** The message of a refused Content-Type names the parameter that is wrong. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { errorOf } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const post = (headers: Record<string, string>) =>
  service.client.send('POST', '/plants', { body: { id: 1, name: 'Aloe' }, headers });

for (const [parameters, named] of [
  ['charset=utf8', /Its charset must be utf-8, not utf8\./],
  ['charset=UTF-8; charset="latin1"', /Its charset must be utf-8, not \\"latin1\\"\./],
  ['charset=', /Its charset must be utf-8, not empty\./],
  ['charset=utf-8;version=s3cret', /It must not have the parameter version; remove it\./],
  ['odata.metadata', /It must not have the parameter odata\.metadata; remove it\./],
  ['"', /Its parameters are malformed; remove them\./],
] as const) {
  test(`a Content-Type with ${parameters} is refused, and the message names the parameter`, async () => {
    const response = await post({ 'Content-Type': `application/json; ${parameters}` });
    assert.equal(errorOf(response), 40002);
    assert.match(response.text, named);
    assert.doesNotMatch(response.text, /s3cret/);
  });
}

test('an empty Content-Encoding is a list without a coding', async () => {
  for (const field of ['', ',', ' , ,']) assert.equal((await post({ 'Content-Encoding': field })).status, 200, field);
  for (const field of [',gzip', 'identity']) assert.equal(errorOf(await post({ 'Content-Encoding': field })), 40002);
});
