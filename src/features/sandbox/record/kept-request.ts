/** A received request as a log keeps it in memory, and as the log shows it: without credentials. */
import { StringDecoder } from 'node:string_decoder';
import type { Exchange } from '../../../http/exchange.ts';
import type { Response } from '../../../http/response.ts';
import type { AppliedFault } from '../faults/fault-kind.ts';
import type { ReceivedRequest } from '../sandbox.generated.ts';
import { redactBody, redactField, redactLines } from './redact-request.ts';

/** The most bytes of a body, of the fields as JSON, and of a target that are kept. */
const MAX_BODY = 4_096;
const MAX_FIELDS = 4_096;
const MAX_TARGET = 2_048;
/** The approximate bytes that a request and a field take besides their texts, in memory or as JSON. */
const REQUEST = 320;
const FIELD = 24;

/** A request without its end. */
interface Source {
  readonly exchange: Exchange;
  /** Has the fault that was applied to the request. */
  readonly credential: { readonly applied: AppliedFault | undefined };
}

/** Few requests are read, so only `show` hides the secrets. Texts are Latin-1: each character takes one byte. */
export class KeptRequest {
  /** The approximate bytes that the request takes. 0 until its end: before that its connection holds them. */
  size = 0;
  readonly number: number;
  readonly #at: number;
  /** When it had arrived, by performance.now(). Exchange.began excuses waits, which the client has seen. */
  readonly #began: number;
  readonly #head: Pick<ReceivedRequest, 'connection' | 'place' | 'method' | 'target'>;
  /** The names and values of the fields, in lines. */
  readonly #fields: string;
  /** The approximate bytes of everything but the body. */
  readonly #headSize: number;
  /** Undefined after the end, since it takes more memory than all the rest. */
  #source: Source | undefined;
  /** The bytes of the body as Latin-1. */
  #body: string | undefined = undefined;
  #fault: string | undefined = undefined;
  #milliseconds = 0;
  #status: number | undefined = undefined;
  #error: number | undefined = undefined;
  #response: ReceivedRequest['response'] = 'pending';

  constructor(number: number, at: number, source: Source) {
    const { connection, place, request } = source.exchange;
    const { method = '', url = '', rawHeaders } = request;
    const target = copy(url, MAX_TARGET);
    const { lines, size } = keepFields(rawHeaders);
    this.number = number;
    this.#at = at;
    this.#began = source.exchange.began;
    this.#head = { connection, place, method, target };
    this.#fields = lines;
    this.#source = source;
    this.#headSize = REQUEST + target.length + size;
  }

  respond({ status, problem }: Response): void {
    const isLost = this.#source?.credential.applied?.losesResponse;
    this.#end();
    this.#status = status;
    this.#error = problem?.code;
    if (this.#response === 'pending') this.#response = isLost ? 'lost' : undefined;
  }

  /** Notes that the client has left, unless there is a response. */
  abandon(): void {
    if (this.#response !== 'pending') return;
    this.#end();
    this.#response = 'abandoned';
  }

  show(): ReceivedRequest {
    const { target, ...head } = this.#head;
    this.#update();
    return {
      number: this.number,
      ...head,
      at: new Date(this.#at).toISOString(),
      target: redactLines(target),
      headers: showFields(this.#fields),
      ...(this.#body !== undefined && { body: redactBody(textOf(this.#body)) }),
      milliseconds: this.#milliseconds,
      ...(this.#fault !== undefined && { fault: this.#fault }),
      ...(this.#status !== undefined && { status: this.#status }),
      ...(this.#error !== undefined && { error: this.#error }),
      ...(this.#response !== undefined && { response: this.#response }),
    };
  }

  #end(): void {
    if (this.#source === undefined) return;
    this.#update();
    this.#source = undefined;
    this.size = this.#headSize + (this.#body === undefined ? 0 : JSON.stringify(this.#body).length);
  }

  /** Reads what the request has so far. */
  #update(): void {
    if (this.#source === undefined) return;
    const { exchange, credential } = this.#source;
    this.#body = exchange.body?.toString('latin1', 0, MAX_BODY);
    this.#fault = credential.applied?.text;
    this.#milliseconds = Math.round(performance.now() - this.#began);
  }
}

/** `body`: bytes as Latin-1. If the body was cut off within a character, this leaves the character out. */
function textOf(body: string): string {
  const bytes = Buffer.from(body, 'latin1');
  return body.length < MAX_BODY ? bytes.toString() : new StringDecoder().write(bytes);
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
  return { lines: (end < raw.length ? raw.slice(0, end) : raw).join('\n'), size };
}

function showFields(lines: string): ReceivedRequest['headers'] {
  const fields: { name: string; value: string }[] = [];
  const raw = redactLines(lines).split('\n');
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name, value] = [raw[i] as string, raw[i + 1] as string];
    fields.push({ name, value: redactField(name, value) });
  }
  return fields;
}
