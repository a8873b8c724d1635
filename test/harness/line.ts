/** A proxy in front of a PostgreSQL server that lets a test disturb the connection. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface Line extends Disposable {
  /** The URL of the server through the proxy. */
  readonly url: string;
}

/** Calls `join` with both ends of each new connection. `join` passes data on or drops it. Use with `using`. */
export async function openLine(server: string, join: (near: Socket, far: Socket) => void): Promise<Line> {
  const line = createServer((near) => {
    const far = connect(Number(new URL(server).port), '127.0.0.1');
    near.on('error', () => undefined).on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    join(near, far);
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const url = new URL(server);
  url.port = String((line.address() as AddressInfo).port);
  return { url: url.href, [Symbol.dispose]: () => void line.close() };
}
