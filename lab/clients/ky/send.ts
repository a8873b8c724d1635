import ky, { HTTPError } from 'ky';
import { readResponse, type Send } from './adapter.ts';

export const send: Send = async ({ url, ...init }, timeout) => {
  try {
    return await readResponse(await ky(url, { ...init, timeout }));
  } catch (error) {
    if (error instanceof HTTPError) {
      return { status: error.response.status, body: JSON.stringify(error.data ?? null), link: undefined };
    }
    throw error;
  }
};
