/** The line of every planted defect shows the defect, and the clean service responds correctly to it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { parse } from 'yaml';
import { hashToken } from '../../../src/auth/token.ts';
import { parseExact } from '../../../test/harness/client.ts';
import { checkResponse } from '../../../test/harness/contract.ts';
import { briefOrLong } from '../../../test/harness/long.ts';
import { PLANTSTORE, refusedWith, runHere, serveProcess } from '../../../test/harness/process.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import {
  API_NAMES,
  type Counts,
  DEFECTS,
  type Defect,
  defectsOf,
  plantDefect,
  variantsOf,
} from '../../defects/index.ts';
import { SCENARIOS as CLIENT_SCENARIOS } from '../../grade/client/scenarios.ts';
import { SCENARIOS as RECEIVER_SCENARIOS } from '../../grade/receiver/scenarios.ts';
import { responsesIn, runLine, withoutChance, withoutRepeats } from './line.ts';

/** The rate limit of the grader, with a window that is long enough for slow machines. */
const RATE_LIMIT = { quota: 2_500, window: 600 };

let shown = 0;

/** Runs the line of a defect in its own stores, and returns the output. */
async function show(service: TestService, { show }: Defect): Promise<Buffer> {
  const tokenOf = async (credential: Parameters<TestService['as']>[0]) => (await service.as(credential)).token;
  // Defects that accept any credential use the store default.
  const store = service === clean ? `store-${shown++}` : 'default';
  const revoked = await tokenOf({ store });
  await service.engine.tokens.revoke(hashToken(revoked), Date.now());
  const env = {
    PLANTSTORE_URL: service.client.url,
    PLANTSTORE_TOKEN: await tokenOf({ store }),
    PLANTSTORE_READ_TOKEN: await tokenOf({ store, scopes: ['plants:read'] }),
    PLANTSTORE_EXPIRED_TOKEN: await tokenOf({ store, expiresAt: 1 }),
    PLANTSTORE_OTHER_TOKEN: await tokenOf({ store: `${store}-other` }),
    PLANTSTORE_REVOKED_TOKEN: revoked,
  };
  return runLine(show, env);
}

const clean = await startTestService({ rateLimit: RATE_LIMIT });
after(() => clean[Symbol.asyncDispose]());

/** Every third published defect, or all with their variants of two seeds. */
const planted = new Map(
  briefOrLong<readonly (number | undefined)[]>([undefined], [undefined, 1, 2]).flatMap((seed) =>
    defectsOf('plants', seed)
      .filter((_, i) => i % briefOrLong(3, 1) === 0)
      .map((defect) => [`${defect.name}: ${defect.does}`, { seed, defect }]),
  ),
);

describe('a planted defect', { concurrency: 4 }, () => {
  for (const [title, { seed, defect }] of planted) {
    test(`${title} Its example shows it, but not on the clean service`, async () => {
      const printed = await show(clean, defect);
      const responses = responsesIn(printed);
      const promised = [...defect.clean.matchAll(/\b[2-5]\d\d\b/g)].map(([status]) => Number(status));
      const statuses = responses.map(({ status }) => status);
      assert.deepEqual(withoutRepeats(statuses), withoutRepeats(promised), printed.toString().slice(0, 2_000));
      const targets = [...defect.show.matchAll(/"\$PLANTSTORE_URL([^"$]+)"(.*?)(?= --next|$)/g)];
      for (const [i, response] of targets.length === responses.length ? responses.entries() : []) {
        const [, target = '', options = ''] = targets[i] ?? [];
        const method = /-X (\w+)/.exec(options)?.[1] ?? (/--json| -d /.test(options) ? 'POST' : 'GET');
        const { headers, status, text } = response;
        const isHead = options.includes(' -I');
        checkResponse(isHead ? 'HEAD' : method, target, { headers, status, text, json: () => parseExact(text) });
      }

      let counts: Counts | undefined;
      const feature = plantDefect(defect.name, seed, (sent) => {
        counts = { ...sent };
      });
      await using service = await startTestService({ rateLimit: RATE_LIMIT, features: [feature] });
      const wrong = await show(service, defect);
      assert.notEqual(withoutChance(wrong), withoutChance(printed));
      assert.ok(counts !== undefined && counts.triggered > 0, JSON.stringify(counts));
      assert.ok(counts.candidates > 0 && counts.candidates <= counts.requests, JSON.stringify(counts));
      // The response to a request before a pipe is not printed. A request that hangs has no response to count.
      const hidden = Number(defect.show.includes('| sed')) - Number(defect.show.includes('-m 3'));
      assert.equal(counts.requests, responses.length + hidden);
    });
  }
});

