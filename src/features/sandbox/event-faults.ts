/** Faults of the feed of events: an event twice, an event left out, and silence. The stored events stay right. */
import type { AnySuccess, BodyStream } from '../../contract/operation.ts';
import { isStream } from '../../http/response.ts';
import type { Fault } from './sandbox.generated.ts';

type Pieces = ReturnType<BodyStream>;
type Piece = string | Uint8Array;

/** Whether a piece of a stream is an event, which has JSON. The other pieces are heartbeats, which have none. */
export const isEvent = (piece: Piece): boolean => Buffer.from(piece).includes('{');

export const duplicateEvent = ({ event }: Fault, result: AnySuccess) => replaceEvent(result, event, 2);
export const omitEvent = ({ event }: Fault, result: AnySuccess) => replaceEvent(result, event, 0);

/** Sends the event at a place `times` times. A response with fewer events stays the same. */
function replaceEvent(result: AnySuccess, place = 1, times: number): AnySuccess {
  const { body } = result;
  const repeat = <One>(one: One, number: number) => Array<One>(number === place ? times : 1).fill(one);
  if (Array.isArray(body)) return { ...result, body: body.flatMap((one: unknown, i) => repeat(one, i + 1)) };
  return changeStream(result, async function* (pieces) {
    let events = 0;
    for await (const piece of pieces) {
      if (isEvent(piece)) yield* repeat(piece, ++events);
      else yield piece;
    }
  });
}

/**
 * Sends nothing from an event on. The stream still ends when its client leaves or its credential is no longer valid.
 */
export const silence = ({ event = 1 }: Fault, result: AnySuccess) =>
  changeStream(result, async function* (pieces) {
    let left = event - 1;
    for await (const piece of pieces) {
      if (left > 0) yield piece;
      if (isEvent(piece)) left--;
    }
  });

function changeStream(result: AnySuccess, change: (pieces: Pieces) => AsyncGenerator<Piece>): AnySuccess {
  const { body } = result;
  return isStream(body) ? { ...result, body: (signal: AbortSignal) => change(body(signal)) } : result;
}
