// Dredd sends a request for each response of the description. These hooks change the request so that it leads to that
// response, as https://dredd.org/en/latest/how-to-guides.html#multiple-requests-and-responses explains.
const hooks = require('hooks');

const { PLANTSTORE_TOKEN, PLANTSTORE_READ_TOKEN } = process.env;
/** No request of a single client leads to them. */
const SKIPPED = ['429', '500', '503'];

const isWrite = ({ method }) => method !== 'GET';

const CHANGES = {
  304: ({ headers }) => {
    headers['If-None-Match'] = '*';
  },
  400: (request, transaction) => {
    if (request.body) request.body = '{}';
    else transaction.fullPath = transaction.fullPath.replace('/12', '/twelve').replace('limit=100', 'limit=0');
  },
  401: ({ headers }) => {
    delete headers.Authorization;
  },
  403: ({ headers }) => {
    headers.Authorization = `Bearer ${PLANTSTORE_READ_TOKEN}`;
  },
  404: (_request, transaction) => {
    transaction.fullPath = transaction.fullPath.replace('/12', '/13');
  },
  412: ({ headers }) => {
    headers['If-Match'] = '"a1"';
  },
};

hooks.beforeAll((transactions, done) => {
  // Other requests to delete the plant need it.
  const isDeletion = ({ request, expected }) => request.method === 'DELETE' && expected.statusCode === '204';
  transactions.sort((a, b) => Number(isDeletion(a)) - Number(isDeletion(b)));
  done();
});

hooks.beforeEach((transaction, done) => {
  const { request, expected } = transaction;
  const { statusCode } = expected;
  // No token lacks the scope to read.
  transaction.skip = SKIPPED.includes(statusCode) || (statusCode === '403' && !isWrite(request));
  // Dredd demands each header field of the description. This one is only there while there are more plants.
  delete expected.headers.Link;
  request.headers.Authorization = `Bearer ${PLANTSTORE_TOKEN}`;
  CHANGES[statusCode]?.(request, transaction);
  done();
});
