/** The table of hostile and odd HTTP: the bytes that a client writes, and the responses. */
import type { Step } from './raw-client.ts';

interface Case {
  readonly title: string;
  /** Returns the steps for an Authorization line and an id. */
  readonly steps: (auth: string, id: number) => readonly Step[];
  /** Error numbers or success statuses, in order. */
  readonly responses: readonly number[];
  /** Whether the service closes the connection after the last response. If not, the next request gets its response. */
  readonly closes?: true;
  /** Whether a plant with the id is stored afterwards. */
  readonly stores?: true;
  /** Whether the request is refused at the time-out, and not immediately. */
  readonly isLate?: true;
}

const HOST = 'Host: localhost\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';
const plant = (id: number) => `{"id":${id},"name":"Aloe"}`;

const get = (target: string, fields = '', line = 'GET') => `${line} ${target} HTTP/1.1\r\n${HOST}${fields}\r\n`;
/** POST /plants with these framing fields and this body. */
const post = (auth: string, framing: string, body: string) =>
  `POST /plants HTTP/1.1\r\n${HOST}${auth}${JSON_TYPE}${framing}\r\n${body}`;
const sized = (auth: string, id: number, fields = '') =>
  post(auth, `Content-Length: ${plant(id).length}\r\n${fields}`, plant(id));
const chunked = (auth: string, body: string, coding = 'chunked') =>
  post(auth, `Transfer-Encoding: ${coding}\r\n`, body);
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Characters of the longest path after its slash. Node counts the target and the names and values of the fields. */
const ROOM = 16_384 - '/Hostlocalhost'.length;

/** POST /plants, with a body that is sent only after the 100. */
const invited = (expectation: string): Pick<Case, 'steps' | 'responses' | 'stores'> => ({
  steps: (auth, id) => [
    post(auth, `Content-Length: ${plant(id).length}\r\nExpect: ${expectation}\r\n`, ''),
    { responded: 1 },
    plant(id),
  ],
  responses: [100, 200],
  stores: true,
});

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';

const REFUSED = { responses: [40006], closes: true } as const;

