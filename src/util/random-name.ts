/** Random names, for example the ids of sandboxes and webhooks. */
import { randomInt } from 'node:crypto';

/** Characters that are not easily mistaken for each other. */
const LETTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Each character adds 5.8 bits. */
export function randomName(length: number): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}
