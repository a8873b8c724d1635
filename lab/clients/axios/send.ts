import axios, { type AxiosResponse, isAxiosError } from 'axios';
import type { Result, Send } from './adapter.ts';

/** By default axios parses JSON, and leaves other bodies as text. */
const resultOf = ({ status, data, headers }: AxiosResponse<unknown>): Result => ({
  status,
  body: typeof data === 'string' ? data : JSON.stringify(data),
  link: headers['link'] as string | undefined,
});

export const send: Send = async ({ body, ...call }, timeout) => {
  try {
    return resultOf(await axios.request({ ...call, data: body, timeout }));
  } catch (error) {
    if (isAxiosError(error) && error.response !== undefined) return resultOf(error.response);
    throw error;
  }
};
