/** The values of options as the README tells them, in every unit and up to their bounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { serveOptions } from '../../src/cli/options.ts';

const read = (...args: string[]) => readCommandLine({ options: serveOptions }, args, {}).config;
const inEnvironment = (env: Record<string, string>, ...args: string[]) =>
  readCommandLine({ options: serveOptions }, args, env).config;

test('a time has each of its units', () => {
  for (const [text, milliseconds] of [
    ['1ms', 1],
    ['2s', 2_000],
    ['3m', 180_000],
    ['4h', 14_400_000],
    ['24d', 2_073_600_000],
  ] as const) {
    assert.equal(read('--drain-timeout', text).drainTimeout, milliseconds);
  }
});

test('a size has each of its units', () => {
  for (const [text, bytes] of [
    ['1', 1],
    ['2KiB', 2_048],
    ['3MiB', 3_145_728],
  ] as const) {
    assert.equal(read('--max-body', text).maxBody, bytes);
  }
});

test('a rate is of a window of a day at the most', () => {
  for (const [text, quota, window] of [
    ['100/s', 100, 1],
    ['1000/10m', 1_000, 600],
    ['50000/d', 50_000, 86_400],
  ] as const) {
    assert.deepEqual(read('--rate-limit', text).rateLimit, { quota, window });
  }
});

test('a switch is true by its flag, and true or false in the environment', () => {
  assert.equal(read().accessLog, false);
  assert.equal(read('--access-log').accessLog, true);
  for (const on of [true, false]) {
    assert.equal(inEnvironment({ PLANTSTORE_ACCESS_LOG: String(on) }).accessLog, on);
  }
  assert.equal(inEnvironment({ PLANTSTORE_ACCESS_LOG: 'true' }, '--access-log=false').accessLog, false);
  assert.equal(inEnvironment({ PLANTSTORE_ACCESS_LOG: '1' }).accessLog, true);
  assert.equal(inEnvironment({ PLANTSTORE_ACCESS_LOG: '0' }, '--access-log').accessLog, true);
  assert.equal(inEnvironment({ PLANTSTORE_ACCESS_LOG: '0' }).accessLog, false);
  assert.throws(() => inEnvironment({ PLANTSTORE_ACCESS_LOG: 'yes' }), { name: 'UsageError' });
});

test('an address is a name or an IP address, that of version 6 in brackets, and a port up to 65535', () => {
  for (const [text, host, port] of [
    ['localhost:0', 'localhost', 0],
    ['127.0.0.1:9090', '127.0.0.1', 9_090],
    ['[::1]:65535', '::1', 65_535],
  ] as const) {
    assert.deepEqual(read('--admin', text).admin, { host, port });
  }
  assert.equal(read('--port', '65535').port, 65_535);
});

test('a configured token has 16 to 512 characters', () => {
  for (const length of [16, 512]) {
    const token = 'x'.repeat(length);
    assert.equal(inEnvironment({ PLANTSTORE_TOKEN: token }).token, token);
  }
  for (const length of [15, 513]) {
    assert.throws(() => inEnvironment({ PLANTSTORE_TOKEN: 'x'.repeat(length) }), { name: 'UsageError' });
  }
});

test('what could only fail later is a wrong option already', () => {
  for (const args of [
    // Node would take a longer one for a millisecond.
    ['--drain-timeout', '25d'],
    ['--drain-timeout', '0s'],
    ['--admin', '127.0.0.1:65536'],
    ['--port', '65536'],
    ['--database', 'sqlite:'],
    ['--host', ''],
    // The longest response there is would never have room.
    ['--max-unread', '12MiB'],
  ]) {
    assert.throws(() => read(...args), { name: 'UsageError' }, args.join(' '));
  }
});
