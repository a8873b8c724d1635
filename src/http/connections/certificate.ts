/** Checks a certificate and its key before the service listens, and names what is wrong with them. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { StartupError } from '../../errors.ts';

export interface PemFile {
  readonly path: string;
  readonly bytes: Buffer;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----/g;
const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;
const WEEK_MS = 7 * 86_400_000;

/** Throws a StartupError with the cause if the files are not a certificate chain and its key. */
export function checkPair(cert: PemFile, key: PemFile): void {
  const [first, ...others] = certificatesOf(cert);
  const own = privateKeyOf(key);
  if (first === undefined) throw new StartupError(`${cert.path} has no certificate`);
  if (!first.checkPrivateKey(own)) {
    const belongs = others.some((one) => one.checkPrivateKey(own));
    throw new StartupError(
      belongs
        ? `${cert.path} begins with another certificate, such as its authority's: put the own certificate first`
        : `${key.path} is not the key of the certificate in ${cert.path}: they are two different pairs`,
    );
  }
  const bits = own.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < 2_048) {
    throw new StartupError(
      `${key.path} is a key of RSA with ${bits} bits, which TLS refuses: make one with 2,048 or more`,
    );
  }
}

/** Throws a StartupError if the file has no certificate, or a damaged one. */
function certificatesOf({ path, bytes }: PemFile): readonly X509Certificate[] {
  const blocks = bytes.toString('latin1').match(CERTIFICATE);
  if (blocks === null) throw new StartupError(`${path} has no certificate in PEM: ${whatElse(bytes)}`);
  return blocks.map((block, i) => {
    try {
      return new X509Certificate(block);
    } catch (cause) {
      throw new StartupError(`${path}: certificate ${i + 1} in it is damaged; copy the file again`, { cause });
    }
  });
}

function privateKeyOf({ path, bytes }: PemFile): KeyObject {
  const text = bytes.toString('latin1');
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text)) {
    throw new StartupError(
      `${path} is a key with a passphrase: remove the passphrase with openssl pkey -in ${path} -out NEW`,
    );
  }
  if (!/-----BEGIN (?:[A-Z0-9]+ )?PRIVATE KEY-----/.test(text)) {
    throw new StartupError(`${path} has no private key in PEM: ${whatElse(bytes)}`);
  }
  try {
    return createPrivateKey(bytes);
  } catch (cause) {
    throw new StartupError(`${path}: the private key in it is damaged or of an unknown kind; copy the file again`, {
      cause,
    });
  }
}

/** Describes what a file is instead. */
function whatElse(bytes: Buffer): string {
  if (bytes.length === 0) return 'it is empty';
  // A DER file begins with a sequence of more than 127 bytes.
  if (bytes[0] === 0x30 && (bytes[1] ?? 0) > 0x80) {
    return 'it is DER or PKCS #12; convert it with openssl x509, openssl pkey or openssl pkcs12';
  }
  const kinds = [...bytes.toString('latin1').matchAll(BLOCK)].map(([, kind = '']) => kind);
  if (kinds.includes('CERTIFICATE REQUEST') || kinds.includes('NEW CERTIFICATE REQUEST')) {
    return 'it is a request for a certificate, which an authority signs first';
  }
  if (kinds.some((kind) => kind.endsWith('PRIVATE KEY'))) return 'it is a private key; give it with --tls-key';
  if (kinds.some((kind) => kind.endsWith('PUBLIC KEY'))) return 'it is a public key';
  if (kinds.some((kind) => kind.endsWith('CERTIFICATE'))) return 'it is a certificate, perhaps cut off';
  return 'it has no line -----BEGIN';
}

/** Returns a warning for each certificate that has expired, expires within a week, or is not valid yet. */
export function datesOf(cert: PemFile, now: number): readonly string[] {
  return certificatesOf(cert).flatMap(({ validFromDate, validToDate }, i) => {
    const which = i === 0 ? `the certificate in ${cert.path}` : `certificate ${i + 1} of the chain in ${cert.path}`;
    const [from, to] = [validFromDate, validToDate].map((date) => date.toISOString());
    if (validToDate.getTime() <= now) return [`${which} expired at ${to}: clients refuse it; replace it and restart`];
    if (validFromDate.getTime() > now) return [`${which} is not valid before ${from}: clients refuse it until then`];
    return validToDate.getTime() - now < WEEK_MS ? [`${which} expires at ${to}: replace it and restart`] : [];
  });
}
