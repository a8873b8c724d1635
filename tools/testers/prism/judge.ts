/**
 * Sends a request of every operation and status through Prism, which validates what passes: a request that is not valid
 * is to be one for Prism, too, and no response may be a violation.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { exchangeAll, startService } from '../../exchanges.ts';

const { CACHE = '', OPENAPI_YAML = '' } = process.env;
/** Prism reads a body's numbers as doubles and writes them anew, and never responds to one that is not JSON. */
const LIMITS = { largest: String(Number.MAX_SAFE_INTEGER), noPlant: '[]' };

const service = await startService();
const prism = spawn(join(CACHE, 'node_modules/.bin/prism'), ['proxy', OPENAPI_YAML, service.url, '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  let url: string | undefined;
  for await (const line of createInterface(prism.stdout)) {
    url = /listening on (http:\/\/\S+)/.exec(line)?.[1];
    if (url !== undefined) break;
  }
  assert.ok(url, 'Prism did not start');
  // Its log is long, and it waits for whoever does not read it.
  prism.stdout.resume();
  const exchanges = await exchangeAll(url, service.tokens, LIMITS);
  for (const { method, path, status, isValid, headers } of exchanges) {
    const what = `${method} ${path} -> ${status}: ${headers['sl-violations']}`;
    const violations: { location: readonly string[] }[] = JSON.parse(headers['sl-violations'] ?? '[]');
    assert.ok(
      violations.every(({ location }) => location[0] === 'request'),
      what,
    );
    assert.equal(violations.length === 0, isValid, what);
  }
  console.log(`${exchanges.length} exchanges agree`);
} finally {
  prism.kill();
  await once(prism, 'close');
  await service.stop();
}
