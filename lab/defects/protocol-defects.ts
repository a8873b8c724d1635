/** Defects of HTTP: RFC 9110 or the description requires something else. */
import type { TierDefect } from './defect.ts';
import { ALOE, create, example, request } from './examples.ts';
import { changeResponse, removeFields } from './planting.ts';

const CORS = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];

export const protocolDefects: readonly TierDefect[] = [
  {
    name: 'allow-missing',
    does: 'A 405 has no Allow.',
    operation: 'any',
    breaks: 'A method that is not allowed returns 405 / 40500 with `Allow`.',
    ...example('405 with Allow', request('/plants', '-X PATCH')),
    classes: { wfc: [110] },
    plant: removeFields(['Allow'], (status) => status === 405),
  },
  {
    name: 'head-differs-from-get',
    does: 'HEAD /plants/{id} returns Content-Length: 0 and no ETag.',
    operation: 'getPlant',
    breaks: 'HEAD works like GET, without the body.',
    ...example('200, then 200 with an ETag and a Content-Length', create(ALOE), request('/plants/12', '-I')),
    plant: changeResponse('getPlant', 200, (response, { request }) => {
      const { ETag: _, ...headers } = response.headers;
      return request.method === 'HEAD' ? { ...response, headers, body: '' } : undefined;
    }),
  },
  {
    name: 'cors-missing-on-errors',
    does: 'Errors have no CORS fields, so pages of other origins cannot read them.',
    operation: 'any',
    breaks: 'the CORS fields that let pages of any origin read it',
    ...example('404 with Access-Control-Allow-Origin', request('/plants/12')),
    plant: removeFields(CORS, (status) => status >= 400),
  },
  {
    name: 'changed-plant-not-modified',
    does: 'GET with If-None-Match returns 304 although the plant has another version.',
    operation: 'getPlant',
    breaks: "The request returns 304 if the plant's current entity tag is in this list.",
    ...example('200', create(ALOE), request('/plants/12', `-H 'If-None-Match: "0"'`)),
    plant: changeResponse('getPlant', 200, ({ headers }, { request }) => {
      const kept = { 'Cache-Control': headers['Cache-Control'] ?? '', ETag: headers['ETag'] ?? '' };
      return request.headers['if-none-match'] ? { status: 304, headers: kept } : undefined;
    }),
  },
  {
    name: 'retry-after-missing',
    does: 'A 429 has no Retry-After.',
    operation: 'any',
    breaks: '#/components/headers/RetryAfter/required',
    // More requests than the rate limit of a grading allows in its window.
    ...example('200, then 429 with Retry-After', request('/plants?limit=1&[1-2600]', '', 'READ_TOKEN')),
    classes: { wfc: [200] },
    plant: removeFields(['Retry-After'], (status) => status === 429),
  },
];
