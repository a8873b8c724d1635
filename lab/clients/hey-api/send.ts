import type { Call, Send } from './adapter.ts';
import { client } from './client/client.gen.ts';
import { createPlant, deletePlant, getPlant, listPlants, replacePlant } from './client/sdk.gen.ts';
import type { NewPlant, Plant } from './client/types.gen.ts';

function request({ method, url, headers, body = '' }: Call, timeout: number) {
  const { origin, pathname, searchParams } = new URL(url);
  client.setConfig({ baseUrl: origin });
  const options = { headers, signal: AbortSignal.timeout(timeout) };
  const path = { id: Number(pathname.split('/')[2]) };
  if (method === 'POST') return createPlant({ ...options, body: JSON.parse(body) as NewPlant });
  if (method === 'PUT') return replacePlant({ ...options, path, body: JSON.parse(body) as Plant });
  if (method === 'DELETE') return deletePlant({ ...options, path });
  if (pathname !== '/plants') return getPlant({ ...options, path });
  const after = searchParams.get('after');
  return listPlants({ ...options, ...(after !== null && { query: { after } }) });
}

export const send: Send = async (call, timeout) => {
  const { data, error, response } = await request(call, timeout);
  // An error without a response, or in the body of a success, is one of the client.
  if (response === undefined || (response.ok && data === undefined)) throw error;
  return { status: response.status, body: JSON.stringify(data ?? error), link: response.headers.get('Link') };
};
