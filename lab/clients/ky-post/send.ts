import ky, { HTTPError } from 'ky';
import { readResponse, type Send } from './adapter.ts';

const methods = ['get', 'put', 'head', 'delete', 'options', 'trace', 'post'] as const;
const retry = { limit: 3, methods: [...methods], retryOnTimeout: true, maxRetryAfter: 10_000 };

export const send: Send = async ({ url, ...init }, timeout) => {
  try {
    return await readResponse(await ky(url, { ...init, timeout, retry }));
  } catch (error) {
    if (error instanceof HTTPError) {
      return { status: error.response.status, body: JSON.stringify(error.data ?? null), link: undefined };
    }
    throw error;
  }
};
