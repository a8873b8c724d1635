/** `--tls-cert` and `--tls-key`: the same service over HTTPS. */
import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { generate } from 'selfsigned';
import { version } from '../../src/util/version.generated.ts';
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
const second = await generate([{ name: 'commonName', value: 'authority' }], { keySize: 2048 });
const weak = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 1024 });
const encrypted = createPrivateKey(made.private).export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'secret',
});
const OLD = '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\n';
const REQUEST = '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n';
function pem(name: string, content: string | Buffer): string {
  writeFileSync(at(`${name}.pem`), content);
  return at(`${name}.pem`);
}
const database = ['--database', `sqlite:${at('plants.db')}`];

describe('HTTPS', () => {
  test('a certificate and its key turn on HTTPS, and the greeting has the https URL', async () => {
    await using service = await serveProcess([...database, '--tls-cert', files.cert, '--tls-key', files.key]);
    assert.match(service.url, /^https:\/\/127\.0\.0\.1:\d+$/);
    const request = get(`${service.url}/healthz`, { ca: made.cert, servername: 'localhost', agent: false });
    const [response] = await once(request, 'response');
    assert.deepEqual([response.statusCode, await text(response)], [200, `{"status":"ok","version":"${version}"}`]);
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

  const DAY_MS = 86_400_000;
  for (const [what, from, to, word] of [
    ['has expired', -9, -1, /the certificate in \S+ expired at 20/],
    ['expires within a week', -9, 6, /the certificate in \S+ expires at 20/],
    ['is not valid yet', 1, 90, /the certificate in \S+ is not valid before 20/],
    ['is valid for longer', -9, 90, undefined],
  ] as const) {
    test(`the log has a word for a certificate that ${what}`, async () => {
      const [notBeforeDate, notAfterDate] = [new Date(Date.now() + from * DAY_MS), new Date(Date.now() + to * DAY_MS)];
      const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
        keySize: 2048,
        notBeforeDate,
        notAfterDate,
      });
      await using service = await serveProcess([...database, ...pair(pem('dated', cert), pem('dated-key', key))]);
      assert.equal(await service.stop('SIGTERM'), 0);
      if (word === undefined) assert.doesNotMatch(service.stderr(), /certificate/);
      else assert.match(service.stderr(), word);
    });
  }

  const pair = (cert: string, key: string) => ['--tls-cert', cert, '--tls-key', key];
  const wrong: readonly [what: string, args: string[], code: number, line: RegExp][] = [
    ['a certificate without a key', ['--tls-cert', files.cert], 2, /--tls-cert and --tls-key need each other/],
    ['a key without a certificate', ['--tls-key', files.key], 2, /--tls-cert and --tls-key need each other/],
    [
      'a directory',
      pair(tmpdir(), files.key),
      1,
      /cannot read .*: it is a directory \(EISDIR\); choose the path of a file$/m,
    ],
    [
      'a missing file',
      pair(at('none'), files.key),
      1,
      /cannot read .*none: no such file or directory \(ENOENT\); correct the path$/m,
    ],
    [
      'a file that is no certificate',
      pair(files.junk, files.key),
      1,
      /junk\.pem has no certificate in PEM: it has no line/,
    ],
    ['a key of another kind', pair(files.cert, files.other), 1, /other\.pem is not the key of the certificate/],
    ['a key of the same kind', pair(files.cert, pem('k2', second.private)), 1, /is not the key of the certificate/],
    ['a key with a passphrase', pair(files.cert, pem('enc', encrypted)), 1, /is a key with a passphrase.*openssl pkey/],
    ['an old key with a passphrase', pair(files.cert, pem('old', OLD)), 1, /is a key with a passphrase/],
    ['RSA of 1,024 bits', pair(pem('c1', weak.cert), pem('k1', weak.private)), 1, /is a key of RSA with 1024 bits/],
    ['the authority first', pair(pem('ca', second.cert + made.cert), files.key), 1, /own certificate first/],
    ['both files exchanged', pair(files.key, files.cert), 1, /it is a private key; give it with --tls-key/],
    ['a certificate as the key', pair(files.cert, files.cert), 1, /has no private key in PEM: it is a certificate/],
    ['a public key', pair(files.cert, pem('pub', made.public)), 1, /has no private key in PEM: it is a public key/],
    ['an empty certificate', pair(pem('e', ''), files.key), 1, /has no certificate in PEM: it is empty/],
    ['an empty key', pair(files.cert, pem('e2', '')), 1, /has no private key in PEM: it is empty/],
    ['a certificate in DER', pair(pem('der', new X509Certificate(made.cert).raw), files.key), 1, /it is DER/],
    ['a certificate that is cut off', pair(pem('cut', made.cert.slice(0, 300)), files.key), 1, /perhaps cut off/],
    [
      'a damaged certificate',
      pair(pem('d', made.cert.replace(/\n.{9}/, '\nAAAAAAAAA')), files.key),
      1,
      /1 in it is damaged/,
    ],
    [
      'a damaged key',
      pair(files.cert, pem('dk', made.private.replace(/\n.{9}/, '\nAAAAAAAAA'))),
      1,
      /key in it is damaged/,
    ],
    ['a request', pair(pem('csr', REQUEST), files.key), 1, /it is a request for a certificate/],
  ];
  for (const [what, args, code, line] of wrong) {
    test(`${what} fails with one line and exit code ${code}`, async () => {
      refusedWith(await runHere(['serve', '--port', '0', ...database, ...args]), code, line);
    });
  }
});
