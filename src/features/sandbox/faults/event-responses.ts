/** Responses with events, pages and streams, and how faults change them. The stored events do not change. */
import type { AnySuccess, BodyStream, Operation } from '../../../contract/operation.ts';
import { preferredType } from '../../../http/negotiation.ts';
import { isStream } from '../../../http/response.ts';
import type { Fault } from '../sandbox.generated.ts';
import { integer } from './fault-kind.ts';

type Pieces = ReturnType<BodyStream>;
type Piece = string | Uint8Array;

const JSON_TYPE = 'application/json';

/** The media types of the operation's streams of events; undefined if it has no events. */
function streamTypes({ otherTypes }: Operation): readonly string[] | undefined {
  const types = otherTypes?.[200];
  return types?.includes('text/event-stream') ? types : undefined;
}

/** Whether the response to a request with this Accept field is a stream of events. */
export function hasStream(accept: string | undefined, operation: Operation): boolean {
  const types = streamTypes(operation);
  return types !== undefined && preferredType(accept, [JSON_TYPE, ...types]) !== JSON_TYPE;
}

/** Why an operation has no events, or no stream of them. */
export function reasonAgainstEvents(operation: Operation): string | undefined {
  return streamTypes(operation) === undefined ? 'has no events' : undefined;
}
export function reasonAgainstStream(operation: Operation, isStream: boolean | undefined): string | undefined {
  if (isStream !== false) return reasonAgainstEvents(operation);
  const types = streamTypes(operation)?.join(' or ');
  return types === undefined ? 'has no events' : `sends a stream only with Accept: ${types}`;
}

/** The member `event` of a kind. */
export const eventMember = (meaning: string) => ({ event: integer(1, 1_000, `${meaning}. Default: 1`) });

/** Whether a piece of a stream is an event, which has JSON. The other pieces are heartbeats, which have none. */
export const isEvent = (piece: Piece): boolean => Buffer.from(piece).includes('{');

/** Sends the event at a place `times` times. A response with fewer events stays the same. */
export function repeatEvent({ event: place = 1 }: Fault, result: AnySuccess, times: number): AnySuccess {
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

export function changeStream(result: AnySuccess, change: (pieces: Pieces) => AsyncGenerator<Piece>): AnySuccess {
  const { body } = result;
  return isStream(body) ? { ...result, body: (signal: AbortSignal) => change(body(signal)) } : result;
}
