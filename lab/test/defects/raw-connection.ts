/** A connection that sends bytes, and sees every response as it is: also a cut-off response, or none. */
import { connect, type Socket } from 'node:net';
import type { Seen } from './walk.ts';

const TICK_MS = 20;
/** If the service is idle for so many ticks after the defect was triggered, there is no response. */
const IDLE_TICKS = 10;

/** `isIdle`: whether the service waits for nothing although the defect was triggered. */
export function createConnection(port: number, isIdle: () => boolean) {
  let socket: Socket | undefined;
  return {
    close: () => socket?.destroy(),
    ask(bytes: Buffer): Promise<Seen> {
      const { promise, resolve } = Promise.withResolvers<Seen>();
      const isHead = bytes.subarray(0, 5).equals(Buffer.from('HEAD '));
      let received = Buffer.alloc(0);
      let idle = 0;
      const finish = (seen: Seen | undefined) => {
        clearInterval(timer);
        socket?.removeAllListeners();
        if (seen === undefined || seen.headers.get('connection') === 'close') {
          socket?.destroy();
          socket = undefined;
        }
        resolve(seen ?? { status: 0, headers: new Map(), text: received.toString() });
      };
      const timer = setInterval(() => {
        idle = isIdle() ? idle + 1 : 0;
        if (idle > IDLE_TICKS) finish(undefined);
      }, TICK_MS);
      socket ??= connect({ port, host: '127.0.0.1', noDelay: true });
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const seen = parse(received, isHead);
        if (seen !== undefined) finish(seen);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => finish(undefined));
      socket.write(bytes);
      return promise;
    },
  };
}

/** Parses a whole response. Undefined while it is incomplete. */
function parse(bytes: Buffer, isHead: boolean): Seen | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = new Map(
    fields
      .map((field): [string, string] => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(': ') + 2),
      ])
      .filter(([name]) => name !== 'date'),
  );
  const status = Number(line.split(' ')[1]);
  const isChunked = headers.has('transfer-encoding');
  const length = isHead || status === 204 || status === 304 ? 0 : Number(headers.get('content-length') ?? 0);
  if (
    bytes.length < end + 4 + length ||
    (isChunked && !isHead && !bytes.toString('latin1', end).endsWith('0\r\n\r\n'))
  ) {
    return undefined;
  }
  const text = bytes.toString('utf8', end + 4);
  // The rest of the window of the rate limit depends on the time.
  const limit = headers.get('ratelimit');
  if (limit !== undefined) headers.set('ratelimit', limit.replace(/t=\d+/, 't=…'));
  if (headers.has('retry-after')) headers.set('retry-after', '…');
  return { status, headers, text: text.replace(/retry after \d+ s/, 'retry after … s') };
}
