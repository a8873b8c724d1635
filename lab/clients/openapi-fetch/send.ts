import createClient from 'openapi-fetch';
import type { Call, Send } from './adapter.ts';
import type { components, paths } from './schema.ts';

type Schemas = components['schemas'];

function request({ method, url, headers, body = '' }: Call, timeout: number) {
  const { origin, pathname, searchParams } = new URL(url);
  const { GET, POST, PUT, DELETE } = createClient<paths>({ baseUrl: origin });
  const options = { headers, signal: AbortSignal.timeout(timeout) };
  const params = { path: { id: Number(pathname.split('/')[2]) } };
  if (method === 'POST') return POST('/plants', { ...options, body: JSON.parse(body) as Schemas['NewPlant'] });
  if (method === 'PUT') return PUT('/plants/{id}', { ...options, params, body: JSON.parse(body) as Schemas['Plant'] });
  if (method === 'DELETE') return DELETE('/plants/{id}', { ...options, params });
  if (pathname !== '/plants') return GET('/plants/{id}', { ...options, params });
  const after = searchParams.get('after');
  return GET('/plants', { ...options, params: { query: after === null ? {} : { after } } });
}

export const send: Send = async (call, timeout) => {
  const { data, error, response } = await request(call, timeout);
  return { status: response.status, body: JSON.stringify(data ?? error) ?? '', link: response.headers.get('Link') };
};
