/** Records in memory the requests that each sandbox received, for its user. The record shows no credentials. */

import type { Finishable } from '../http/exchange.ts';
import type { Response } from '../http/response.ts';
import { networkOf, RECORD, type Visitor } from './budgets.ts';
import type { AppliedFault } from './faults.ts';
import { losesResponse } from './planned-fault.ts';
import { redactBody, redactField, redactTarget } from './redact.ts';
import type { ReceivedRequest } from './sandbox.generated.ts';

/** The most requests that are kept for a sandbox. */
const MOST = 100;
/** The most bytes of a body, of the fields as JSON, and of a target that are kept. */
const MOST_BODY = 4_096;
const MOST_FIELDS = 4_096;
const MOST_TARGET = 2_048;
/** About the bytes that a request, a field and a list take besides their texts, in memory or as JSON. */
const REQUEST = 256;
const FIELD = 24;
const LIST = 512;

/**
 * A kept request. It is prepared for display only when it is read, since few are. Each text takes a byte a character.
 */
interface KeptRequest {
  readonly number: number;
  readonly at: number;
  readonly method: string;
  readonly target: string;
  /** The names and values of the fields, in lines. */
  readonly fields: string;
  /** The bytes of the body as Latin-1. */
  readonly body: string | undefined;
  readonly status: number;
  readonly error: number | undefined;
  readonly milliseconds: number;
  readonly fault: string | undefined;
  readonly isLost: boolean;
  readonly size: number;
}

/** The kept requests of a sandbox, oldest first. */
interface List {
  readonly id: string;
  /** The lists of its address. */
  readonly group: Group;
  requests: KeptRequest[];
  size: number;
  /** The number of the last request. */
  number: number;
}

/** Lists that share a budget. The least recently used list comes first. */
interface Group {
  readonly network: string;
  readonly lists: Set<List>;
  size: number;
}

export interface Recorder {
  add(sandbox: Visitor, exchange: Finishable, response: Response, applied: AppliedFault | undefined): void;
  /** The requests with a higher number, oldest first. `id`: the sandbox's. */
  list(id: string, after: number): readonly ReceivedRequest[];
  /** Deletes the requests of a sandbox. The numbers of later requests continue. */
  clear(id: string): void;
}

export function createRecorder(now: () => number): Recorder {
  const lists = new Map<string, List>();
  const networks = new Map<string, Group>();
  const all: Group = { network: '', lists: new Set(), size: 0 };
  /** The highest number in a deleted list. New lists begin after it, so that no sandbox gets a number twice. */
  let reached = 0;

  const resize = (list: List, bytes: number) => {
    list.size += bytes;
    list.group.size += bytes;
    all.size += bytes;
  };
  const create = ({ id, address }: Visitor): List => {
    const network = networkOf(address);
    const group = networks.get(network) ?? { network, lists: new Set(), size: 0 };
    networks.set(network, group);
    const list: List = { id, group, requests: [], size: 0, number: reached };
    lists.set(id, list);
    resize(list, LIST);
    return list;
  };
  const use = (sandbox: Visitor): List => {
    const list = lists.get(sandbox.id) ?? create(sandbox);
    for (const { lists: inOrder } of [list.group, all]) {
      inOrder.delete(list);
      inOrder.add(list);
    }
    return list;
  };
  const remove = (list: List) => {
    const { group } = list;
    resize(list, -list.size);
    reached = Math.max(reached, list.number);
    lists.delete(list.id);
    all.lists.delete(list);
    group.lists.delete(list);
    if (group.lists.size === 0) networks.delete(group.network);
  };
  const makeRoom = (group: Group, most: number) => {
    for (const list of group.lists) {
      if (group.size <= most) return;
      remove(list);
    }
  };

  return {
    add(sandbox, exchange, response, applied) {
      const list = use(sandbox);
      const request = keep(++list.number, now(), exchange, response, applied);
      list.requests.push(request);
      resize(list, request.size);
      while (list.requests.length > MOST || list.size > RECORD.sandbox) {
        resize(list, -(list.requests.shift()?.size ?? 0));
      }
      makeRoom(list.group, RECORD.address);
      makeRoom(all, RECORD.all);
    },
    list: (id, after) => (lists.get(id)?.requests ?? []).filter(({ number }) => number > after).map(show),
    clear(id) {
      const list = lists.get(id);
      if (list === undefined) return;
      resize(list, LIST - list.size);
      list.requests = [];
    },
  };
}

function keep(
  number: number,
  at: number,
  { request, body: bytes, began, fault }: Finishable,
  { status, problem }: Response,
  applied: AppliedFault | undefined,
): KeptRequest {
  const { method = '', url = '', rawHeaders } = request;
  const target = copy(url, MOST_TARGET);
  const body = bytes?.toString('latin1', 0, MOST_BODY);
  const fields = keepFields(rawHeaders);
  return {
    number,
    at,
    method,
    target,
    fields: fields.lines,
    body,
    status,
    error: problem?.code,
    milliseconds: Math.round(performance.now() - began + (applied?.waited ?? 0)),
    fault,
    isLost: applied !== undefined && losesResponse(applied.fault),
    size: REQUEST + target.length + fields.size + (body === undefined ? 0 : JSON.stringify(body).length),
  };
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

function show({ number, at, method, target, fields, body, status, error, milliseconds, fault, isLost }: KeptRequest) {
  return {
    number,
    at: new Date(at).toISOString(),
    method,
    target: redactTarget(target),
    headers: showFields(fields),
    ...(body !== undefined && { body: redactBody(Buffer.from(body, 'latin1').toString()) }),
    status,
    ...(error !== undefined && { error }),
    milliseconds,
    ...(fault !== undefined && { fault }),
    ...(isLost && { response: 'lost' as const }),
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
