/** What a page of the documentation may do in a browser. */
import type { Headers } from '../http/response.ts';

/**
 * Content-Security-Policy (CSP Level 3) and its companions. Scripts are our own files alone: neither inline nor
 * evaluated. Styles may be inline because the reference writes its own, generated, into the page; they can send nothing
 * anywhere, since images, fonts and requests are held to this host. Nothing of a third party is ever shown.
 */
export function pageHeaders(kind: 'reference' | 'guide', base: string): Headers {
  const policy = kind === 'reference' ? referencePolicy(base) : GUIDE;
  return { 'Content-Security-Policy': [...COMMON, ...policy].join('; '), 'Referrer-Policy': 'no-referrer' };
}

const COMMON = [
  "default-src 'none'",
  "script-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];
const GUIDE = ["style-src 'self'"];

function referencePolicy(base: string): readonly string[] {
  // The page may be read at another address than the base URL, where the description says that requests go.
  const origin = base === '' ? '' : ` ${new URL(base).origin}`;
  return ["style-src 'self' 'unsafe-inline'", `connect-src 'self'${origin}`];
}
