/** HTTPS: the certificate and its key, the ciphers, and the header field that keeps browsers on HTTPS. */
import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isLoopback } from '../../auth/secure-url.ts';
import { StartupError } from '../../errors.ts';

export interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** OpenSSL's names, for TLS 1.2 and 1.3. */
  readonly ciphers: string;
  /** OpenSSL's options, as bits. */
  readonly secureOptions: number;
}

/**
 * Only authenticated encryption with forward secrecy (RFC 9325, 4.2). TLS 1.2 also has CBC, which attacks exploited.
 */
const CIPHERS = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].flatMap((cipher) => [
    `ECDHE-ECDSA-${cipher}`,
    `ECDHE-RSA-${cipher}`,
  ]),
].join(':');

/** A year, in seconds. */
const STRICT_SECONDS = 31_536_000;

/**
 * Returns the field of every response after which browsers use only HTTPS for the host of the base URL (RFC 6797). It
 * does not apply to subdomains, which may belong to other services. A loopback host gets no such field: the field would
 * apply to every program that listens on this machine.
 */
export function strictTransport(baseUrl: string | undefined): Readonly<Record<string, string>> {
  const url = baseUrl === undefined ? undefined : new URL(baseUrl);
  if (url?.protocol !== 'https:' || isLoopback(url.hostname)) return {};
  return { 'Strict-Transport-Security': `max-age=${STRICT_SECONDS}` };
}

/** Reads both files (PEM). Undefined without file names. Throws a StartupError if the key is not the certificate's. */
export function readTls(cert: string | undefined, key: string | undefined): Tls | undefined {
  if (cert === undefined || key === undefined) return undefined;
  // A handshake costs the service more than the client, so a connection gets only one.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  const tls = { cert: readFile(cert), key: readFile(key), ciphers: CIPHERS, secureOptions };
  try {
    // node:tls is loaded only if it is needed.
    process.getBuiltinModule('node:tls').createSecureContext(tls);
    // createSecureContext accepts a key whose type differs from the certificate's. Then every handshake would fail.
    if (!new X509Certificate(tls.cert).checkPrivateKey(createPrivateKey(tls.key))) throw new Error('another key');
  } catch {
    throw new StartupError(`${cert} and ${key} are not a certificate and its key in PEM`);
  }
  return tls;
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new StartupError(`cannot read ${path}: ${code === 'ENOENT' ? 'no such file' : code}`, { cause: error });
  }
}
