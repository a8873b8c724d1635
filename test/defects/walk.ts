/** A walk through the whole API, which reaches every rule that a defect can break. */

/** The tokens of the walk. `main` stands for several tokens of one store, so that none uses up its rate limit. */
export type TokenName = 'main' | 'read' | 'write' | 'other' | 'expired' | 'revoked' | 'unknown' | 'limited';

export interface Ask {
  readonly method: string;
  readonly target: string;
  /** Default: main. */
  readonly token?: TokenName | null;
  /** Further header fields, as they are sent. */
  readonly fields?: readonly string[];
  readonly body?: string | Buffer;
  /** The type of the body. Default: application/json. */
  readonly type?: string;
}

export interface Seen {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** How many requests a token may send. */
export const QUOTA = 30;

const PLANT = { id: 12, name: 'Aloe vera', tag: 'succulent' };
const json = JSON.stringify;
const letters = (count: number, one = 'a') => one.repeat(count);

/** Bodies of POST and PUT, on both sides of each rule. The walk replaces the id 100 by another in each body. */
const BODIES: readonly (string | Buffer)[] = [
  ...[
    { name: 'Aloe' },
    { id: 100 },
    {},
    { id: 100, name: '' },
    { id: 100, name: null },
    { id: 100, name: 5 },
    { id: 100, name: true },
    { id: 100, name: {} },
    { id: 100, name: [] },
    { id: 100, name: ' Aloe  vera ' },
    { id: 100, name: 'ALOE vera' },
    { id: 100, name: '<b>Aloe</b> & "vera"' },
    { id: 100, name: "Aloe'; DROP TABLE plants; --" },
    { id: 100, name: 'Ale\u0301e' },
    { id: 100, name: 'a\nb\tc' },
    { id: 100, name: '🌵' },
    { id: 100, name: 'Ålöe ✿' },
    { id: 100, name: 'a\u0000b' },
    { id: 100, name: letters(1023) },
    { id: 100, name: letters(1024) },
    { id: 100, name: letters(1025) },
    { id: 100, name: letters(1026) },
    { id: 100, name: letters(1024, '🌵') },
    { id: 100, name: letters(1025, '🌵') },
    { id: 100, name: letters(513, '🌵') },
    { id: 100, name: letters(513, 'é') },
    { id: 100, name: letters(255) },
    { id: 100, name: letters(256) },
    { id: 100, name: 'Aloe', tag: '' },
    { id: 100, name: 'Aloe', tag: null },
    { id: 100, name: 'Aloe', tag: 5 },
    { id: 100, name: 'Aloe', tag: [] },
    { id: 100, name: 'Aloe', tag: {} },
    { id: 100, name: 'Aloe', tag: true },
    { id: 100, name: 'Aloe', tag: ' succulent ' },
    { id: 100, name: 'Aloe', tag: '🌵' },
    { id: 100, name: 'Aloe', tag: 'a\u0000b' },
    { id: 100, name: 'Aloe', tag: `"${"it's"}"\n` },
    { id: 100, name: 'Aloe', tag: letters(1024) },
    { id: 100, name: 'Aloe', tag: letters(1025) },
    { id: 100, name: 'Aloe', tag: letters(1024, '🌵') },
    { id: 100, name: 'Aloe', tag: letters(1025, '🌵') },
    { id: 100, name: 'Aloe', color: 'green', version: 7 },
    { id: '100', name: 'Aloe' },
    { id: 100.5, name: 'Aloe' },
    { id: true, name: 'Aloe' },
    { id: null, name: 'Aloe' },
    { id: [], name: 'Aloe' },
    { id: {}, name: 'Aloe' },
    [],
    null,
    'text',
    12,
  ].map((body) => json(body)),
  '{"id": 100.0, "name": "Aloe"}',
  '{"id": 1e2, "name": "Aloe"}',
  '{"id": 100, "name": "\\ud800"}',
  '{"id": 100, "name": "Aloe", "tag": "\\udc00"}',
  '{"id": 100, "name": "Aloe", "name": "Agave"}',
  '{"id": 100, "name": "Aloe",}',
  "{'id': 100, 'name': 'Aloe'}",
  '{"id": 100, "name": "Aloe"} // a comment',
  '{"id": 100, "name": "Aloe"',
  '\ufeff{"id": 100, "name": "Aloe"}',
  '{"id": 0100, "name": "Aloe"}',
  '{"id": NaN, "name": "Aloe"}',
  '',
  '  ',
  Buffer.from('{"id": 100, "name": "Al\xffe"}', 'latin1'),
  `{"id": 100, "name": "Aloe", "more": "${letters(65_497)}"}`,
  `{"id": 100, "name": "Aloe", "more": "${letters(65_600)}"}`,
  '{"id": 100, "name": 1.5}',
  '{"id": 100, "name": "Aloe" /* a comment */}',
  '{"id": 100, "name": "Aloe"} 12',
  '{"id": 100, "name": "Al\toe"}',
  '{id: 100, name: "Aloe"}',
];

const TYPES = [
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json; charset=iso-8859-1',
  'application/json-patch+json',
  'application/json-seq',
  'application/vnd.api+json',
  'application/x-www-form-urlencoded',
  'application/xml',
  'text/plain',
  'text/json',
  'multipart/form-data; boundary=x',
  '',
];

const IDS = [
  ...['0', '-1', '7', '27', '9007199254740993', '-9007199254740993', '9223372036854775807', '-9223372036854775808'],
  ...['9223372036854775806', '-9223372036854775807', '9223372036854775808', '-9223372036854775809'],
  ...['012', '+12', '12.0', '1.2e1', '0x0c', '-0', '%31%32', '12%20', 'twelve', '%ff', '12/', '12/name'],
  ...['%2B12', '%2012', '12abc', '2147483648', '4294967296'],
];

const CONDITIONS = ['"0"', '*', '"0", "1"', 'W/"0"', '0', '"', ''];

const QUERIES = [
  ...['limit=0', 'limit=1', 'limit=2', 'limit=999', 'limit=1000', 'limit=1001', 'limit=1002', 'limit=-1', 'limit=2.0'],
  ...['limit=02', 'limit=', 'limit=two', 'limit=1&limit=2', 'limit=%32', 'limit=2&limit=2', 'limit=101', 'limit=100'],
  ...['tag=succulent', 'tag=Succulent', 'tag=succ', 'tag=succulents', 'tag=', 'tag=nothing', 'tag=%00', 'tag=a%20b'],
  ...['tag=a+b', 'tag=%ff', 'tag=succulent&tag=other', 'tag=%F0%9F%8C%B5', `tag=${letters(1025)}`, 'unknown=1'],
  `tag=${letters(101)}`,
  ...['after=', 'after=x', `after=${letters(32, 'A')}`, 'tag=succulent&limit=2', 'limit=11', 'limit=0&tag=%00'],
];

/** Tags that a careless comparison takes for `succulent`. */
const TAGS = [
  ...['succulent, green', 'green succulent', 'a succulent, too', 'succ', 'sucker', 'evergreen', ' succulent '],
  ...['succu lent', 'succulént', 'succu-lent', 'ｓucculent'],
];

/** Walks. The requests depend only on the responses, so `send` may record them. */
export async function walk(send: (ask: Ask) => Promise<Seen>): Promise<void> {
  const post = (body: unknown, more: Partial<Ask> = {}) =>
    send({ method: 'POST', target: '/plants', body: typeof body === 'string' ? body : json(body), ...more });
  const read = (target: string, more: Partial<Ask> = {}) => send({ method: 'GET', target, ...more });
  const put = (target: string, body: unknown, more: Partial<Ask> = {}) =>
    send({ method: 'PUT', target, body: json(body), ...more });
  const remove = (target: string, more: Partial<Ask> = {}) => send({ method: 'DELETE', target, ...more });
  const tagOf = ({ headers }: Seen) => headers.get('etag') ?? '';

  // A plant from its beginning to its end.
  await read('/plants');
  await read('/plants/12');
  await put('/plants/12', { name: 'Agave' });
  await remove('/plants/12');
  await post(PLANT);
  await post(PLANT);
  await post({ ...PLANT, name: 'Agave' });
  await post({ ...PLANT, tag: 'other' });
  await post({ id: 12, name: 'Aloe vera' });
  const first = await read('/plants/12');
  await read('/plants/12', { fields: [`If-None-Match: ${tagOf(first)}`] });
  await read('/plants/12', { fields: [`If-None-Match: W/${tagOf(first)}`] });
  const second = await put('/plants/12', { name: 'Agave', tag: 'other' });
  await read('/plants/12');
  await read('/plants/12', { fields: [`If-None-Match: ${tagOf(first)}`] });
  await put('/plants/12', { name: 'Agave', tag: 'other' });
  await put('/plants/12', { name: 'Stale' }, { fields: [`If-Match: ${tagOf(first)}`] });
  await put('/plants/12', { name: 'Weak' }, { fields: [`If-Match: W/${tagOf(second)}`] });
  const third = await read('/plants/12');
  await put('/plants/12', { name: 'Weak', tag: 'other' }, { fields: [`If-Match: W/${tagOf(third)}`] });
  await put('/plants/12', { name: 'Fresh', tag: 'other' }, { fields: [`If-Match: ${tagOf(third)}`] });
  await put('/plants/12', { name: 'Twice', tag: 'other' }, { fields: [`If-Match: ${tagOf(third)}`] });
  await put('/plants/12', { name: 'Fresh' });
  await put('/plants/12', { name: 'Fresh', id: 13, color: 'green' });
  await read('/plants/12');
  await send({ method: 'HEAD', target: '/plants/12' });
  await remove('/plants/12', { fields: [`If-Match: ${tagOf(first)}`] });
  await read('/plants/12');
  await remove('/plants/12', { fields: [`If-Match: W/${tagOf(await read('/plants/12'))}`] });
  await remove('/plants/12', { fields: [`If-Match: ${tagOf(await read('/plants/12'))}`] });
  for (const method of ['GET', 'HEAD', 'DELETE', 'GET']) await send({ method, target: '/plants/12' });
  await put('/plants/12', { name: 'Ghost' });
  await read('/plants');
  await post({ ...PLANT, name: 'Again' });
  await read('/plants/12');
  await remove('/plants/12');

  // Lists, page by page.
  for (const id of [9, 10, 100, -5, 3, 7, 27, 47, 1, 2, 4, 5]) {
    await post({ id, name: `Plant ${id}`, ...(id % 2 === 1 && { tag: id > 5 ? 'succulent' : 'Succulent' }) });
  }
  for (const id of ['7', '27', '47']) await read(`/plants/${id}`);
  for (const query of QUERIES) await read(`/plants?${query}`);
  for (const query of ['limit=1', 'limit=2', 'limit=5', 'limit=2&tag=succulent', 'limit=12', 'limit=13']) {
    for (let target: string | undefined = `/plants?${query}`; target !== undefined; ) {
      const { headers } = await read(target);
      if (query !== 'limit=1') await send({ method: 'HEAD', target });
      target = /^<[^/]*\/\/[^/]*(.*)>/.exec(headers.get('link') ?? '')?.[1];
    }
  }
  const next = (await read('/plants?limit=2')).headers.get('link') ?? '';
  const cursor = /after=([\w-]+)/.exec(next)?.[1] ?? '';
  await read(`/plants?limit=3&after=${cursor}`);
  await read(`/plants?tag=succulent&after=${cursor}`);
  await read(`/plants?after=${cursor}`, { token: 'other' });
  await read(`/plants?after=${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`);
  for (const [i, tag] of TAGS.entries()) await post({ id: 500 + i, name: 'Aloe + 5 % / 2 > 1', tag });
  await read('/plants/500');
  for (const query of ['tag=succulent', 'tag=succulent&limit=3', 'tag=succulent, green', 'limit=10', 'limit=20']) {
    const { headers } = await read(`/plants?${query.replaceAll(' ', '%20')}`);
    const link = /^<[^/]*\/\/[^/]*(.*)>/.exec(headers.get('link') ?? '')?.[1];
    if (link !== undefined) await read(link);
  }
  for (const [i] of TAGS.entries()) await remove(`/plants/${500 + i}`);
  await remove('/plants/3');
  await read('/plants?limit=4');
  await read(`/plants?limit=2&after=${cursor}`);

  // The rules of bodies, types, ids and conditions.
  for (const [i, text] of BODIES.entries()) {
    const body = typeof text === 'string' ? text.replace('100', String(200 + i)) : text;
    await post('', { body });
    if (!/"id": ?[^1-9\s]/.test(String(body))) await send({ method: 'PUT', target: '/plants/10', body });
  }
  for (const id of [203, 209, 210, 211, 213, 215, 216, 219, 228, 229, 234, 235, 241, 252]) await read(`/plants/${id}`);
  await read('/plants?limit=1000');
  await send({ method: 'HEAD', target: '/plants?limit=1000' });
  for (const [i, type] of TYPES.entries()) {
    await post({ id: 300 + i, name: type }, { type });
    await put('/plants/10', { name: type }, { type });
  }
  await post('', { type: 'text/plain' });
  await post('{', { type: 'text/plain' });
  await post(PLANT, { fields: ['Content-Encoding: gzip'] });
  for (const id of IDS) {
    if (/^-?\d+$/.test(id)) await post(`{"id": ${id}, "name": "Aloe"}`);
    await put(`/plants/${id}`, { name: 'Agave' });
    for (const method of ['GET', 'DELETE']) await send({ method, target: `/plants/${id}` });
  }
  await post('{"id": 9223372036854775807, "name": "Aloe"}');
  await read('/plants?limit=1000');
  await put('/plants/10', { name: 'Agave', tag: 'other' });
  for (const condition of CONDITIONS) {
    await read('/plants/10', { fields: [`If-None-Match: ${condition}`] });
    await put('/plants/10', { name: 'Agave' }, { fields: [`If-Match: ${condition}`] });
    await remove('/plants/10', { fields: [`If-Match: ${condition}`] });
    await post({ id: 10, name: 'Agave' });
  }
  for (const condition of ['"0"', '*']) {
    await read('/plants/404', { fields: [`If-None-Match: ${condition}`] });
    await put('/plants/404', { name: 'Agave' }, { fields: [`If-Match: ${condition}`] });
    await remove('/plants/404', { fields: [`If-Match: ${condition}`] });
  }

  // Credentials.
  await post(PLANT);
  await post({ id: 12, name: 'Of another store' }, { token: 'other' });
  await post({ id: 13, name: 'Of another store', tag: 'succulent' }, { token: 'other' });
  const others: readonly (TokenName | null)[] = [null, 'unknown', 'expired', 'revoked', 'read', 'write', 'other'];
  for (const token of others) {
    await read('/plants', { token });
    for (const id of [12, 13, 404]) {
      await read(`/plants/${id}`, { token });
      await put(`/plants/${id}`, { name: 'Agave' }, { token });
    }
    await send({ method: 'HEAD', target: '/plants/12', token });
    await read('/plants?limit=0', { token });
    await read('/plants/twelve', { token });
    await put('/plants/12', {}, { token });
    await post({}, { token });
    await post({ id: 14, name: 'Aloe' }, { token });
    await remove('/plants/twelve', { token });
    await remove('/plants/12', { token, fields: ['If-Match: "0"'] });
    await remove('/plants/14', { token });
    await remove('/plants/12', { token });
    await post(PLANT);
  }
  for (const field of ['Authorization: Bearer', 'Authorization: Basic dTpw', 'Authorization: bearer x']) {
    await read('/plants/12', { token: null, fields: [field] });
  }
  await read('/plants/13');
  await read('/plants');
  await remove('/plants/13');
  await read('/plants', { token: 'other' });

  // HTTP.
  for (const target of ['/plants', '/plants/12', '/no', '/openapi.json']) {
    for (const method of ['OPTIONS', 'PATCH', 'PUT', 'POST', 'DELETE', 'HEAD']) await send({ method, target });
    await send({ method: 'PATCH', target, token: null });
    await read(target, { fields: ['Origin: http://example.org'] });
  }
  for (const method of ['GET', 'HEAD', 'TRACE']) await send({ method, target: '/plants/404' });
  await read('/no', { token: null });
  await send({
    method: 'OPTIONS',
    target: '/plants',
    fields: ['Origin: http://a.example', 'Access-Control-Request-Method: PUT'],
  });
  for (const line of ['PATCH /plants/12', 'POST /plants/12', 'PUT /plants', 'PATCH /plants']) {
    const [method = '', target = ''] = line.split(' ');
    await send({ method, target, body: json(PLANT) });
  }
  for (const name of ['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method']) {
    await post(PLANT, { fields: [`${name}: DELETE`] });
    await send({ method: 'POST', target: '/plants/12', fields: [`${name}: PUT`], body: json(PLANT) });
    await send({ method: 'POST', target: '/plants/12', fields: [`${name}: DELETE`], body: '{}' });
    await read('/plants/12', { fields: [`${name}: DELETE`] });
  }
  for (const target of [
    '/plants/12?_method=DELETE',
    '/admin',
    '/debug',
    '/plants/count',
    '/plants/search',
    '/metrics',
  ]) {
    await read(target);
    await read(target, { token: null });
  }
  for (const type of ['text/html', 'application/xml', 'application/json;q=0']) {
    await read('/plants/12', { fields: [`Accept: ${type}`] });
  }
  await read('/plants/12', { fields: ['Accept-Encoding: gzip'] });
  await read('/plants/12', { fields: ['Range: bytes=0-3'] });

  // The rate limit, at the end.
  for (let count = 0; count < QUOTA + 3; count++) await read('/plants?limit=1', { token: 'limited' });
  await read('/plants/12', { token: 'limited' });
  await send({ method: 'HEAD', target: '/plants/12', token: 'limited' });
  await post({}, { token: 'limited' });
}