test('a request that hangs gets its response when the service stops', async () => {
  const { promise: triggered, resolve } = Promise.withResolvers<void>();
  const feature = plantDefect('request-hangs', undefined, ({ triggered }) => triggered > 0 && resolve());
  const service = await startTestService({ features: [feature] });
  const hanging = service.client.send('GET', '/plants?tag=');
  await triggered;
  await service.running.close();
  assert.equal((await hanging).status, 200);
  await service[Symbol.asyncDispose]();
});

test('every defect quotes an existing sentence, or points to an existing part of the description', () => {
  const description = readFileSync('contract/openapi.yaml', 'utf8');
  const document = parse(description);
  const prose = description.replaceAll(/\s+/g, ' ');
  for (const { name, breaks, ruleIn } of DEFECTS.flatMap(({ name }) => variantsOf(name))) {
    const keys = breaks.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const isThere =
      ruleIn === 'schema'
        ? keys.slice(1).reduce((node, key) => node?.[key], document) !== undefined
        : prose.includes(breaks);
    assert.ok(isThere, `${name}: ${breaks}`);
  }
  assert.equal(new Set(DEFECTS.map(({ name }) => name)).size, DEFECTS.length);
  assert.ok(DEFECTS.length >= 75);
});

test('a service takes its defect only from its channel, sends its counts there, and ends with it', async () => {
  const args = ['serve', '--port', '0', '--database', 'temporary'];
  const child = spawn(PLANTSTORE, args, {
    env: { ...process.env, GRADE_CHANNEL: '3' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const channel = child.stdio[3] as Duplex;
  const messages = createInterface({ input: channel });
  channel.write('{"defect": "success-status-undeclared", "variants": null}\n');
  const ready = once(messages, 'line');
  const said = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    said.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    said.stderr += chunk;
  });
  while (!/curl[\s\S]*\n\n/.test(said.stdout)) await once(child.stdout as Readable, 'data');
  const { url } = JSON.parse((await ready)[0]);
  const [token = ''] = /pst_\w+/.exec(said.stdout) ?? [];
  const counted = once(messages, 'line');
  const body = '{"id": 1, "name": "Agave"}';
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  assert.equal((await fetch(`${url}/plants`, { method: 'POST', headers, body })).status, 201);
  const { counts } = JSON.parse((await counted)[0]);
  const { milliseconds } = counts.first;
  assert.ok(Number.isInteger(milliseconds) && milliseconds >= 0);
  assert.deepEqual(counts, {
    candidates: 1,
    triggered: 1,
    requests: 1,
    succeeded: 1,
    credentials: 1,
    first: { requests: 1, milliseconds },
    reached: ['createPlant 201'],
  });
  assert.match(said.stderr, /a defect is planted/);
  const [, database = ''] = /Data: (\S+),/.exec(said.stdout) ?? [];
  assert.ok(existsSync(database));
  channel.end();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.ok(!existsSync(database));
});

test('no two defects have the same name, and no two scenarios of clients or of receivers', () => {
  for (const all of [API_NAMES.flatMap((api) => defectsOf(api)), CLIENT_SCENARIOS, RECEIVER_SCENARIOS]) {
    const names = all.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name, i) => names.indexOf(name) < i),
      [],
    );
  }
});

test('a seed draws the same variants each time, never a published defect, and another seed draws others', () => {
  const textOf = (seed?: number) => JSON.stringify(defectsOf('plants', seed));
  assert.equal(textOf(1), textOf(1));
  assert.notEqual(textOf(1), textOf(2));
  for (const [i, { name, does, show, operation }] of DEFECTS.entries()) {
    const variants = variantsOf(name);
    assert.deepEqual(variants[0]?.does, does);
    assert.equal(new Set(variants.map((variant) => variant.does)).size, variants.length, name);
    const drawn = defectsOf('plants', 1)[i];
    const isDrawn = variants.findIndex((variant) => variant.does === drawn?.does);
    assert.ok(variants.length === 1 ? isDrawn === 0 : isDrawn > 0, `${name}: ${drawn?.does} ${show} ${operation}`);
  }
});

test('most defects have at least five variants', () => {
  const counts = DEFECTS.map(({ name }) => variantsOf(name).length - 1);
  assert.ok(counts.filter((count) => count >= 5).length >= 50, counts.join());
});

test('serve plants the variant that plantstore defects shows for the seed', async () => {
  const { stdout } = await runHere(['defects', '--json', '--variants', '6']);
  const shown = (JSON.parse(stdout) as Defect[]).find(({ name }) => name === 'success-status-undeclared');
  assert.equal(shown?.does, 'POST /plants returns 202.');
  await using service = await startTestService({ features: [plantDefect('success-status-undeclared', 6)] });
  assert.match((await show(service, shown)).toString(), /^HTTP\/1.1 202 /);
});

