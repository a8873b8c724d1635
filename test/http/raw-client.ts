/** Sends bytes unchanged, parses the responses as HTTP, and checks each against the description. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseExact } from '../harness/client.ts';
import { checkResponse } from '../harness/contract.ts';

/** Bytes to write, or an action between writes. */
export type Step =
  | string
  | Buffer
  | { readonly wait: number }
  /** Waits until this many responses have come, including interim ones. */
  | { readonly responded: number }
  | 'half-close'
  | 'abort'
  | { readonly dribble: string; readonly every: number };

interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Exchange {
  /** In order, including interim responses (1xx). */
  readonly responses: readonly RawResponse[];
  /** Whether the service closed the connection. */
  readonly closed: boolean;
}

/** A case that takes longer hangs. */
const BOUND_MS = 20_000;

/** Runs the steps on one connection until it is closed or `until` final responses have come. */
export async function exchange(port: number, steps: readonly Step[], until: number): Promise<Exchange> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const received: Buffer[] = [];
  const { promise: done, resolve, reject } = Promise.withResolvers<boolean>();
  const overdue = setTimeout(() => {
    reject(new Error(`no end after ${BOUND_MS} ms, but ${JSON.stringify(Buffer.concat(received).toString())}`));
  }, BOUND_MS);
  const responses = () => split(Buffer.concat(received));
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    if (responses().filter(({ status }) => status >= 200).length >= until) resolve(false);
  });
  socket.on('end', () => resolve(true));
  socket.on('close', () => resolve(true));
  // A reset closes the connection too. Only the responses before it count.
  socket.on('error', () => resolve(true));
  let over = false;
  void done
    .catch(() => undefined)
    .finally(() => {
      over = true;
    });
  try {
    for (const step of steps) {
      if (over) break;
      if (typeof step === 'object' && 'wait' in step) await sleep(step.wait);
      else if (typeof step === 'object' && 'responded' in step) {
        while (!over && responses().length < step.responded) await sleep(1);
      } else if (step === 'half-close') socket.end();
      else if (step === 'abort') socket.resetAndDestroy();
      else if (typeof step === 'object' && 'dribble' in step) {
        for (const letter of step.dribble) {
          if (over) break;
          socket.write(letter);
          await sleep(step.every);
        }
      } else socket.write(step);
    }
    const closed = await done;
    return { responses: responses(), closed };
  } finally {
    clearTimeout(overdue);
    socket.destroy();
  }
}

/** Parses the complete responses at the beginning of the bytes. */
function split(bytes: Buffer): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) break;
    const [line = '', ...fields] = rest.toString('latin1', 0, end).split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1];
    assert.ok(status, `not the beginning of a response: ${line}`);
    const headers = Object.fromEntries(
      fields.map((field) => {
        const colon = field.indexOf(':');
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers['content-length'] ?? 0);
    if (rest.length < end + 4 + length) break;
    responses.push({ status: Number(status), headers, text: rest.toString('utf8', end + 4, end + 4 + length) });
    rest = rest.subarray(end + 4 + length);
  }
  return responses;
}

/** Checks a response against the description. Returns its error number, or its status if it is a success. */
export function outcome({ status, headers, text }: RawResponse, method = 'GET', target = '/no'): number {
  if (status < 200) return status;
  const json = () => parseExact(text);
  checkResponse(method, target, { status, headers, text, json });
  return status < 400 ? status : (json() as { error: number }).error;
}
