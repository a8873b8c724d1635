import pRetry from 'p-retry';
import { type Result, readResponse, type Send } from './adapter.ts';

class StatusError extends Error {
  readonly result: Result;
  constructor(result: Result) {
    super(`status ${result.status}`);
    this.result = result;
  }
}

export const send: Send = async ({ url, ...init }, timeout) => {
  const run = async () => {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeout) });
    const result = await readResponse(response);
    if (!response.ok) throw new StatusError(result);
    return result;
  };
  try {
    return await pRetry(run, { retries: 3 });
  } catch (error) {
    if (error instanceof StatusError) return error.result;
    throw error;
  }
};