export const cases: readonly Case[] = [
  // Two interpretations of where a request ends
  {
    title: 'Content-Length and Transfer-Encoding together',
    steps: (auth, id) => [
      post(auth, 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `${chunk(plant(id))}0\r\n\r\n`),
    ],
    ...REFUSED,
  },
  {
    title: 'Transfer-Encoding and Content-Length in the other order',
    steps: (auth, id) => [
      post(auth, 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', `${chunk(plant(id))}0\r\n\r\n`),
    ],
    ...REFUSED,
  },
  {
    title: 'two different Content-Lengths',
    steps: (auth, id) => [post(auth, 'Content-Length: 5\r\nContent-Length: 60\r\n', plant(id))],
    ...REFUSED,
  },
  {
    title: 'a list of Content-Lengths',
    steps: (auth, id) => [post(auth, 'Content-Length: 5, 5\r\n', plant(id))],
    ...REFUSED,
  },
  { title: 'a negative Content-Length', steps: (auth) => [post(auth, 'Content-Length: -5\r\n', 'hello')], ...REFUSED },
  {
    title: 'a Content-Length with a sign',
    steps: (auth) => [post(auth, 'Content-Length: +5\r\n', 'hello')],
    ...REFUSED,
  },
  {
    title: 'a hexadecimal Content-Length',
    steps: (auth) => [post(auth, 'Content-Length: 0x5\r\n', 'hello')],
    ...REFUSED,
  },
  {
    title: 'a Content-Length beyond 64 bits',
    steps: (auth) => [post(auth, 'Content-Length: 99999999999999999999\r\n', 'hello')],
    ...REFUSED,
  },
  {
    title: 'Transfer-Encoding: identity, chunked',
    steps: (auth, id) => [chunked(auth, `${chunk(plant(id))}0\r\n\r\n`, 'identity, chunked')],
    responses: [40006],
  },
  { title: 'Transfer-Encoding: gzip', steps: (auth) => [chunked(auth, '0\r\n\r\n', 'gzip')], ...REFUSED },
  {
    title: 'Transfer-Encoding: chunked, gzip',
    steps: (auth) => [chunked(auth, '0\r\n\r\n', 'chunked, gzip')],
    ...REFUSED,
  },
  { title: 'Transfer-Encoding: xchunked', steps: (auth) => [chunked(auth, '0\r\n\r\n', 'xchunked')], ...REFUSED },
  {
    title: 'Transfer-Encoding: Chunked',
    steps: (auth, id) => [chunked(auth, `${chunk(plant(id))}0\r\n\r\n`, 'Chunked')],
    responses: [200],
    stores: true,
  },
  {
    title: 'Transfer-Encoding in HTTP/1.0, on a kept connection',
    steps: (auth, id) => [
      chunked(`${auth}Connection: keep-alive\r\n`, `${chunk(plant(id))}0\r\n\r\n`).replace('HTTP/1.1', 'HTTP/1.0'),
    ],
    ...REFUSED,
  },
  {
    title: 'Transfer-Encoding in HTTP/0.9',
    steps: (auth, id) => [chunked(auth, `${chunk(plant(id))}0\r\n\r\n`).replace('HTTP/1.1', 'HTTP/0.9')],
    ...REFUSED,
  },
  // Chunks
  { title: 'a chunk size that is not a number', steps: (auth) => [chunked(auth, 'zz\r\n{}\r\n0\r\n\r\n')], ...REFUSED },
  { title: 'a chunk size beyond 64 bits', steps: (auth) => [chunked(auth, 'fffffffffffffffff\r\n{}')], ...REFUSED },
  { title: 'a negative chunk size', steps: (auth) => [chunked(auth, '-2\r\n{}\r\n0\r\n\r\n')], ...REFUSED },
  { title: 'a chunk longer than its size', steps: (auth) => [chunked(auth, '2\r\n{}{}\r\n0\r\n\r\n')], ...REFUSED },
  {
    title: 'a chunk size that ends with a bare LF',
    steps: (auth) => [chunked(auth, '2\n{}\r\n0\r\n\r\n')],
    ...REFUSED,
  },
  {
    title: 'a chunk extension of 32 KiB',
    steps: (auth) => [chunked(auth, `2;${'x'.repeat(32_768)}\r\n{}\r\n0\r\n\r\n`)],
    ...REFUSED,
  },
  {
    title: 'a chunk extension and a trailer',
    steps: (auth, id) => [
      chunked(auth, `${plant(id).length.toString(16)};a=b\r\n${plant(id)}\r\n0\r\nX-Sum: 1\r\n\r\n`),
    ],
    responses: [200],
    stores: true,
  },
  {
    title: 'a body in chunks of one byte',
    steps: (auth, id) => [chunked(auth, `${[...plant(id)].map(chunk).join('')}0\r\n\r\n`)],
    responses: [200],
    stores: true,
  },
  // Lines and fields
  { title: 'bare LF as the end of lines', steps: () => ['GET /healthz HTTP/1.1\nHost: localhost\n\n'], ...REFUSED },
  { title: 'a bare LF behind a field', steps: () => [`GET /healthz HTTP/1.1\r\n${HOST}A: b\n\r\n`], ...REFUSED },
  { title: 'a bare CR within a field', steps: () => [get('/healthz', 'A: b\rC: d\r\n')], ...REFUSED },
  { title: 'a NUL within a field', steps: () => [get('/healthz', 'A: b\0c\r\n')], ...REFUSED },
  { title: 'a blank before the colon', steps: () => [get('/healthz', 'A : b\r\n')], ...REFUSED },
  { title: 'a field without a name', steps: () => [get('/healthz', ': b\r\n')], ...REFUSED },
  { title: 'a field folded over two lines', steps: () => [get('/healthz', 'A: b\r\n c\r\n')], ...REFUSED },
  { title: 'a field of 20,000 bytes', steps: () => [get('/healthz', `A: ${'b'.repeat(20_000)}\r\n`)], ...REFUSED },
  ...Object.entries({
    '40,000 blanks before a value': `A:${' '.repeat(40_000)}b\r\n`,
    '200 kB of blanks before a value': `A:${' '.repeat(200_000)}b\r\n`,
  }).map(([title, fields]) => ({
    title: `${title}, which Node does not count`,
    steps: () => [get('/healthz', fields)],
    responses: [200],
  })),
  {
    title: '200 kB of blanks behind a value',
    steps: () => [get('/healthz', `A: b${'\t'.repeat(200_000)}\r\n`)],
    ...REFUSED,
  },
  {
    title: 'blanks without an end, before a value',
    steps: () => [`GET / HTTP/1.1\r\n${HOST}A:${' '.repeat(200_000)}`],
    ...REFUSED,
    isLate: true,
  },
  {
    title: 'empty lines without an end',
    steps: () => [{ dribble: '\r\n'.repeat(500), every: 20 }],
    ...REFUSED,
    isLate: true,
  },
  { title: '200 kB of empty lines', steps: () => ['\r\n'.repeat(100_000) + get('/healthz')], responses: [200] },
  {
    title: '40,000 blanks in the line',
    steps: (auth, id) => [sized(auth, id).replace(' ', ' '.repeat(40_000))],
    responses: [200],
    stores: true,
  },
  {
    title: '200 kB of empty lines behind a good request',
    steps: (auth, id) => [sized(auth, id), { responded: 1 }, '\r\n'.repeat(100_000) + get('/no')],
    responses: [200, 40400],
    stores: true,
  },
  {
    title: 'zeros before the size of a chunk, in one write with the head',
    steps: (auth, id) => [chunked(auth, `${'0'.repeat(60_000)}${chunk(plant(id))}0\r\n\r\n`)],
    responses: [200],
    stores: true,
  },
  {
    title: '500 kB of zeros before the size of a chunk',
    steps: (auth, id) => [
      post(auth, 'Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n', ''),
      { responded: 1 },
      `${'0'.repeat(500_000)}${chunk(plant(id))}0\r\n\r\n`,
    ],
    responses: [100, 40003],
  },
  {
    title: 'two hundred requests in one write, with fields and bodies',
    steps: (auth, id) => [(get('/healthz', 'A: b\r\n'.repeat(40)) + sized(auth, id)).repeat(100)],
    responses: Array.from({ length: 200 }, () => 200),
    stores: true,
  },
  {
    title: 'a head up to the limit behind a long body, in pieces',
    steps: (auth, id) => [
      post(auth, 'Content-Length: 60000\r\n', plant(id).padEnd(30_000)),
      { wait: 20 },
      ' '.repeat(30_000) + get(`/${'a'.repeat(8_000)}`).slice(0, 4_000),
      { wait: 20 },
      get(`/${'a'.repeat(8_000)}`).slice(4_000) + chunked(auth, `${chunk(' '.repeat(30_000)) + chunk(plant(id))}0\r\n`),
      { wait: 20 },
      `\r\n${get('/healthz')}`,
    ],
    responses: [200, 40400, 200, 200],
    stores: true,
  },
  {
    title: 'a body at the limit, in chunks of one byte',
    steps: (auth, id) => [chunked(auth, `${[...plant(id).padEnd(65_536)].map(chunk).join('')}0\r\n\r\n`)],
    responses: [200],
    stores: true,
  },
  {
    title: '100 fields, the last with the credential',
    steps: (auth) => [get('/plants/0', `${'A:\r\n'.repeat(98)}${auth}`)],
    responses: [40401],
  },
  { title: '101 fields', steps: () => [get('/healthz', 'A:\r\n'.repeat(100))], ...REFUSED },
  { title: '102 fields', steps: () => [get('/healthz', 'A:\r\n'.repeat(101))], ...REFUSED },
  { title: '16,300 fields', steps: () => [get('/healthz', 'A:\r\n'.repeat(16_300))], ...REFUSED },
  { title: 'a target up to the limit', steps: () => [get(`/${'a'.repeat(ROOM)}`)], responses: [40400] },
  { title: 'a target one byte over the limit', steps: () => [get(`/${'a'.repeat(ROOM + 1)}`)], ...REFUSED },
  { title: 'a target of 20,000 bytes', steps: () => [get(`/${'a'.repeat(20_000)}`)], ...REFUSED },
  { title: 'empty lines before the request', steps: () => [`\r\n\r\n${get('/healthz')}`], responses: [200] },
  // Host and Authorization
  { title: 'no Host', steps: () => ['GET /healthz HTTP/1.1\r\n\r\n'], responses: [40006] },
  ...['a/b', 'a b', 'user:secret@a', 'user@a', 'a:b', 'a, b', '[::1', '\u00ff'].map((host) => ({
    title: `the Host ${host}`,
    steps: () => [`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    responses: [40006],
  })),
  ...['', 'a.b_c:', '%C3%A9:80', '127.0.0.1:8080', '[::1]:8080', '[fe80::1%25eth0]'].map((host) => ({
    title: `the Host ${host}`,
    steps: () => [`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    responses: [200],
  })),
  { title: 'two Hosts', steps: () => [get('/healthz', HOST)], responses: [40006] },
  { title: 'a field whose value is Host', steps: () => [get('/healthz', 'From: host\r\n')], responses: [200] },
  {
    title: 'two Authorization fields',
    steps: (auth) => [get('/plants', `${auth}Authorization: Bearer other\r\n`)],
    responses: [40101],
  },
  {
    title: 'two Content-Types',
    steps: (auth, id) => [sized(auth, id, 'Content-Type: text/plain\r\n')],
    responses: [40006],
  },
  // Targets
  { title: 'a target in absolute form', steps: () => [get('http://localhost/healthz')], responses: [200] },
  { title: 'a target of https in absolute form', steps: () => [get('https://localhost/healthz')], responses: [200] },
  { title: 'a target without a host', steps: () => [get('http:///healthz')], responses: [40006] },
  { title: 'a target with only a scheme', steps: () => [get('http://')], responses: [40006] },
  { title: 'a target with only a query', steps: () => [get('http://?a')], responses: [40006] },
  { title: 'a target with only a port', steps: () => [get('HTTPS://:80/healthz')], responses: [40006] },
  ...['http://u:p@h/healthz', 'http://u@h', 'HTTPS://:@h/healthz', 'http://@h?a', 'http://a b@h/', 'http://[::1/'].map(
    (target) => ({
      title: `the target ${target}`,
      steps: () => [get(target)],
      responses: [40006],
      ...(target.includes(' ') && { closes: true as const }),
    }),
  ),
  {
    title: 'a target in absolute form of an address, with an at sign behind it',
    steps: () => [get('http://[::1]:80/healthz?a@b')],
    responses: [200],
  },
  { title: 'a target of another scheme', steps: () => [get('ftp://localhost/healthz')], responses: [40400] },
  { title: 'a target with a fragment', steps: (auth) => [get('/plants#1', auth)], responses: [40400] },
  { title: 'a target of dots', steps: () => [get('/plants/../healthz')], responses: [40400] },
  { title: 'a target with a broken encoding', steps: (auth) => [get('/plants/%zz', auth)], responses: [40006] },
  { title: 'a blank within the target', steps: () => [get('/healthz x')], ...REFUSED },
  { title: 'OPTIONS *', steps: () => [get('*', '', 'OPTIONS')], responses: [204] },
  { title: 'CONNECT', steps: () => [`CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n`], responses: [40500], closes: true },
  {
    title: 'CONNECT behind a good request',
    steps: (auth, id) => [`${sized(auth, id)}CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n`],
    responses: [200, 40500],
    closes: true,
    stores: true,
  },
  // Methods and versions
  { title: 'a method in lower case', steps: () => [get('/healthz', '', 'get')], responses: [40500], closes: true },
  { title: 'an unknown method', steps: () => [get('/healthz', '', 'BREW')], responses: [40500], closes: true },
  {
    title: 'an unknown method that begins like a known method',
    steps: () => [get('/plants', '', 'GETS')],
    responses: [40500],
    closes: true,
  },
  {
    title: 'an unknown method at an unknown path',
    steps: () => [get('/no', '', 'BREW')],
    responses: [40400],
    closes: true,
  },
  {
    title: 'an unknown method behind another request',
    steps: () => [`${get('/healthz')}${get('/healthz', '', 'BREW')}`],
    responses: [200, 40500],
    closes: true,
  },
  { title: 'a malformed method', steps: () => [get('/healthz', '', 'B(R)EW')], ...REFUSED },
  {
    title: 'a body longer than its Content-Length',
    steps: (auth, id) => [post(auth, 'Content-Length: 2\r\n', `{}${plant(id)}`)],
    responses: [40005, 40006],
    closes: true,
  },
  {
    title: 'a method that Node supports but no path has',
    steps: () => [get('/healthz', '', 'PROPFIND')],
    responses: [40500],
  },
  { title: 'TRACE', steps: () => [get('/plants', '', 'TRACE')], responses: [40500] },
  { title: 'HTTP/1.0', steps: () => ['GET /healthz HTTP/1.0\r\n\r\n'], responses: [200], closes: true },
  ...['', ' HTTP/0.9', ' RTSP/2.0', ' rtsp/1.0', ' ICE/1.0', ' HTTP/1.2'].map((version) => ({
    title: `POST /plants whose version is '${version}', on a kept connection`,
    steps: (auth: string, id: number) => [sized(auth, id, 'Connection: keep-alive\r\n').replace(' HTTP/1.1', version)],
    ...REFUSED,
  })),
  ...[' RTSP/1.0', ' RTSP/1.1'].map((version) => ({
    title: `POST /plants whose version is '${version}', which Node reads as HTTP`,
    steps: (auth: string, id: number) => [
      sized(auth, id, 'Connection: keep-alive\r\n').replace(' HTTP/1.1', version) + get('/no'),
    ],
    responses: [200, 40400],
    stores: true as const,
  })),
  {
    title: 'chunks in RTSP/1.1',
    steps: (auth, id) => [chunked(auth, `${chunk(plant(id))}0\r\n\r\n`).replace(' HTTP/1.1', ' RTSP/1.1')],
    responses: [200],
    stores: true,
  },
  {
    title: 'chunks in RTSP/1.0',
    steps: (auth, id) => [chunked(auth, `${chunk(plant(id))}0\r\n\r\n`).replace(' HTTP/1.1', ' RTSP/1.0')],
    ...REFUSED,
  },
  {
    title: 'an OPTIONS of RTSP',
    steps: () => ['OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n'],
    responses: [204],
    closes: true,
  },
  {
    title: 'a method of RTSP',
    steps: () => [`SETUP /plants RTSP/1.1\r\n${HOST}\r\n`],
    responses: [40500],
  },
  {
    title: 'a method of RTSP in HTTP',
    steps: () => [get('/plants', '', 'SETUP')],
    ...REFUSED,
  },
  {
    title: 'a method of ICE',
    steps: () => [`SOURCE /plants ICE/1.0\r\n${HOST}\r\n`],
    responses: [40500],
    closes: true,
  },
  {
    title: 'a request of RTSP/1.0 behind other requests',
    steps: () => [`${get('/healthz')}${get('/healthz')}GET  /readyz RTSP/1.0\r\n\r\n`],
    responses: [200, 200, 200],
    closes: true,
  },
  { title: 'HTTP/3.7', steps: () => [`GET /healthz HTTP/3.7\r\n${HOST}\r\n`], ...REFUSED },
  { title: 'HTTP/2.0', steps: (auth, id) => [sized(auth, id).replace('HTTP/1.1', 'HTTP/2.0')], ...REFUSED },
  {
    title: 'HTTP/2.0, on a kept connection',
    steps: (auth, id) => [sized(auth, id, 'Connection: keep-alive\r\n').replace('HTTP/1.1', 'HTTP/2.0')],
    ...REFUSED,
  },
  { title: 'the preface of HTTP/2', steps: () => ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], ...REFUSED },
  {
    title: 'a TLS greeting',
    steps: () => [Buffer.from('16030100c8010000c40303', 'hex'), Buffer.alloc(200, 7)],
    ...REFUSED,
  },
  {
    title: 'an Upgrade',
    steps: () => [get('/healthz', UPGRADE), { responded: 1 }],
    responses: [200],
  },
  {
    title: 'an Upgrade to h2c',
    steps: () => [
      get('/healthz', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n'),
      { responded: 1 },
    ],
    responses: [200],
  },
  {
    title: 'an Upgrade whose head comes in two pieces',
    steps: () => [get('/healthz', UPGRADE).slice(0, -1), { wait: 50 }, '\n', { responded: 1 }],
    responses: [200],
  },
  {
    title: 'an Upgrade with a body',
    steps: (auth, id) => [sized(auth, id, UPGRADE), { responded: 1 }],
    responses: [200],
    stores: true,
  },
  {
    title: 'an Upgrade with a body in pieces',
    steps: (auth, id) => [chunked(auth + UPGRADE, chunk(plant(id))), { wait: 50 }, '0\r\n\r\n', { responded: 1 }],
    responses: [200],
    stores: true,
  },
  {
    title: 'several Upgrades, each after the response to the last',
    steps: () => [1, 2, 3].flatMap((responded) => [get('/healthz', UPGRADE), { responded }]),
    responses: [200, 200, 200],
  },
  {
    title: 'an Upgrade behind another request',
    steps: () => [get('/no') + get('/healthz', UPGRADE), { responded: 2 }],
    responses: [40400, 200],
  },
  {
    title: 'Upgrade without Connection, with another request behind it',
    steps: () => [get('/healthz', 'Upgrade: h2c\r\n') + get('/no')],
    responses: [200, 40400],
  },
  {
    title: 'an Upgrade with another request behind it: only the first gets a response',
    steps: () => [get('/healthz', UPGRADE) + get('/no')],
    responses: [200],
    closes: true,
  },
  ...[1, 4, 40].map((length) => ({
    title: `an Upgrade with ${length} bytes of another request behind it, whose rest looks like a request`,
    steps: (auth: string, id: number) => [
      get('/healthz', UPGRADE) + 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'.slice(0, length),
      sized(auth, id),
    ],
    responses: [200],
    closes: true as const,
  })),
  {
    title: 'an Upgrade and a request behind another request: only the first two get a response',
    steps: (auth, id) => [get('/no') + get('/healthz', UPGRADE) + sized(auth, id)],
    responses: [40400, 200],
    closes: true,
  },
  {
    title: 'an Upgrade with a body and another request behind it',
    steps: (auth, id) => [sized(auth, id, UPGRADE) + get('/no'), get('/no')],
    responses: [200],
    closes: true,
    stores: true,
  },
  {
    title: 'an Upgrade whose body ends after its response, with another request behind it',
    steps: (auth) => [
      post(auth, `${UPGRADE}Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n`, ''),
      { responded: 1 },
      chunk(' '.repeat(70_000)),
      { responded: 2 },
      `0\r\n\r\n${get('/no')}`,
      get('/healthz'),
    ],
    responses: [100, 40003],
    closes: true,
  },
  ...[['zz\r\n'], [{ wait: 50 }, 'zz\r\n'], ['2\r\n{}\r\n', { wait: 50 }, '2\r\n{}x']].map((body) => ({
    title: `an Upgrade with a body of malformed chunks: ${JSON.stringify(body)}`,
    steps: (auth: string) => [chunked(auth + UPGRADE, ''), ...body],
    ...REFUSED,
  })),
  {
    title: 'an Upgrade with a body of malformed chunks, behind another request',
    steps: (auth, id) => [sized(auth, id) + chunked(auth + UPGRADE, `zz\r\n${get('/healthz')}`)],
    responses: [200, 40006],
    closes: true,
    stores: true,
  },
  {
    title: 'an Upgrade with a body of malformed chunks, to a page',
    steps: () => [get('/healthz', `${UPGRADE}Transfer-Encoding: chunked\r\n`), { wait: 50 }, 'zz\r\n'],
    ...REFUSED,
  },
  // Expectations
  {
    title: 'Expect: 100-continue, with a body that waits for it',
    ...invited('100-continue'),
  },
  {
    title: 'Expect: 100-continue after an unknown expectation',
    ...invited('a-miracle, 100-continue'),
  },
  {
    title: 'Expect: 100-continue before an unknown expectation',
    ...invited('100-continue , a-miracle'),
  },
  {
    title: 'Expect: 100-Continue',
    ...invited('100-Continue'),
  },
  {
    title: 'Expect: 100-continue in HTTP/1.0: no 100',
    steps: (auth, id) => [sized(auth, id, 'Expect: 100-continue\r\n').replace('HTTP/1.1', 'HTTP/1.0')],
    responses: [200],
    closes: true,
    stores: true,
  },
  {
    title: 'Expect: 100-continue for a body over the limit: no 100',
    steps: (auth) => [post(auth, 'Content-Length: 10000000\r\nExpect: 100-continue\r\n', '')],
    responses: [40003],
    closes: true,
  },
  {
    title: 'Expect: 100-continue without a credential: no 100',
    steps: (_auth, id) => [sized('', id, 'Expect: 100-continue\r\n')],
    responses: [40100],
    closes: true,
  },
  {
    title: 'an unknown Expect',
    steps: (auth, id) => [sized(auth, id, 'Expect: a-miracle\r\n')],
    responses: [200],
    stores: true,
  },
  // Bodies that are not as long as announced
  {
    title: 'a body longer than its Content-Length',
    steps: (auth, id) => [`${sized(auth, id)}surplus\r\n\r\n`],
    responses: [200, 40006],
    closes: true,
    stores: true,
  },
  {
    title: 'a body shorter than its Content-Length',
    steps: (auth) => [post(auth, 'Content-Length: 100\r\n', '{"id":1,')],
    ...REFUSED,
    isLate: true,
  },
  {
    title: 'a client that stops sending within the body',
    steps: (auth) => [post(auth, 'Content-Length: 100\r\n', '{"id":1,'), 'half-close'],
    ...REFUSED,
  },
  {
    title: 'a client that stops sending within the body of a request with an upgrade',
    steps: (auth) => [post(auth, `Content-Length: 100\r\n${UPGRADE}`, '{"id":1,'), 'half-close'],
    ...REFUSED,
  },
  {
    title: 'a client that stops sending within a chunk',
    steps: (auth) => [chunked(auth, '64\r\n{"id":1,'), 'half-close'],
    ...REFUSED,
  },
  {
    title: 'a client that stops sending within the header',
    steps: () => ['GET /healthz HTTP/1.1\r\nHos', 'half-close'],
    ...REFUSED,
  },
  {
    title: 'a client that stops sending after the request',
    steps: (auth, id) => [sized(auth, id), 'half-close'],
    responses: [200],
    closes: true,
    stores: true,
  },
  { title: 'a client that stops sending before any request', steps: () => ['half-close'], responses: [], closes: true },
  {
    title: 'a reset within the body',
    steps: (auth) => [post(auth, 'Content-Length: 100\r\n', '{"id":1,'), { wait: 50 }, 'abort'],
    responses: [],
    closes: true,
  },
  {
    title: 'a body of malformed chunks for an operation without a body: refused, and nothing deleted',
    steps: (auth, id) => [
      sized(auth, id) + get(`/plants/${id}`, `${auth}Transfer-Encoding: chunked\r\n`, 'DELETE'),
      { responded: 1 },
      'zz\r\n',
    ],
    responses: [200, 40006],
    closes: true,
    stores: true,
  },
  {
    title: 'a body for an operation without a body, with Expect: 100-continue',
    steps: (auth, id) => [
      sized(auth, id) + get(`/plants/${id}`, `${auth}Expect: 100-continue\r\nContent-Length: 2\r\n`, 'DELETE'),
      { responded: 2 },
      '{}',
    ],
    responses: [200, 100, 204],
  },
  {
    title: 'a body of malformed chunks, after the response: closed without another response',
    steps: (_auth) => [chunked('', ''), { responded: 1 }, 'zz\r\n'],
    responses: [40100],
    closes: true,
  },
  {
    title: 'a malformed request that continues while the good request before it gets its response',
    steps: (auth, id) => [`${sized(auth, id)}\0\0\0`, '\0\0\0', { wait: 50 }, '\0\0\0'],
    responses: [200, 40006],
    closes: true,
    stores: true,
  },
  // Time
  {
    title: 'a body that stops, after the response: closed without another response',
    steps: () => [post('', 'Content-Length: 50\r\n', '{')],
    responses: [40100],
    closes: true,
  },
  {
    title: 'a header that dribbles',
    steps: () => [{ dribble: get('/healthz', `A: ${'b'.repeat(500)}\r\n`), every: 20 }],
    ...REFUSED,
    isLate: true,
  },
  {
    title: 'a body that dribbles',
    steps: (auth) => [post(auth, 'Content-Length: 500\r\n', ''), { dribble: ' '.repeat(500), every: 20 }],
    ...REFUSED,
    isLate: true,
  },
  {
    title: 'chunks that dribble',
    steps: (auth) => [chunked(auth, ''), { dribble: '1\r\n \r\n'.repeat(100), every: 20 }],
    ...REFUSED,
    isLate: true,
  },
  // Pipelining
  {
    title: 'several requests in one write, where some wait for the disk',
    steps: (auth, id) => [
      sized(auth, id) + get('/healthz') + sized(auth, id) + get(`/plants/${id}`, auth) + get('/no'),
    ],
    responses: [200, 200, 200, 200, 40400],
    stores: true,
  },
  {
    title: 'a malformed request behind a good one',
    steps: (auth, id) => [`${sized(auth, id)}GET /healthz HTTP/9.9\r\n\r\n`],
    responses: [200, 40006],
    closes: true,
    stores: true,
  },
  {
    title: 'a malformed request behind several good ones',
    steps: (auth, id) => [`${sized(auth, id)}${get('/healthz')}${get(`/plants/${id}`, auth)}\0\0\0`],
    responses: [200, 200, 200, 40006],
    closes: true,
    stores: true,
  },
  {
    title: 'a refused request whose body looks like a request',
    steps: () => [`POST /no HTTP/1.1\r\n${HOST}Content-Length: ${get('/healthz').length}\r\n\r\n${get('/healthz')}`],
    responses: [40400],
  },
  {
    title: 'a body over the limit that looks like requests',
    steps: (auth) => [post(auth, 'Content-Length: 80000\r\n', get('/healthz').padEnd(100).repeat(800))],
    responses: [40003],
  },
];
