/** Defects of HTTP: RFC 9110 or the description requires something else. */
import { ALOE, changeResponse, create, curl, removeFields, request, type TierDefect } from './defect.ts';

const CORS = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];

export const protocolDefects: readonly TierDefect[] = [
  {
    name: 'allow-missing',
    does: 'A 405 has no Allow.',
    operation: 'any',
    breaks: 'A method that is not allowed returns 405 / 40500 with `Allow`.',
    show: curl(request('/plants', '-X PATCH')),
    clean: '405 with Allow',
    wfc: [110],
    plant: removeFields(({ status }) => (status === 405 ? ['Allow'] : undefined)),
  },
  {
    name: 'head-differs-from-get',
    does: 'HEAD /plants/{id} returns Content-Length: 0 and no ETag.',
    operation: 'getPlant',
    breaks: 'HEAD works like GET, without the body.',
    show: curl(create(ALOE), request('/plants/12', '-I')),
    clean: '200, then 200 with an ETag and a Content-Length',
    plant: changeResponse((response, { operation, request }) => {
      if (request.method !== 'HEAD' || operation?.id !== 'getPlant' || response.status !== 200) return undefined;
      const { ETag: _, ...headers } = response.headers;
      return { ...response, headers, body: '' };
    }),
  },
  {
    name: 'cors-missing-on-errors',
    does: 'Errors have no CORS fields, so pages of other origins cannot read them.',
    operation: 'any',
    breaks: 'the CORS fields that let pages of any origin read it.',
    show: curl(request('/plants/12')),
    clean: '404 with Access-Control-Allow-Origin',
    plant: removeFields(({ status }) => (status >= 400 ? CORS : undefined)),
  },
  {
    name: 'changed-plant-not-modified',
    does: 'GET with If-None-Match returns 304 although the plant has another version.',
    operation: 'getPlant',
    breaks: "The request returns 304 if the plant's current entity tag is in this list.",
    show: curl(create(ALOE), request('/plants/12', `-H 'If-None-Match: "0"'`)),
    clean: '200',
    plant: changeResponse(({ status, headers }, { operation, request }) => {
      const isChanged = operation?.id === 'getPlant' && status === 200 && request.headers['if-none-match'];
      return isChanged
        ? { status: 304, headers: { 'Cache-Control': headers['Cache-Control'] ?? '', ETag: headers['ETag'] ?? '' } }
        : undefined;
    }),
  },
  {
    name: 'retry-after-missing',
    does: 'A 429 has no Retry-After.',
    operation: 'any',
    breaks: '#/components/headers/RetryAfter/required',
    // More requests than the rate limit of a grading allows in its window.
    show: curl(request('/plants?limit=1&[1-2600]', '', 'READ_TOKEN')),
    clean: '200, then 429 with Retry-After',
    wfc: [200],
    plant: removeFields(({ status }) => (status === 429 ? ['Retry-After'] : undefined)),
  },
];
