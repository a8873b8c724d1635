import { Agent, RetryAgent, request } from 'undici';
import type { Send } from './adapter.ts';

let dispatcher: RetryAgent | undefined;

export const send: Send = async ({ url, ...init }, timeout) => {
  dispatcher ??= new RetryAgent(new Agent({ headersTimeout: timeout, bodyTimeout: timeout }), { throwOnError: false });
  const { statusCode, headers, body } = await request(url, { ...init, dispatcher });
  return { status: statusCode, body: await body.text(), link: headers['link']?.toString() };
};
