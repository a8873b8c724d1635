/**
 * Sends a request for every operation and status through Prism, which validates requests and responses. Prism must
 * report exactly the requests that are not valid, and no response.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { exchangeAll, startService } from '../../exchanges.ts';

const { CACHE = '', OPENAPI_YAML = '' } = process.env;
/** Prism reads the numbers of a body as doubles and writes them again. It never responds to a body that is not JSON. */
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
  // The log is long, and Prism blocks if nothing reads it.
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
