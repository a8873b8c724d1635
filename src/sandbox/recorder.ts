/** What the service received with the tokens of sandboxes, for who made them: in memory, and no credential in it. */

import type { Finishable } from '../http/exchange.ts';
import type { Response } from '../http/response.ts';
import { LruCache } from '../lru-cache.ts';
import type { AppliedFault } from './faults.ts';
import { faultText, type PlannedFault } from './kinds.ts';
import type { ReceivedRequest } from './sandbox.generated.ts';

/** Requests of a sandbox. */
const MOST = 100;
/** Of all requests of a sandbox together, and shown of the parts of one, in characters. */
const MOST_TEXT = 131_072;
const MOST_BODY = 4_096;
const MOST_FIELDS = 4_096;
const MOST_TARGET = 2_048;
/** Sandboxes whose requests are kept: with the above, 64 million characters at most. */
const SANDBOXES = 500;

const SECRET = /^(?:authorization|proxy-authorization|cookie)$/i;

/** As it is kept, and made ready when somebody asks for it: few are ever read. */
interface KeptRequest {
  readonly number: number;
  readonly at: number;
  readonly exchange: Pick<Finishable['request'], 'method' | 'url' | 'rawHeaders'>;
  readonly body: string | undefined;
  readonly status: number;
  readonly error: number | undefined;
  readonly milliseconds: number;
  readonly fault: PlannedFault | undefined;
  readonly size: number;
}

interface Kept {
  requests: KeptRequest[];
  size: number;
  number: number;
}

export type Recorder = ReturnType<typeof createRecorder>;

export function createRecorder(now: () => number) {
  const kept = new LruCache<Kept>(SANDBOXES);
  return {
    add(sandbox: string, exchange: Finishable, { status, problem }: Response, applied: AppliedFault | undefined): void {
      const list = kept.get(sandbox) ?? { requests: [], size: 0, number: 0 };
      const { method, url = '', rawHeaders } = exchange.request;
      const body = exchange.body?.toString('utf8', 0, MOST_BODY);
      const size = rawHeaders.reduce((sum, text) => sum + text.length, url.length + (body?.length ?? 0));
      list.requests.push({
        number: ++list.number,
        at: now(),
        exchange: { method, url, rawHeaders },
        body,
        status,
        error: problem?.code,
        milliseconds: performance.now() - exchange.began + (applied?.waited ?? 0),
        fault: applied?.fault,
        size,
      });
      list.size += size;
      while (list.requests.length > MOST || list.size > MOST_TEXT) list.size -= list.requests.shift()?.size ?? 0;
      kept.set(sandbox, list);
    },
    list: (sandbox: string, after: number): readonly ReceivedRequest[] =>
      (kept.get(sandbox)?.requests ?? []).filter(({ number }) => number > after).map(shown),
    /** Their numbers go on. */
    forget(sandbox: string): void {
      const list = kept.get(sandbox);
      if (list !== undefined) Object.assign(list, { requests: [], size: 0 });
    },
  };
}

function shown({ number, at, exchange, body, status, error, milliseconds, fault }: KeptRequest): ReceivedRequest {
  return {
    number,
    at: new Date(at).toISOString(),
    method: exchange.method ?? '',
    target: (exchange.url ?? '').slice(0, MOST_TARGET),
    headers: fieldsOf(exchange.rawHeaders),
    ...(body !== undefined && { body: body.toWellFormed() }),
    status,
    ...(error !== undefined && { error }),
    milliseconds: Math.round(milliseconds),
    ...(fault !== undefined && { fault: faultText(fault) }),
  };
}

function fieldsOf(raw: readonly string[]): ReceivedRequest['headers'] {
  const fields: { name: string; value: string }[] = [];
  let size = 0;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name = '', value = ''] = raw.slice(i, i + 2);
    size += name.length + value.length;
    if (size > MOST_FIELDS) break;
    fields.push({ name, value: SECRET.test(name) ? withoutSecret(name, value) : value });
  }
  return fields;
}

/** The scheme alone, where there is one. */
function withoutSecret(name: string, value: string): string {
  const scheme = /^cookie$/i.test(name) ? undefined : /^([\w-]{1,20}) /.exec(value)?.[1];
  return scheme === undefined ? '…' : `${scheme} …`;
}
