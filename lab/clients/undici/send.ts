import { request } from 'undici';
import type { Send } from './adapter.ts';

export const send: Send = async ({ url, ...init }, timeout) => {
  const { statusCode, headers, body } = await request(url, { ...init, signal: AbortSignal.timeout(timeout) });
  return { status: statusCode, body: await body.text(), link: headers['link']?.toString() };
};
