/** A walk through the whole API, which reaches every rule that a defect can break. */
import { BODIES, CONDITIONS, IDS, QUERIES, TAGS, TYPES } from './walk-data.ts';

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
