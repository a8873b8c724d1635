/** The header fields of the peers' responses. Plant Store sends the same fields. */
import { randomBytes } from 'node:crypto';
import type { Page, Plant } from './plants.ts';

export type Fields = Readonly<Record<string, string>>;

const EXPOSED = 'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id';
const process = randomBytes(6).toString('hex');
let requests = 0;

/** Fields of every response. */
export function always(): Fields {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED,
    'X-Request-Id': `${process}-${++requests}`,
  };
}

export const JSON_TYPE = { 'Content-Type': 'application/json' };
export const NO_STORE = { 'Cache-Control': 'no-store' };

export function ofNewPlant(id: bigint): Fields {
  return { ...NO_STORE, Location: `/plants/${id}` };
}

export function ofPlant({ version }: Plant): { readonly 'Cache-Control': string; readonly ETag: string } {
  return { 'Cache-Control': 'private, no-cache', ETag: `"${version.toString(36)}"` };
}

export function ofPage({ next }: Page, limit: number, tag: string | undefined): Fields {
  if (next === undefined) return NO_STORE;
  const filter = tag === undefined ? '' : `&tag=${encodeURIComponent(tag)}`;
  return { ...NO_STORE, Link: `</plants?limit=${limit}${filter}&after=${next}>; rel="next"` };
}
