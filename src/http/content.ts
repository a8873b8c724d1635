/** A page that is made once: compressed for clients that accept it, revalidated by its hash. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';
import { namesTag } from '../contract/entity-tags.ts';
import type { Headers } from './response.ts';
import type { Page } from './router.ts';

interface Content {
  readonly type: string;
  /** Of a path that changes with its content: kept for good, and never asked for again (RFC 8246). */
  readonly immutable?: boolean;
  readonly headers?: Headers;
  /** The text, or its bytes in brotli; called when the page is first asked for. */
  readonly make: () => string | Compressed;
}

interface Compressed {
  readonly brotli: Buffer;
}

type Coding = 'br' | 'gzip' | 'identity';

interface Encoded {
  readonly body: Buffer;
  /** A strong entity tag names one sequence of bytes, so every coding has its own (RFC 9110, 8.8.3.3). */
  readonly tag: string;
}

/** Below this many bytes, and so within one packet, compressing gains nothing. */
const WORTH_COMPRESSING = 1_400;
/** The quality at which brotli is still about as quick as gzip; what is worth more was compressed beforehand. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

export function contentPage({ type, immutable = false, headers = {}, make }: Content): Page {
  const made = new Map<Coding, Promise<Encoded>>();
  const encoded = (coding: Coding): Promise<Encoded> => {
    let found = made.get(coding);
    if (found === undefined) {
      found = encodeAs(coding, make);
      made.set(coding, found);
      // No failure is kept: a process out of file descriptors may have some when it is asked again.
      found.catch(() => made.delete(coding));
    }
    return found;
  };
  const caching = immutable ? 'public, max-age=31536000, immutable' : 'private, no-cache';
  const always = { 'Cache-Control': caching, Vary: 'Accept-Encoding', ...headers };
  return async ({ request }) => {
    const plain = await encoded('identity');
    const coding = plain.body.length < WORTH_COMPRESSING ? 'identity' : codingOf(request.headers['accept-encoding']);
    const { body, tag } = await encoded(coding);
    const fields = { ...always, ETag: tag };
    if (namesTag(request.headers['if-none-match'], tag)) return { status: 304, headers: fields };
    const encoding: Headers = coding === 'identity' ? {} : { 'Content-Encoding': coding };
    return { status: 200, headers: { 'Content-Type': type, ...encoding, ...fields }, body };
  };
}

async function encodeAs(coding: Coding, make: Content['make']): Promise<Encoded> {
  const made = make();
  const body = await (typeof made === 'string' ? compress(coding, made) : recompress(coding, made));
  return { body, tag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}

function compress(coding: Coding, text: string): Buffer | Promise<Buffer> {
  if (coding === 'br') return promisify(brotliCompress)(text, QUICK);
  return coding === 'gzip' ? promisify(gzip)(text) : Buffer.from(text);
}

async function recompress(coding: Coding, { brotli }: Compressed): Promise<Buffer> {
  if (coding === 'br') return brotli;
  const plain = await promisify(brotliDecompress)(brotli);
  return coding === 'gzip' ? promisify(gzip)(plain) : plain;
}

/** The best coding that a client accepts (RFC 9110, 12.5.3); without the field only the plain one is safe. */
function codingOf(accept: string | undefined): Coding {
  const isRefused = new Map<string, boolean>();
  for (const item of (accept ?? '').toLowerCase().split(',')) {
    const [name = '', weight = ''] = item.split(';').map((part) => part.trim());
    isRefused.set(name, /^q=0(\.0*)?$/.test(weight));
  }
  const accepts = (coding: Coding) => (isRefused.get(coding) ?? isRefused.get('*')) === false;
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity';
}
