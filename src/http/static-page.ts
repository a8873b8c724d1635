/** A page that is created once, compressed for clients that accept this, and revalidated by its hash. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';
import { hasTag } from '../contract/entity-tags.ts';
import { type Coding, codingOf } from './negotiation.ts';
import type { Headers } from './response.ts';
import type { Page } from './router.ts';

interface StaticPage {
  readonly type: string;
  /** Whether the path changes with the content. Clients then keep the page forever (RFC 8246). */
  readonly immutable?: boolean;
  readonly headers?: Headers;
  /** Returns the text, its bytes, or its bytes in brotli. Called once for each coding. */
  readonly make: () => string | Buffer | { readonly brotli: Buffer };
}

/** Fewer bytes fit into one packet even without compression. */
const WORTH_COMPRESSING = 1_400;
/** At this quality brotli is about as fast as gzip. Large pages are compressed when the service is built. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

interface Encoded {
  readonly body: Buffer;
  /** A strong entity tag identifies exact bytes, so each coding has a different tag (RFC 9110, 8.8.3.3). */
  readonly tag: string;
}

export function staticPage({ type, immutable = false, headers = {}, make }: StaticPage): Page {
  const made = new Map<Coding, Promise<Encoded>>();
  const encoded = (coding: Coding): Promise<Encoded> => {
    const found = made.get(coding) ?? encode(coding, make()).then(addTag);
    made.set(coding, found);
    // Forgets a failure: the next request may succeed, for example when there are free file descriptors again.
    found.catch(() => made.delete(coding));
    return found;
  };
  const caching = immutable ? 'max-age=31536000, immutable' : 'private, no-cache';
  const always = { 'Cache-Control': caching, Vary: 'Accept-Encoding', ...headers };
  return async ({ request }) => {
    const isSmall = (await encoded('identity')).body.length < WORTH_COMPRESSING;
    const coding = isSmall ? 'identity' : codingOf(request.headers['accept-encoding']);
    const { body, tag } = await encoded(coding);
    const fields = { ...always, ETag: tag };
    if (hasTag(request.headers['if-none-match'], tag)) return { status: 304, headers: fields };
    const encoding: Headers = coding === 'identity' ? {} : { 'Content-Encoding': coding };
    return { status: 200, headers: { 'Content-Type': type, ...encoding, ...fields }, body };
  };
}

function addTag(body: Buffer): Encoded {
  return { body, tag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}

async function encode(coding: Coding, made: ReturnType<StaticPage['make']>): Promise<Buffer> {
  const isCompressed = typeof made === 'object' && 'brotli' in made;
  if (isCompressed && coding === 'br') return made.brotli;
  const plain = isCompressed ? await promisify(brotliDecompress)(made.brotli) : Buffer.from(made);
  if (coding === 'identity') return plain;
  return coding === 'br' ? promisify(brotliCompress)(plain, QUICK) : promisify(gzip)(plain);
}
