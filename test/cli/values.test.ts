/** The values of options as docs/commands.md describes them, in every unit and up to their limits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { serveOptionsWith } from '../../src/cli/serve.ts';
import { FEATURES } from '../../src/features/index.ts';

const read = (args: readonly string[], env: Record<string, string> = {}) =>
  readCommandLine({ name: 'serve', options: serveOptionsWith(FEATURES) }, args, env).config;

test('an option accepts a value in each of its units, up to its limit', () => {
  for (const [text, config] of [
    ['--drain-timeout=1ms', { drainTimeout: 1 }],
    ['--drain-timeout=2s', { drainTimeout: 2_000 }],
    ['--drain-timeout=3m', { drainTimeout: 180_000 }],
    ['--drain-timeout=4h', { drainTimeout: 14_400_000 }],
    ['--drain-timeout=24d', { drainTimeout: 2_073_600_000 }],
    ['--max-body=1', { maxBody: 1 }],
    ['--max-body=2KiB', { maxBody: 2_048 }],
    ['--max-unread=30MiB', { maxUnread: 31_457_280 }],
    ['--rate-limit=100/s', { rateLimit: { quota: 100, window: 1 } }],
    ['--rate-limit=1000/10m', { rateLimit: { quota: 1_000, window: 600 } }],
    ['--rate-limit=50000/d', { rateLimit: { quota: 50_000, window: 86_400 } }],
    ['--sandbox-create-rate=9/m', { sandboxCreateRate: { quota: 9, window: 60 } }],
    ['--sandbox-control-rate=off', { sandboxControlRate: 'off' }],
    ['--admin=localhost:0', { admin: { host: 'localhost', port: 0 } }],
    ['--admin=127.0.0.1:9090', { admin: { host: '127.0.0.1', port: 9_090 } }],
    ['--admin=[::1]:65535', { admin: { host: '::1', port: 65_535 } }],
    ['--port=65535', { port: 65_535 }],
  ] as const) {
    assert.partialDeepStrictEqual(read([text]), config, text);
  }
});

test('a flag without a value turns its option on, and a variable turns it on or off', () => {
  for (const [expected, args, value] of [
    [undefined, [], undefined],
    [true, ['--access-log'], undefined],
    [true, [], 'true'],
    [false, [], 'false'],
    [true, [], '1'],
    [false, [], '0'],
    [true, ['--access-log'], '0'],
    [false, ['--access-log=false'], 'true'],
  ] as const) {
    const env = value === undefined ? {} : { PLANTSTORE_ACCESS_LOG: value };
    assert.equal(read(args, env).accessLog, expected, `${args} ${value}`);
  }
  assert.throws(() => read([], { PLANTSTORE_ACCESS_LOG: 'yes' }), { name: 'UsageError' });
});

test('a flag precedes its variable, which precedes the variable of platforms, which precedes the default', () => {
  const platform = { DATABASE_URL: 'sqlite:platform', PLANTSTORE_HOST: '' };
  const own = { ...platform, PLANTSTORE_DATABASE: 'sqlite:own' };
  assert.equal(read([]).database, 'sqlite:data/plants.db');
  assert.partialDeepStrictEqual(read([], platform), { database: 'sqlite:platform', host: '127.0.0.1' });
  assert.equal(read([], own).database, 'sqlite:own');
  assert.equal(read(['--database', 'sqlite:flag'], own).database, 'sqlite:flag');
});

test('a configured token has 16 to 512 characters', () => {
  const tokenOf = (length: number) => read([], { PLANTSTORE_TOKEN: 'x'.repeat(length) }).token;
  for (const length of [16, 512]) assert.equal(tokenOf(length), 'x'.repeat(length));
  for (const length of [15, 513]) assert.throws(() => tokenOf(length), { name: 'UsageError' });
});

test('the error of a time names the least and the longest time', () => {
  assert.throws(() => read(['--events-keep=0']), {
    message: '--events-keep: it must be a time of at least 1ms, such as 500ms, 10s, 5m or 90d',
  });
  assert.throws(() => read(['--events-keep=36501d']), {
    message: '--events-keep: it must be a time of at most 36500d',
  });
});

test('values that would fail later are refused at the start', () => {
  for (const text of [
    // Node treats a longer time as one millisecond.
    '--drain-timeout=25d',
    '--drain-timeout=0s',
    '--admin=127.0.0.1:65536',
    '--port=65536',
    '--database=sqlite:',
    '--host=',
    // The longest response would never fit.
    '--max-unread=12MiB',
  ]) {
    assert.throws(() => read([text]), { name: 'UsageError' }, text);
  }
});
