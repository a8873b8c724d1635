import got, { HTTPError, type Response } from 'got';
import type { Result, Send } from './adapter.ts';

const retry = { limit: 3, methods: ['GET', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'POST'] as const };

const resultOf = ({ statusCode, body, headers }: Response): Result => ({
  status: statusCode,
  body: String(body),
  link: headers.link?.toString(),
});

export const send: Send = async ({ url, method, headers, body }, timeout) => {
  try {
    const options = { method: method as 'GET', headers, ...(body !== undefined && { body }) };
    const limits = { timeout: { request: timeout }, retry: { ...retry, methods: [...retry.methods] } };
    return resultOf(await got(url, { ...options, ...limits }));
  } catch (error) {
    if (error instanceof HTTPError) return resultOf(error.response);
    throw error;
  }
};
