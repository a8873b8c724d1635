import { FetchError, ofetch } from 'ofetch';
import type { Result, Send } from './adapter.ts';

/** By default ofetch parses JSON, and leaves other bodies as text. */
const resultOf = (response: Response, data: unknown): Result => ({
  status: response.status,
  body: typeof data === 'string' ? data : JSON.stringify(data ?? null),
  link: response.headers.get('Link'),
});

export const send: Send = async ({ url, ...init }, timeout) => {
  try {
    const response = await ofetch.raw(url, { ...init, timeout });
    return resultOf(response, response._data);
  } catch (error) {
    if (error instanceof FetchError && error.response !== undefined) return resultOf(error.response, error.data);
    throw error;
  }
};
