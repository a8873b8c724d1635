/** Finds a port of 127.0.0.1 for a receiver that is started with it. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems give ports from 32768 or from 49152 on to other programs, so no program gets one of these meanwhile. */
const FIRST = 20_000;
const AFTER_LAST = 32_768;

/** Rejects if no program may listen on 127.0.0.1. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, AFTER_LAST);
    const server = createServer();
    try {
      await once(server.listen({ port, host: '127.0.0.1', exclusive: true }), 'listening');
    } catch (error) {
      const isTaken = Error.isError(error) && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
