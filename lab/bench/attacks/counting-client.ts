/** A client that counts what it gets. It never throws: a request without a response has the status 0. */
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly token?: string;
  /** The address that the service sees, in X-Forwarded-For. Default: the address of the client. */
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Ends the request and its connection. */
  readonly signal?: AbortSignal;
}

export interface Got {
  readonly status: number;
  /** The beginning of the body, about 64 KiB at most. */
  readonly text: string;
}

/** The number of responses with each status. Errors also have their number, such as `429/42901`. */
export type Counts = Record<string, number>;

const KEPT = 65_536;
const TIMEOUT_MS = 60_000;
/** An address that the service does not trust as a proxy. */
const DIRECT = '127.0.0.2';

export class Client {
  readonly url: string;
  readonly address: string;
  readonly counts: Counts = {};
  /** The number of sandboxes that the service granted. */
  sandboxes = 0;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string, address: string) {
    this.url = url;
    this.address = address;
  }

  send({ method = 'GET', path, token, address = this.address, headers, body, signal }: Sent): Promise<Got> {
    return new Promise((resolve) => {
      let hasEnded = false;
      const end = (got: Got) => {
        if (!hasEnded) this.count(got);
        if (!hasEnded && path === '/sandboxes' && got.status === 201) this.sandboxes++;
        hasEnded = true;
        resolve(got);
      };
      const lost = (error: Error) => end({ status: 0, text: error.message });
      const options = {
        method,
        agent: this.#agent,
        timeout: TIMEOUT_MS,
        headers: {
          'X-Forwarded-For': address,
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(signal && { signal }),
      };
      const sent = request(`${this.url}${path}`, options, (response) => {
        let text = '';
        response.on('data', (bytes: Buffer) => {
          if (text.length < KEPT) text += bytes.toString('latin1');
        });
        response.once('end', () => end({ status: response.statusCode ?? 0, text })).on('error', lost);
      });
      sent.once('timeout', () => sent.destroy(new Error('no response in time'))).on('error', lost);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  count({ status, text }: Got): void {
    const number = status < 400 ? undefined : /"error": ?(\d+)/.exec(text)?.[1];
    const key = number === undefined ? String(status) : `${status}/${number}`;
    this.counts[key] = (this.counts[key] ?? 0) + 1;
  }

  /** Creates a sandbox. Returns its token, or undefined if the service refuses. */
  async createSandbox(terms: { plants?: string; ttl?: number } = {}, address?: string): Promise<string | undefined> {
    const where = address === undefined ? {} : { address };
    const { status, text } = await this.send({ method: 'POST', path: '/sandboxes', body: terms, ...where });
    return status === 201 ? (JSON.parse(text) as { token: string }).token : undefined;
  }

  /**
   * Writes requests to one connection without waiting for responses, as long as the service reads them. The connection
   * comes from a separate address, because proxies do not pipeline.
   */
  async pipeline(next: () => string, signal: AbortSignal): Promise<void> {
    const { hostname, port } = new URL(this.url);
    while (!signal.aborted) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: DIRECT });
      const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      const stop = () => socket.destroy();
      signal.addEventListener('abort', stop);
      socket.on('error', () => this.count({ status: 0, text: '' }));
      socket.on('data', (bytes) => {
        // A status that is split over two reads is not counted.
        for (const [, status] of bytes.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
          this.count({ status: Number(status), text: '' });
        }
      });
      while (!socket.closed && !signal.aborted) {
        if (socket.write(next())) await turn();
        else await Promise.race([ended, new Promise<void>((resolve) => socket.once('drain', () => resolve()))]);
      }
      await ended;
      signal.removeEventListener('abort', stop);
    }
  }
}
