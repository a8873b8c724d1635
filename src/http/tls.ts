/** Reads the certificate and the key of HTTPS. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StartupError } from '../errors.ts';

export interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads both files (PEM). Undefined without file names. Throws a StartupError if the key is not the certificate's. */
export function readTls(cert: string | undefined, key: string | undefined): Tls | undefined {
  if (cert === undefined || key === undefined) return undefined;
  const tls = { cert: readFile(cert), key: readFile(key) };
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
