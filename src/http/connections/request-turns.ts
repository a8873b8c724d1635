/**
 * Begins the requests that arrive at the same time. It does so for about a millisecond in each turn of the event loop,
 * one client after another.
 */
import type { IncomingMessage } from 'node:http';
import { Turns } from '../../util/turns.ts';
import type { AddressReader } from './peers.ts';

/** The milliseconds of a turn of the event loop after which no further request is begun in it. */
const TURN_MS = 1;
/** The most requests that waited and are begun in a turn of the event loop. */
const MAX_IN_TURN = 16;

/**
 * Each connection may bring a request into one turn of the event loop. Beyond a millisecond they wait, so that many
 * requests of one client barely delay those of others.
 */
export class RequestTurns {
  readonly #addressOf: AddressReader;
  readonly #waiting = new Turns<() => void>();
  /** When the first request of this turn of the event loop began, by performance.now(). */
  #began: number | undefined = undefined;
  #isServing = false;

  constructor(addressOf: AddressReader) {
    this.#addressOf = addressOf;
  }

  /** Whether a request that arrived just now may begin at once. */
  isFree(): boolean {
    if (this.#isServing) return false;
    const now = performance.now();
    if (this.#began === undefined) {
      this.#began = now;
      setImmediate(() => {
        this.#began = undefined;
      });
    }
    return now - this.#began < TURN_MS;
  }

  /** Resolves when the request may begin. */
  wait(request: IncomingMessage): Promise<void> {
    const { network, site = network } = this.#addressOf(request);
    return new Promise((resolve) => {
      this.#waiting.add(site, resolve);
      if (this.#isServing) return;
      this.#isServing = true;
      this.#serve();
    });
  }

  /**
   * Each immediate begins one request. Node runs all of them in one turn of the event loop, and the microtasks of each
   * one before the next one.
   */
  #serve(): void {
    let began = 0;
    for (let i = 0; i < MAX_IN_TURN; i++) {
      setImmediate(() => {
        if (i === 0) began = performance.now();
        if (performance.now() - began < TURN_MS) this.#waiting.takeNext()?.();
        if (i < MAX_IN_TURN - 1) return;
        this.#isServing = !this.#waiting.isEmpty;
        if (this.#isServing) this.#serve();
      });
    }
  }
}
