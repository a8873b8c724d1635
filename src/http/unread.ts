/** Owns how much of long answers may wait for their callers, over all connections: a page of plants can be 12 MB. */
import type { ServerResponse } from 'node:http';
import { StoreFailure } from '../errors.ts';
import type { Reply } from './reply.ts';

/** Answers of up to this many bytes are not counted: the limit on connections bounds their memory. */
export const SHORT = 65_536;

/** Counts an answer until it has left. Throws where too many bytes wait already: nothing is kept of it then. */
type CountUnread = (body: Reply['body'], response: ServerResponse) => void;

export function createUnread(limit: number): CountUnread {
  let waiting = 0;
  return (body, response) => {
    // For a destroyed response 'close' was emitted already: what is counted now would never be subtracted.
    if (body === undefined || response.destroyed) return;
    const length = Buffer.byteLength(body);
    if (length <= SHORT) return;
    if (waiting + length > limit) {
      throw new StoreFailure('overloaded', undefined, `${waiting} bytes of long answers wait for their callers`);
    }
    waiting += length;
    response.once('close', () => {
      waiting -= length;
    });
  };
}
