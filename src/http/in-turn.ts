/** Runs long work of requests in turn. Work that still waits is dropped once its client has left. */
import { FairShare } from '../util/fair-share.ts';
import { siteOf } from './connections/client-address.ts';
import { ClientGone, type Exchange } from './exchange.ts';

/** The largest part of this thread's time that the long work of all clients with a public credential takes. */
const PUBLIC = new FairShare({ share: 1 / 8, of: 'thread' });
const OTHERS = new FairShare({ share: 1 });

/** Runs a piece of long work in the turn of the client's address, so that the work barely delays other requests. */
export function inTurn<Result>(exchange: Exchange, piece: () => Result | Promise<Result>): Promise<Result> {
  const { credential, address } = exchange;
  const turns = credential?.isPublic === true ? PUBLIC : OTHERS;
  return waitForTurn(exchange, turns, siteOf(address), piece);
}

/**
 * Runs a piece of work when the key has the next turn. Rejects with ClientGone and drops the piece as soon as the
 * connection closes. For a client that has only ended its own side, it does so when the turn comes.
 */
export function waitForTurn<Result>(
  exchange: Exchange,
  turns: FairShare,
  key: string,
  piece: () => Result | Promise<Result>,
): Promise<Result> {
  const { outgoing } = exchange;
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const remove = turns.add(key, async () => {
    outgoing.off('close', leave);
    try {
      if (exchange.hasLeft) throw new ClientGone();
      resolve(await piece());
    } catch (error) {
      reject(error);
    }
  });
  const leave = () => {
    remove();
    reject(new ClientGone());
  };
  if (outgoing.destroyed) leave();
  else outgoing.once('close', leave);
  return promise;
}
