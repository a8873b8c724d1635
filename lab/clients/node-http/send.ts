import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Result, Send } from './adapter.ts';

const agent = new Agent({ keepAlive: true });

export const send: Send = ({ url, method, headers, body }, timeout) =>
  new Promise<Result>((resolve, reject) => {
    const signal = AbortSignal.timeout(timeout);
    const sent = request(url, { method, headers: { ...headers }, agent, signal }, (response) => {
      const { statusCode = 0, headers } = response;
      text(response).then((body) => resolve({ status: statusCode, body, link: headers.link?.toString() }), reject);
    });
    sent.on('error', reject).end(body);
  });
