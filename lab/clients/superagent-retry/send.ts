import superagent, { type Response, type ResponseError } from 'superagent';
import type { Result, Send } from './adapter.ts';

const resultOf = ({ status, text, headers }: Response): Result => ({ status, body: text, link: headers['link'] });

export const send: Send = async ({ url, method, headers, body }, timeout) => {
  try {
    const timeouts = { deadline: timeout, response: timeout };
    return resultOf(
      await superagent(method, url)
        .set({ ...headers })
        .timeout(timeouts)
        .retry(3)
        .send(body),
    );
  } catch (error) {
    const { response } = error as ResponseError;
    if (response !== undefined) return resultOf(response);
    throw error;
  }
};