test('serve refuses --variants without --defect', async () => {
  refusedWith(await runHere(['serve', '--variants', '5']), 2, /--variants needs --defect/);
});

test('serve refuses an unknown defect in one line', async () => {
  const refused = await runHere(['serve', '--defect', 'success-status-undeclred']);
  refusedWith(refused, 2, /--defect: there is no such defect \(did you mean success-status-undeclared\?\)/);
});

test('plantstore defects --json prints every member of each defect', async () => {
  const { code, stdout } = await runHere(['defects', '--json']);
  const keys = ['breaks', 'clean', 'does', 'name', 'operation', 'ruleIn', 'show', 'tier', 'wfc'];
  for (const { owasp, cwe, ...defect } of JSON.parse(stdout)) {
    assert.deepEqual(Object.keys(defect).sort(), keys);
    assert.match(owasp ?? 'API1', /^API(?:[1-9]|10)$/);
    assert.ok(Number.isInteger(cwe ?? 1));
  }
  assert.equal(code, 0);
});

test('plantstore defects lists the defects of the sandboxes, and refuses options that exclude each other', async () => {
  const { stdout } = await runHere(['defects', '--sandboxes']);
  assert.match(stdout, /^sandbox-status-undeclared +schema +POST \/sandboxes returns 200\.$/m);
  assert.doesNotMatch(stdout, /^success-status-undeclared/m);
  const both = ['--mystery', '1', '--variants', '1'];
  refusedWith(await runHere(['defects', ...both]), 2, /--variants cannot be given with --mystery/);
  refusedWith(
    await runHere(['defects', '--sandboxes', '--variants', '1']),
    2,
    /--variants cannot be given with --sand/,
  );
});

describe('a mystery', () => {
  const revealed = async (number: number) => {
    const { code, stdout } = await runHere(['defects', '--json', '--mystery', String(number)]);
    assert.equal(code, 0);
    const [defect] = JSON.parse(stdout) as Defect[];
    return defect as Defect;
  };

  test('is one of the defects that the bug hunt lists, and one token is enough to show it', async () => {
    const all = await Promise.all(Array.from({ length: 64 }, (_, number) => revealed(number)));
    const found = DEFECTS.filter(({ name }) => all.some((one) => one.name === name));
    const listed = readFileSync('docs/guide/bug-hunt.md', 'utf8').match(/(?<=^- )(?!\*\*|What).+$/gm);
    assert.deepEqual(
      found.map(({ does }) => does),
      listed,
    );
    for (const { name, show } of found) assert.doesNotMatch(show, /PLANTSTORE_\w+_TOKEN/, name);
    for (const [number, { name }] of all.entries()) assert.notEqual(name, all[number + 1]?.name);
    // The bug hunt recommends these numbers after the hunt with 7.
    const recommended = all.slice(7, 39).map(({ name }) => name);
    assert.equal(new Set(recommended).size, recommended.length);
    assert.equal((await revealed(1_000_000)).name, all[1_000_000 % found.length]?.name);
  });

  test('is planted by its number, and neither the greeting nor the log nor the metrics name it', async () => {
    const args = ['--demo', '--mystery', '9', '--admin', '127.0.0.1:0'];
    const service = await serveProcess(args);
    const headers = { Authorization: 'Bearer demo', 'Content-Type': 'application/json' };
    const body = '{"id":60,"name":"Iris"}';
    assert.equal((await fetch(`${service.url}/plants`, { method: 'POST', headers, body })).status, 201);
    const [, admin = ''] = /"admin":"([^"]+)"/.exec(service.stderr()) ?? [];
    const metrics = await (await fetch(`${admin}/metrics`)).text();
    assert.equal(await service.stop('SIGTERM'), 0);
    const { name, does } = await revealed(9);
    assert.equal(name, 'success-status-undeclared');
    assert.match(service.stdout(), /has one secret defect\. To reveal it: bin\/plantstore defects --mystery 9\n/);
    for (const text of [service.stdout(), service.stderr(), metrics]) {
      assert.ok(text !== '' && !text.includes(name) && !text.includes(does), text);
    }
  });

  test('cannot be given with --defect, and its number has limits', async () => {
    const args = ['serve', '--mystery', '1', '--defect', 'success-status-undeclared'];
    refusedWith(await runHere(args), 2, /--mystery cannot be given with --defect/);
    for (const command of ['serve', 'defects']) {
      refusedWith(
        await runHere([command, '--mystery', '1000001']),
        2,
        /--mystery: it must be an integer from 0 to 1000000/,
      );
    }
  });
});
