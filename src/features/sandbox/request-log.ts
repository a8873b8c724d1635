/** The last requests that a sandbox received, oldest first: a ring of at most 100 requests and 128 KiB. */
import type { Exchange } from '../../http/exchange.ts';
import { KeptRequest } from './kept-request.ts';
import type { SandboxCredential } from './sandbox-credential.ts';

const MOST = 100;
const MAX_BYTES = 131_072;
/** The approximate bytes that a log takes besides its requests. */
const LOG = 512;

export class RequestLog {
  readonly requests: KeptRequest[] = [];
  /** The number of the last request. */
  number: number;
  /** The bytes that the log took at the last call of `trim`. */
  size = 0;

  /** The first request gets the number `number + 1`. */
  constructor(number: number) {
    this.number = number;
  }

  add(at: number, exchange: Exchange, credential: SandboxCredential): KeptRequest {
    const request = new KeptRequest(++this.number, at, exchange, credential);
    this.requests.push(request);
    return request;
  }

  /** Drops the oldest requests beyond the limits. Returns how many bytes the log has grown since the last call. */
  trim(): number {
    const before = this.size;
    this.size = this.requests.reduce((sum, { size }) => sum + size, LOG);
    while (this.requests.length > MOST || this.size > MAX_BYTES) this.size -= this.requests.shift()?.size ?? 0;
    return this.size - before;
  }
}
