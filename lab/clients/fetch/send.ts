import { readResponse, type Send } from './adapter.ts';

export const send: Send = async ({ url, ...init }, timeout) =>
  readResponse(await fetch(url, { ...init, signal: AbortSignal.timeout(timeout) }));
