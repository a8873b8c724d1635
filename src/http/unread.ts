/** Owns how much of long answers may wait for their callers, over all connections: a page of plants can be 12 MB. */
import type { ServerResponse } from 'node:http';
import { StoreFailure } from '../errors.ts';
import type { Reply } from './reply.ts';

/** Answers up to so many characters are not counted: the number of connections bounds them. */
export const SHORT = 65_536;

/** Counts an answer until it has left. Throws where too many bytes wait already: nothing is kept of it then. */
export type CountUnread = (body: Reply['body'], response: ServerResponse) => void;

export function createUnread(limit: number): CountUnread {
  let waiting = 0;
  return (body, response) => {
    // Nobody is left to take it, and its close was told before.
    if (body === undefined || body.length <= SHORT || response.destroyed) return;
    const length = Buffer.byteLength(body);
    if (waiting + length > limit) {
      throw new StoreFailure('overloaded', undefined, `${waiting} bytes of long answers wait for their callers`);
    }
    waiting += length;
    response.once('close', () => {
      waiting -= length;
    });
  };
}
