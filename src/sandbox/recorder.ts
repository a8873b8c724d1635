/** Records in memory the requests that each sandbox received, for its user. The record shows no credentials. */

import type { Finishable } from '../http/exchange.ts';
import type { Response } from '../http/response.ts';
import { LruCache } from '../lru-cache.ts';
import type { AppliedFault } from './faults.ts';
import { faultText, type PlannedFault } from './kinds.ts';
import type { ReceivedRequest } from './sandbox.generated.ts';

/** The most requests that are kept for a sandbox, and the most characters of all of them. */
const MOST = 100;
const MOST_TEXT = 131_072;
/** The most bytes of a body, and characters of other parts of a request, that are shown. */
const MOST_BODY = 4_096;
const MOST_FIELDS = 4_096;
const MOST_TARGET = 2_048;
/** The most sandboxes for which requests are kept: at most 64 million characters in all. */
const SANDBOXES = 500;

const SECRET = /^(?:authorization|proxy-authorization|cookie)$/i;

/** A kept request. It is prepared for display only when it is read, since few are. */
interface KeptRequest {
  readonly number: number;
  readonly at: number;
  readonly request: Pick<Finishable['request'], 'method' | 'url' | 'rawHeaders'>;
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

export interface Recorder {
  add(sandbox: string, exchange: Finishable, response: Response, applied: AppliedFault | undefined): void;
  /** The requests with a higher number, oldest first. */
  list(sandbox: string, after: number): readonly ReceivedRequest[];
  /** Deletes the requests of a sandbox. The numbers of later requests continue. */
  clear(sandbox: string): void;
}

export function createRecorder(now: () => number): Recorder {
  const kept = new LruCache<Kept>(SANDBOXES);
  return {
    add(sandbox, exchange, { status, problem }, applied) {
      const list = kept.get(sandbox) ?? { requests: [], size: 0, number: 0 };
      const { method, url = '', rawHeaders } = exchange.request;
      const body = exchange.body?.toString('utf8', 0, MOST_BODY);
      const size = rawHeaders.reduce((sum, text) => sum + text.length, url.length + (body?.length ?? 0));
      list.requests.push({
        number: ++list.number,
        at: now(),
        request: { method, url, rawHeaders },
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
    list: (sandbox, after) => (kept.get(sandbox)?.requests ?? []).filter(({ number }) => number > after).map(show),
    clear(sandbox) {
      const list = kept.get(sandbox);
      if (list !== undefined) Object.assign(list, { requests: [], size: 0 });
    },
  };
}

function show({ number, at, request, body, status, error, milliseconds, fault }: KeptRequest): ReceivedRequest {
  return {
    number,
    at: new Date(at).toISOString(),
    method: request.method ?? '',
    target: (request.url ?? '').slice(0, MOST_TARGET),
    headers: fieldsOf(request.rawHeaders),
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

/** The value without its secret: only the scheme, if there is one. */
function withoutSecret(name: string, value: string): string {
  const scheme = /^cookie$/i.test(name) ? undefined : /^([\w-]{1,20}) /.exec(value)?.[1];
  return scheme === undefined ? '…' : `${scheme} …`;
}
