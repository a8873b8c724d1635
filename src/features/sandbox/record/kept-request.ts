/** A received request as a log keeps it in memory, and as the log shows it: without credentials. */
import type { Exchange } from '../../../http/exchange.ts';
import type { Response } from '../../../http/response.ts';
import type { AppliedFault } from '../faults/fault-kind.ts';
import type { ReceivedRequest } from '../sandbox.generated.ts';
import { redactBody, redactField, redactTarget } from './redact-request.ts';

/** The most bytes of a body, of the fields as JSON, and of a target that are kept. */
const MAX_BODY = 4_096;
const MAX_FIELDS = 4_096;
const MAX_TARGET = 2_048;
/** The approximate bytes that a request and a field take besides their texts, in memory or as JSON. */
const REQUEST = 320;
const FIELD = 24;

/** What a request has at its end, or so far. */
interface End {
  /** The bytes of the body as Latin-1. */
  readonly body: string | undefined;
  readonly applied: AppliedFault | undefined;
  readonly milliseconds: number;
}

/** Few requests are read, so only `show` hides the secrets. Texts are Latin-1: each character takes one byte. */
export class KeptRequest {
  /** The approximate bytes that the request takes. */
  size: number;
  readonly number: number;
  readonly #at: number;
  readonly #head: Pick<ReceivedRequest, 'connection' | 'place' | 'method' | 'target'>;
  /** The names and values of the fields, in lines. */
  readonly #fields: string;
  #isPending = true;
  #end: () => End;
  #response: Pick<ReceivedRequest, 'status' | 'error' | 'response'> = { response: 'pending' };

  /** `credential`: the credential of the request. It has the fault that was applied to the request. */
  constructor(number: number, at: number, exchange: Exchange, credential: Pick<End, 'applied'>) {
    const { connection, place, request } = exchange;
    const { method = '', url = '', rawHeaders } = request;
    const target = copy(url, MAX_TARGET);
    const { lines, size } = keepFields(rawHeaders);
    this.number = number;
    this.#at = at;
    this.#head = { connection, place, method, target };
    this.#fields = lines;
    this.#end = () => ({
      body: exchange.body?.toString('latin1', 0, MAX_BODY),
      applied: credential.applied,
      milliseconds: Math.round(performance.now() - exchange.began + (credential.applied?.waited ?? 0)),
    });
    this.size = REQUEST + target.length + size;
  }

  respond({ status, problem }: Response): void {
    const isLost = this.#settle().applied?.losesResponse;
    const response = this.#response.response ?? (isLost ? 'lost' : undefined);
    this.#response = {
      status,
      ...(problem !== undefined && { error: problem.code }),
      ...(response !== undefined && { response }),
    };
  }

  /** Notes that the client has left, unless there is a response. */
  abandon(): void {
    if (!this.#isPending) return;
    this.#settle();
    this.#response = { response: 'abandoned' };
  }

  show(): ReceivedRequest {
    const { target, ...head } = this.#head;
    const { body, applied, milliseconds } = this.#end();
    return {
      number: this.number,
      ...head,
      at: new Date(this.#at).toISOString(),
      target: redactTarget(target),
      headers: showFields(this.#fields),
      ...(body !== undefined && { body: redactBody(Buffer.from(body, 'latin1').toString()) }),
      milliseconds,
      ...(applied !== undefined && { fault: applied.text }),
      ...this.#response,
    };
  }

  /** Keeps the body and the fault of a request that ends: with its response, or because its client has left. */
  #settle(): End {
    const end = this.#end();
    if (!this.#isPending) return end;
    this.#isPending = false;
    this.#end = () => end;
    this.#response = {};
    if (end.body !== undefined) this.size += JSON.stringify(end.body).length;
    return end;
  }
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
    if (next > MAX_FIELDS) break;
    size = next;
    end += 2;
  }
  return { lines: raw.slice(0, end).join('\n'), size };
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
