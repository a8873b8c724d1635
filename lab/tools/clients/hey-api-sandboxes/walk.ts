/** The walk for sandboxes: create a sandbox, add faults, read the record of requests, reset and delete the sandbox. */
import assert from 'node:assert/strict';
import { client } from './client/client.gen.js';
import {
  createSandbox,
  createSnapshot,
  deleteSandbox,
  getSandbox,
  listRequests,
  putFaults,
  resetSandbox,
} from './client/index.js';

const made = await createSandbox({ body: { plants: 'garden', ttl: 60 } });
assert.equal(made.response?.status, 201);
const token = made.data?.token ?? '';
client.setConfig({ auth: token });

const found = await getSandbox();
assert.deepEqual([found.data?.id, found.data?.plants, found.data?.snapshots], [made.data?.id, 'garden', []]);
const rule = { fault: { kind: 'status', status: 503 }, times: 1 } as const;
assert.deepEqual((await putFaults({ body: [rule] })).data, [rule]);
const { baseUrl } = client.getConfig();
for (const status of [503, 200]) {
  const response = await fetch(`${baseUrl}/plants`, { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(response.status, status);
}
assert.deepEqual(
  (await listRequests()).data?.map(({ status, error }) => [status, error]),
  [
    [503, 50300],
    [200, undefined],
  ],
);
assert.equal((await createSnapshot()).data?.number, 1);
assert.equal((await resetSandbox({ query: { snapshot: 1 } })).response?.status, 204);
assert.equal((await resetSandbox({ query: { snapshot: 2 } })).error?.error, 40402);
assert.equal((await deleteSandbox()).response?.status, 204);
assert.equal((await getSandbox()).error?.error, 40102);
