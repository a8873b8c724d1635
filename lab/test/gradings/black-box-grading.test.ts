/**
 * Grades the project's own black box (lab/test/black-box) like any other tester, and tries it on variants of the
 * defects.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { hashToken } from '../../../src/auth/token.ts';
import type { OpenFeature } from '../../../src/feature.ts';
import { createDirectory } from '../../../test/harness/directory.ts';
import { runCommand } from '../../../test/harness/process.ts';
import { startTestService } from '../../../test/harness/service.ts';
import { DEFECTS, type Defect, defectsOf, plantDefect, variantsOf } from '../../defects/index.ts';
import { CHECKS, findBroken } from '../black-box/checks.ts';
import { EVENT_CHECKS } from '../black-box/checks-events.ts';

interface Grading {
  readonly falseAlarms: readonly unknown[];
  readonly defects: readonly { readonly name: string; readonly outcome: string }[];
}

/** Seeds that the black box was not written for. */
const SEEDS = [11, 12, 13];
/** The rate limit of the grader, with a window that is long enough for slow machines. */
const RATE_LIMIT = { quota: 2_500, window: 600 };
/** How many variants are tried at the same time. A response that never comes then costs little. */
const AT_ONCE = 4;

const plain = (text: string) => text.replace(/\s+/g, ' ');
const description = plain(readFileSync('contract/openapi.yaml', 'utf8'));
/** Whether the violated rule is in the description, as a schema or as a sentence. */
const isDescribed = ({ ruleIn, breaks }: Defect) => ruleIn === 'schema' || description.includes(breaks);

/** Grades the black box, and returns the names of the defects that it notices. It must notice nothing else. */
async function grade(count: number, options: readonly string[], ...args: readonly string[]): Promise<Set<string>> {
  using directory = createDirectory();
  const json = directory.at('grading.json');
  const files = ['--jobs', '2', '--output', directory.at('printed'), '--json', json];
  const tester = [process.execPath, resolve('lab/test/black-box/run.ts'), '--first', ...args];
  const { code, stderr } = await runCommand(['grade', ...files, ...options, '--', ...tester]);
  assert.equal(code, 0, stderr);
  const { falseAlarms, defects } = JSON.parse(readFileSync(json, 'utf8')) as Grading;
  assert.deepEqual(falseAlarms, []);
  assert.equal(defects.length, count);
  return new Set(defects.filter(({ outcome }) => outcome === 'noticed').map(({ name }) => name));
}

test('the black box notices 95 % of the described defects, and nothing on the clean service', async () => {
  const described = DEFECTS.filter(isDescribed);
  const noticed = await grade(DEFECTS.length, []);
  const missed = described.filter(({ name }) => !noticed.has(name)).map(({ name }) => name);
  assert.ok(missed.length <= described.length * 0.05, `not noticed: ${missed.join(', ')}`);
});

test('the black box notices every defect of the events, and nothing on the clean service', async () => {
  const names = defectsOf('events').map(({ name }) => name);
  const noticed = await grade(names.length, ['--manifest', 'events'], '--events');
  assert.deepEqual([...noticed].sort(), names.sort());
});

test('the black box finds every variant of each defect of the events', async () => {
  const missed: string[] = [];
  for (const { name } of defectsOf('events')) {
    for (const { does, plant } of variantsOf(name)) {
      const feature: OpenFeature = ({ engine }) => plant(() => undefined, { engine });
      if (!(await isFound(feature, 1, EVENT_CHECKS))) missed.push(`${name}: ${does}`);
    }
  }
  assert.deepEqual(missed, []);
  assert.ok(!(await isFound(() => ({}), 1, EVENT_CHECKS)), 'a false alarm');
});

for (const seed of SEEDS) {
  test(`the black box finds 95 % of the described defects in the variants of the seed ${seed}`, async () => {
    const described = defectsOf('plants', seed).filter(isDescribed);
    const left = described.values();
    const missed: string[] = [];
    const tryRest = async () => {
      for (const { name, does } of left)
        if (
          !(await isFound(
            plantDefect(name, seed, () => undefined),
            seed,
          ))
        )
          missed.push(`${name}: ${does}`);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, tryRest));
    assert.ok(missed.length <= described.length * 0.05, missed.join('\n'));
  });
}

/** Whether a rule does not hold on a service in this process with a defect. */
async function isFound(defect: OpenFeature, seed: number, checks = CHECKS): Promise<boolean> {
  const events = checks === EVENT_CHECKS;
  await using service = await startTestService({ rateLimit: RATE_LIMIT, events, features: [defect] });
  const tokenOf = async (credential: Parameters<typeof service.as>[0]) => (await service.as(credential)).token;
  const revokedToken = await tokenOf({});
  await service.engine.tokens.revoke(hashToken(revokedToken), Date.now());
  const tokens = {
    token: service.client.token,
    readToken: await tokenOf({ scopes: ['plants:read'] }),
    expiredToken: await tokenOf({ expiresAt: 1 }),
    revokedToken,
    otherToken: await tokenOf({ store: 'other' }),
  };
  const broken = findBroken(service.client.url, tokens, seed, checks);
  const { done } = await broken.next();
  await broken.return();
  return done === false;
}
