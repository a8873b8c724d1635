import { Agent, RetryAgent, request } from 'undici';
import type { Send } from './adapter.ts';

const methods = ['GET', 'PUT', 'HEAD', 'OPTIONS', 'DELETE', 'POST'] as const;
let dispatcher: RetryAgent | undefined;

export const send: Send = async ({ url, ...init }, timeout) => {
  const agent = new Agent({ headersTimeout: timeout, bodyTimeout: timeout });
  dispatcher ??= new RetryAgent(agent, { throwOnError: false, maxRetries: 3, methods: [...methods] });
  const { statusCode, headers, body } = await request(url, { ...init, dispatcher });
  return { status: statusCode, body: await body.text(), link: headers['link']?.toString() };
};
