/** A receiver of webhooks on a real socket. It checks every message against the description. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { checkMessage } from '../../harness/contract.ts';
import { waitUntil } from '../sandbox/sandbox.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly id: string;
  readonly type: string;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves once it has received a number of messages. */
  has(count: number): Promise<readonly Received[]>;
}

export const HANG_UP = 'hang up';

/** How a receiver answers a message. `place`: how many messages it has received. */
export type Answer = (message: Received, place: number) => Reply | Promise<Reply>;
type Reply = number | typeof HANG_UP | Response;
interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The response has the start of a body that never ends. */
  readonly isEndless?: boolean;
}

/** `check`: of each message. Default: it must be as the description says. */
export async function startReceiver(
  answer: Answer = () => 204,
  port = 0,
  check: typeof checkMessage = checkMessage,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { type } = JSON.parse(body) as { readonly type: string };
    check(type, request.headers, body);
    const message = { headers: request.headers, body, type, id: String(request.headers['webhook-id']) };
    received.push(message);
    const reply = await answer(message, received.length);
    if (reply === HANG_UP) {
      request.socket.destroy();
      return;
    }
    const { status, headers = {}, isEndless = false }: Response = typeof reply === 'number' ? { status: reply } : reply;
    response.writeHead(status, headers);
    if (isEndless) response.write('.');
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    async has(count) {
      await waitUntil(async () => received.length >= count);
      return received;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The ids of the plants in messages. */
export const namesIn = (received: readonly { body: string }[]): readonly number[] =>
  received.map(({ body }) => (JSON.parse(body) as { data: { id: number } }).data.id);

/** Throws unless the official library accepts a message. */
export function verify({ headers, body }: Received, secret: string): void {
  new Webhook(secret).verify(body, headers as Record<string, string>);
}
