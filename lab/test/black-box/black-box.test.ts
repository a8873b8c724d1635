/** The black box finds nothing on the clean service. lab/test/gradings tests that it finds planted defects. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hashToken } from '../../../src/auth/token.ts';
import { startTestService, type TestOptions } from '../../../test/harness/service.ts';
import { CHECKS } from './checks.ts';
import { EVENT_CHECKS } from './checks-events.ts';

const PROGRAM = fileURLToPath(new URL('run.ts', import.meta.url));

test('every rule of the description that a client can check holds', async () => {
  assert.equal(await runOn({}), `${Object.keys(CHECKS).length} checks\n`);
});

test('every rule of the feed of events holds', async () => {
  assert.equal(await runOn({ events: true }, '--events'), `${Object.keys(EVENT_CHECKS).length} checks\n`);
});

/** Returns what the black box prints about a clean service. */
async function runOn(parts: Pick<TestOptions, 'events'>, ...options: readonly string[]): Promise<string> {
  await using service = await startTestService({ ...parts, rateLimit: { quota: 2_500, window: 600 } });
  const tokenOf = async (credential: Parameters<typeof service.as>[0]) => (await service.as(credential)).token;
  const revoked = await tokenOf({});
  await service.engine.tokens.revoke(hashToken(revoked), Date.now());
  const env = {
    PLANTSTORE_URL: service.client.url,
    PLANTSTORE_TOKEN: await tokenOf({}),
    PLANTSTORE_READ_TOKEN: await tokenOf({ scopes: ['plants:read'] }),
    PLANTSTORE_EXPIRED_TOKEN: await tokenOf({ expiresAt: 1 }),
    PLANTSTORE_OTHER_TOKEN: await tokenOf({ store: 'other' }),
    PLANTSTORE_REVOKED_TOKEN: revoked,
  };
  const ended = promisify(execFile)(process.execPath, [PROGRAM, ...options], { env });
  return (await ended.catch((error: { readonly stdout: string }) => error)).stdout;
}
