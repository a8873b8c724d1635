/** HTTPS: the certificate and its key, the ciphers, and the header field that keeps browsers on HTTPS. */
import { constants } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import { isLoopback } from '../../auth/secure-url.ts';
import { StartupError } from '../../errors.ts';
import { explainReadErrors } from '../../util/new-file.ts';
import { checkPair, datesOf } from './certificate.ts';

/**
 * Only authenticated encryption with forward secrecy (RFC 9325, 4.2). TLS 1.2 also has CBC, which attacks exploited.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
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

/**
 * Reads both files (PEM). Undefined without file names. Throws a StartupError with the cause if they are not a
 * certificate and its key. Calls `warn` for each certificate that has expired or will within a week.
 */
export function readTls(
  cert: string | undefined,
  key: string | undefined,
  now: number,
  warn: (message: string) => void,
): SecureContextOptions | undefined {
  if (cert === undefined || key === undefined) return undefined;
  const chain = { path: cert, bytes: readBytes(cert) };
  const own = { path: key, bytes: readBytes(key) };
  checkPair(chain, own);
  // A handshake costs the service more than the client, so a connection gets only one.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  const tls = { cert: chain.bytes, key: own.bytes, ciphers: CIPHERS, secureOptions };
  try {
    // node:tls is loaded only if it is needed.
    process.getBuiltinModule('node:tls').createSecureContext(tls);
  } catch (cause) {
    const code = Error.isError(cause) && 'code' in cause ? cause.code : cause;
    throw new StartupError(`TLS refuses ${cert} and ${key}: ${code}; make a new certificate`, { cause });
  }
  for (const message of datesOf(chain, now)) warn(message);
  return tls;
}

const readBytes = (path: string): Buffer => explainReadErrors(path, () => readFileSync(path));
