import { type FaultKind, integer, oneOf } from '../fault-kind.ts';
import { takePlace } from '../requested-problem.ts';

const MEDIA = { html: 'text/html', text: 'text/plain', json: 'application/json' } as const;

export const proxy: FaultKind<'status'> = {
  does: 'an error as a proxy sends it, not as the description declares it. Any status from 400 to 599',
  example: { status: 502, media: 'html' },
  variations: [
    [{ status: 502, media: 'html', body: '<h1>Bad Gateway</h1>' }, 'the same with a body of up to 1,024 characters'],
    [
      { status: 429, retry: 2, form: 'date' },
      'the same with `Retry-After` as an HTTP date. Without `form`: in seconds',
    ],
  ],
  needs: { status: integer(400, 599, 'any error status') },
  allows: {
    retry: integer(0, 86_400, 'the seconds in Retry-After. Default: no Retry-After'),
    form: oneOf(['seconds', 'date'], 'the form of Retry-After, a number of seconds or an HTTP date. Default: seconds'),
    // Later versions may add words.
    media: {
      ...oneOf(Object.keys(MEDIA), 'the media type of the body. Default: no Content-Type'),
      'x-open-enum': true,
    },
    body: { type: 'string', maxLength: 1_024, description: 'the body of the response. Default: an empty body' },
  },
  choosesResponse: true,
  before: takePlace,
  response({ status, retry, form, media, body = '' }, now) {
    const date = new Date(Math.ceil(now / 1_000 + (retry ?? 0)) * 1_000).toUTCString();
    const headers = {
      'Cache-Control': 'no-store',
      // No browser runs the visitor's HTML with the origin of the service.
      'Content-Security-Policy': 'sandbox',
      ...(media !== undefined && { 'Content-Type': MEDIA[media] }),
      ...(retry !== undefined && { 'Retry-After': form === 'date' ? date : String(retry) }),
    };
    return { status, headers, body };
  },
};
