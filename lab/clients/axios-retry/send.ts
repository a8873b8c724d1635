import axios, { type AxiosResponse, isAxiosError } from 'axios';
import axiosRetry from 'axios-retry';
import type { Result, Send } from './adapter.ts';

axiosRetry(axios, { retries: 3, retryDelay: axiosRetry.exponentialDelay, shouldResetTimeout: true });

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
