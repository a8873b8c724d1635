/** A line to a PostgreSQL server that a test can disturb: what the two ends say passes through the test's hands. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface Line extends Disposable {
  /** The URL of the server, by way of the line. */
  readonly url: string;
}

/** Calls `join` with the two ends of each new connection: it passes on what they say, or does not. Use with `using`. */
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
