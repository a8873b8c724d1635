/** Long work of requests, in pieces: the clients take turns, so that the work barely delays other requests. */
import { FairShare } from '../util/fair-share.ts';
import { ClientGone, type Exchange } from './exchange.ts';

/** The largest part of the time that the long work of all clients with a public credential takes. */
const PUBLIC = new FairShare({ share: 1 / 8 });
const OTHERS = new FairShare({ share: 1 });

/**
 * Runs a piece of work when the address of the client has the next turn. Rejects with ClientGone as soon as the client
 * has left, and then no longer holds the piece.
 */
export function inTurn<Result>(exchange: Exchange, piece: () => Result | Promise<Result>): Promise<Result> {
  const { outgoing, credential, address } = exchange;
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const turns = credential?.isPublic === true ? PUBLIC : OTHERS;
  const remove = turns.add(address.site ?? address.network, async () => {
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
