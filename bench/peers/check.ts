/** `node bench/peers/check.ts`: starts every peer that is installed and holds it to the workloads that it says it serves. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, start, TOKEN } from '../servers.ts';
import { PEERS, type Peer, type Workload } from './index.ts';
import { seed } from './seed.ts';

const SEEDED = 1_000;
/** Descending, so that a list in the order of creation is found out. */
const idOf = (index: number) => 10 * (SEEDED - index);
const ALOE = { id: 7, name: 'Aloe vera', tag: 'succulent' };
const UNTAGGED = { id: 2 ** 53 - 1, name: 'Monstera deliciosa' };

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

for (const peer of PEERS) {
  const directory = mkdtempSync(join(tmpdir(), 'plantstore-peer-'));
  try {
    if (peer.command({ directory, port: 0, token: TOKEN }) === undefined) {
      console.log(`${peer.name}: not installed`);
      continue;
    }
    if (peer.file !== undefined) seed(directory, peer.file, SEEDED, idOf);
    const server = await start(peer, directory);
    try {
      await check(peer, server);
    } finally {
      await server.stop();
    }
    console.log(`${peer.name}: ${peer.workloads.join(', ')}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function check(peer: Peer, server: Server): Promise<void> {
  const serves = (workload: Workload) => peer.workloads.includes(workload);
  const keeps = peer.file !== undefined;
  const ask = (method: string, path: string, body?: object) => answerOf(server, method, path, body);
  const { id, ...content } = ALOE;

  const created = await ask('POST', '/plants', ALOE);
  assert.equal(Math.floor(created.status / 100), 2);
  assert.partialDeepStrictEqual(created.body, content);
  if (keeps) assert.equal((await answerOf(server, 'GET', '/plants/7', undefined, 'another')).status, 401);
  if (keeps && serves('retry')) {
    assert.deepEqual(created, { status: 200, body: content });
    assert.deepEqual(await ask('POST', '/plants', ALOE), created);
    assert.equal((await ask('POST', '/plants', { ...ALOE, name: 'Aloe ferox' })).status, 400);
    const { id: last, ...untagged } = UNTAGGED;
    assert.deepEqual(await ask('POST', '/plants', UNTAGGED), { status: 200, body: untagged });
    assert.deepEqual(await ask('GET', `/plants/${last}`), { status: 200, body: UNTAGGED });
    // What is wrong by type alone is left out: Fastify turns "7" into 7, by default.
    for (const wrong of [{ id }, { ...ALOE, id: 7.5 }, { ...ALOE, tag: 'x'.repeat(1_025) }]) {
      assert.equal((await ask('POST', '/plants', wrong)).status, 400, JSON.stringify(wrong));
    }
    assert.equal((await ask('GET', '/plants/8')).status, 404);
    assert.equal((await ask('GET', '/plants/x')).status, 400);
    assert.equal((await ask('PUT', '/plants/8', content)).status, 404);
  }
  if (serves('get')) {
    const got = await ask('GET', `/plants/${id}`);
    assert.equal(got.status, 200);
    if (keeps) assert.deepEqual(got.body, ALOE);
  }
  if (serves('list')) {
    const { status, body } = await ask('GET', '/plants?limit=100');
    assert.equal(status, 200);
    assert(Array.isArray(body));
    if (keeps) {
      const seeded = Array.from({ length: 99 }, (_, i) => ({ id: 10 * (i + 1), tag: 'succulent' }));
      assert.partialDeepStrictEqual(body, [ALOE, ...seeded]);
      assert.equal(body.length, 100);
    }
  }
  if (serves('replace')) {
    const replaced = { name: 'Aloe ferox', tag: 'medicinal' };
    const { status, body } = await ask('PUT', `/plants/${id}`, replaced);
    assert.equal(status, 200);
    if (keeps) {
      assert.deepEqual(body, { id, ...replaced });
      assert.deepEqual((await ask('GET', `/plants/${id}`)).body, { id, ...replaced });
    }
  }
}

async function answerOf(
  { url }: Server,
  method: string,
  path: string,
  body: object | undefined,
  token = TOKEN,
): Promise<Answer> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  return { status: answer.status, body: await answer.json() };
}
