/** A received request as the record keeps it in memory, and as it shows it: without credentials. */
import type { Exchange, Finishable } from '../../http/exchange.ts';
import type { Response } from '../../http/response.ts';
import { type AppliedFault, losesResponse } from './planned-fault.ts';
import { redactBody, redactField, redactTarget } from './redact.ts';
import type { ReceivedRequest } from './sandbox.generated.ts';

/** The most bytes of a body, of the fields as JSON, and of a target that are kept. */
const MOST_BODY = 4_096;
const MOST_FIELDS = 4_096;
const MOST_TARGET = 2_048;
/** About the bytes that a request and a field take besides their texts, in memory or as JSON. */
const REQUEST = 320;
const FIELD = 24;

/**
 * A kept request. It is prepared for display only when it is read, since few are. Each text takes a byte a character.
 */
export interface KeptRequest {
  readonly number: number;
  readonly at: number;
  readonly connection: number;
  readonly place: number;
  readonly method: string;
  readonly target: string;
  /** The names and values of the fields, in lines. */
  readonly fields: string;
  /** The request while it is in progress. */
  exchange: Exchange | undefined;
  isPerforming: boolean;
  /** Whether its client left before the response. */
  isAbandoned: boolean;
  /** The bytes of the body as Latin-1. */
  body: string | undefined;
  fault: string | undefined;
  milliseconds: number;
  /** Undefined without a response. */
  status: number | undefined;
  error: number | undefined;
  /** Whether a fault lost the response on its way to the client. */
  isLost: boolean;
  /** About the bytes that the request takes. */
  size: number;
}

/** Keeps the head of a request that has just arrived. */
export function keep(number: number, at: number, exchange: Exchange): KeptRequest {
  const { method = '', url = '', rawHeaders } = exchange.request;
  const { connection, place } = exchange;
  const target = copy(url, MOST_TARGET);
  const fields = keepFields(rawHeaders);
  return {
    number,
    at,
    connection,
    place,
    method,
    target,
    fields: fields.lines,
    exchange,
    isPerforming: false,
    isAbandoned: false,
    body: undefined,
    fault: undefined,
    milliseconds: 0,
    status: undefined,
    error: undefined,
    isLost: false,
    size: REQUEST + target.length + fields.size,
  };
}

/** Keeps the body and the fault of a request that ends: with its response, or because its client has left. */
export function settle(kept: KeptRequest, { body, fault, began }: Finishable, applied: AppliedFault | undefined): void {
  kept.exchange = undefined;
  kept.body = body?.toString('latin1', 0, MOST_BODY);
  kept.fault = fault;
  kept.milliseconds = Math.round(performance.now() - began + (applied?.waited ?? 0));
  if (kept.body !== undefined) kept.size += JSON.stringify(kept.body).length;
}

export function keepResponse(
  kept: KeptRequest,
  { status, problem }: Response,
  applied: AppliedFault | undefined,
): void {
  kept.status = status;
  kept.error = problem?.code;
  kept.isLost = applied !== undefined && losesResponse(applied.fault);
}

/** The beginning of a text. V8 would keep the whole text for a slice of it. */
function copy(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length), 'latin1').toString('latin1');
}

function keepFields(raw: readonly string[]): { readonly lines: string; readonly size: number } {
  let size = 0;
  let end = 0;
  while (end + 1 < raw.length) {
    const next = size + FIELD + (raw[end] as string).length + (raw[end + 1] as string).length;
    if (next > MOST_FIELDS) break;
    size = next;
    end += 2;
  }
  return { lines: raw.slice(0, end).join('\n'), size };
}

/** The request as the record shows it. `applied`: the fault of a request that has no response yet. */
export function show(kept: KeptRequest, applied: AppliedFault | undefined): ReceivedRequest {
  const { exchange } = kept;
  if (exchange !== undefined) {
    const sofar = { ...kept };
    settle(sofar, exchange, applied);
    return { ...show(sofar, undefined), response: 'pending' };
  }
  const { number, at, connection, place, method, target, fields, body, milliseconds, fault, status, error } = kept;
  return {
    ...{ number, at: new Date(at).toISOString(), connection, place, method, target: redactTarget(target) },
    headers: showFields(fields),
    ...(body !== undefined && { body: redactBody(Buffer.from(body, 'latin1').toString()) }),
    milliseconds,
    ...(fault !== undefined && { fault }),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(kept.isLost && { response: 'lost' }),
    ...(kept.isAbandoned && { response: 'abandoned' }),
  };
}

function showFields(lines: string): ReceivedRequest['headers'] {
  const fields: { name: string; value: string }[] = [];
  const raw = lines.split('\n');
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name = '', value = ''] = raw.slice(i, i + 2);
    fields.push({ name, value: redactField(name, value) });
  }
  return fields;
}
