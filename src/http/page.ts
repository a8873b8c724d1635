/** Owns answers that need no credential and are made once: compressed for who accepts it, revalidated by their hash. */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';
import { names } from '../contract/condition.ts';
import type { Reply } from './reply.ts';

export interface Page {
  get(request: IncomingMessage): Reply | Promise<Reply>;
}

/** By path, below the base URL's prefix. */
export type Pages = ReadonlyMap<string, Page>;

/** What a page shows, the same for everybody and until the process ends. */
interface Content {
  readonly type: string;
  /** Of a path that changes with its content: kept for good, and never asked for again (RFC 8246). */
  readonly immutable?: boolean;
  /** Further header fields, as a flat list of names and values. */
  readonly headers?: readonly string[];
  /** The text, or its bytes in brotli, called when the page is first asked for. */
  readonly make: () => string | Compressed | Promise<string>;
}

interface Compressed {
  readonly brotli: Buffer;
}

type Coding = 'br' | 'gzip' | 'identity';

interface Encoded {
  readonly body: Buffer;
  readonly tag: string;
}

/** Below this many bytes, and so within one packet, compressing gains nothing. */
const WORTH_COMPRESSING = 1_400;

export function contentPage(content: Content): Page {
  const made = once(async () => content.make());
  const encoded: Readonly<Record<Coding, () => Promise<Encoded>>> = {
    identity: once(async () => tagged(await plain(await made()))),
    gzip: once(async () => tagged(await promisify(gzip)(await plain(await made())))),
    br: once(async () => tagged(await brotli(await made()))),
  };
  const caching = content.immutable === true ? 'public, max-age=31536000, immutable' : 'private, no-cache';
  const always = ['Cache-Control', caching, 'Vary', 'Accept-Encoding', ...(content.headers ?? [])];
  return {
    async get({ headers }) {
      const value = await made();
      const small = typeof value === 'string' && Buffer.byteLength(value) < WORTH_COMPRESSING;
      const coding = small ? 'identity' : codingOf(headers['accept-encoding']);
      const { body, tag } = await encoded[coding]();
      const fields = [...always, 'ETag', tag];
      if (names(headers['if-none-match'], tag)) return { status: 304, headers: fields, body: undefined };
      const encoding = coding === 'identity' ? [] : ['Content-Encoding', coding];
      return { status: 200, headers: ['Content-Type', content.type, ...encoding, ...fields], body };
    },
  };
}

function plain(made: string | Compressed): Buffer | Promise<Buffer> {
  return typeof made === 'string' ? Buffer.from(made) : promisify(brotliDecompress)(made.brotli);
}

/** Quality 5 is where brotli is still about as quick as gzip; what is worth more was compressed beforehand. */
function brotli(made: string | Compressed): Buffer | Promise<Buffer> {
  if (typeof made !== 'string') return made.brotli;
  return promisify(brotliCompress)(made, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

/** A strong entity tag names one sequence of bytes, so every coding has its own (RFC 9110, 8.8.3.3). */
function tagged(body: Buffer): Encoded {
  return { body, tag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}

/** The best coding that a caller accepts (RFC 9110, 12.5.3); without the field only the plain one is safe. */
function codingOf(accept: string | undefined): Coding {
  const refused = new Map<string, boolean>();
  for (const item of (accept ?? '').toLowerCase().split(',')) {
    const [name = '', weight = ''] = item.split(';').map((part) => part.trim());
    refused.set(name, /^q=0(\.0*)?$/.test(weight));
  }
  const accepts = (coding: Coding) => (refused.get(coding) ?? refused.get('*')) === false;
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity';
}

/** Keeps what was made, but no failure: a process out of file descriptors may have some when it is asked again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
