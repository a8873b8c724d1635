/** `--tls-cert` and `--tls-key`: the same service over HTTPS. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { generate } from 'selfsigned';
import { createDirectory } from '../harness/directory.ts';
import { refusedWith, runHere, serveProcess } from '../harness/process.ts';

const { at, [Symbol.dispose]: remove } = createDirectory();
after(remove);
const files = { cert: at('cert.pem'), key: at('key.pem'), other: at('other.pem'), junk: at('junk.pem') };
const made = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
writeFileSync(files.cert, made.cert);
writeFileSync(files.key, made.private);
const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
writeFileSync(files.other, other.export({ type: 'pkcs8', format: 'pem' }));
writeFileSync(files.junk, 'no certificate');
const database = ['--database', `sqlite:${at('plants.db')}`];

describe('HTTPS', () => {
  test('a certificate and its key turn on HTTPS, and the greeting has the https URL', async () => {
    await using service = await serveProcess([...database, '--tls-cert', files.cert, '--tls-key', files.key]);
    assert.match(service.url, /^https:\/\/127\.0\.0\.1:\d+$/);
    const request = get(`${service.url}/healthz`, { ca: made.cert, servername: 'localhost', agent: false });
    const [response] = await once(request, 'response');
    assert.deepEqual([response.statusCode, await text(response)], [200, '{"status":"ok","version":"1.0.0"}']);
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  test('a plain HTTP request to the HTTPS port gets a response that asks for HTTPS', async () => {
    await using service = await serveProcess([...database, '--tls-cert', files.cert, '--tls-key', files.key]);
    const response = await fetch(service.url.replace('https:', 'http:'));
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), {
      error: 40006,
      message: 'This port serves HTTPS only: use a URL that begins with https://.',
    });
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  test('TLS 1.2 works with AES-GCM and ChaCha20, and with no CBC cipher', async () => {
    await using service = await serveProcess([...database, '--tls-cert', files.cert, '--tls-key', files.key]);
    const { port } = new URL(service.url);
    const cipherOf = async (ciphers: string) => {
      const options = { port: Number(port), ca: made.cert, servername: 'localhost', ciphers };
      const socket = connectTls({ ...options, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' });
      const [error] = await Promise.race([once(socket, 'secureConnect'), once(socket, 'error')]).catch((one) => [one]);
      const { name = '' } = error === undefined ? socket.getCipher() : {};
      socket.destroy();
      return name;
    };
    for (const offered of ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-CHACHA20-POLY1305']) {
      assert.equal(await cipherOf(offered), offered);
    }
    for (const offered of ['ECDHE-RSA-AES128-SHA256', 'ECDHE-RSA-AES256-SHA', 'AES128-SHA', 'AES128-GCM-SHA256']) {
      assert.equal(await cipherOf(offered), '', offered);
    }
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  test('a connection of TLS 1.2 cannot handshake again', async () => {
    await using service = await serveProcess([...database, '--tls-cert', files.cert, '--tls-key', files.key]);
    const { port } = new URL(service.url);
    const socket = connectTls({ port: Number(port), ca: made.cert, servername: 'localhost', maxVersion: 'TLSv1.2' });
    await once(socket, 'secureConnect');
    const refused = once(socket, 'error');
    socket.renegotiate({}, (error) => error === null && socket.destroy(new Error('a second handshake')));
    assert.match(String(await refused), /no.renegotiation/i);
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  // A connection without any data has no request in progress, so the service does not wait for it.
  for (const [what, written, drain] of [
    ['sends nothing', Buffer.alloc(0), '60s'],
    ['stops within its ClientHello', Buffer.from('16030100c8010000c40303', 'hex'), '500ms'],
  ] as const) {
    const held = async (...limits: string[]) => {
      const tls = ['--tls-cert', files.cert, '--tls-key', files.key];
      const service = await serveProcess([...database, ...tls, ...limits]);
      const { hostname, port } = new URL(service.url);
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(written);
      return { service, socket: socket.resume() };
    };

    test(`a client that ${what} is disconnected after the time for a request`, { timeout: 20_000 }, async () => {
      const { service, socket } = await held('--request-timeout', '500ms');
      await using _ = service;
      await once(socket, 'close');
      assert.equal(await service.stop('SIGTERM'), 0);
    });

    test(`a client that ${what} does not delay the end of the service`, { timeout: 20_000 }, async () => {
      const { service } = await held('--request-timeout', '60s', '--drain-timeout', drain);
      await using _ = service;
      assert.equal(await service.stop('SIGTERM'), 0);
    });
  }

  const pair = (cert: string, key: string) => ['--tls-cert', cert, '--tls-key', key];
  const wrong: readonly [what: string, args: string[], code: number, line: RegExp][] = [
    ['a certificate without a key', ['--tls-cert', files.cert], 2, /--tls-cert and --tls-key go together/],
    ['a key without a certificate', ['--tls-key', files.key], 2, /--tls-cert and --tls-key go together/],
    ['a missing file', pair(at('none'), files.key), 1, /cannot read .*none: no such file$/m],
    ['a file that is no certificate', pair(files.junk, files.key), 1, /certificate/],
    ['a key of another kind', pair(files.cert, files.other), 1, /are not a certificate and its key/],
  ];
  for (const [what, args, code, line] of wrong) {
    test(`${what} fails with one line and exit code ${code}`, async () => {
      refusedWith(await runHere(['serve', '--port', '0', ...database, ...args]), code, line);
    });
  }
});
