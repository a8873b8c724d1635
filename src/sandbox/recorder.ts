/** Records in memory the requests that each sandbox received, for its user. The record shows no credentials. */
import type { Exchange, Finishable } from '../http/exchange.ts';
import type { Response } from '../http/response.ts';
import { networkOf, RECORD, type Visitor } from './budgets.ts';
import type { Faults } from './faults.ts';
import { type KeptRequest, keep, keepResponse, settle, show } from './received-request.ts';
import type { ReceivedRequest } from './sandbox.generated.ts';

/** The most requests that are kept for a sandbox. */
const MOST = 100;
/** The bytes that a list takes besides its requests. */
const LIST = 512;

/** The kept requests of a sandbox, oldest first. */
interface List {
  readonly id: string;
  /** The lists of its address. */
  readonly group: Group;
  readonly requests: Set<KeptRequest>;
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
  /** Records a request that has just arrived. The record shows it as pending, until its response or its client's end. */
  begin(sandbox: Visitor, exchange: Exchange): void;
  /** Performs the operation of a request. Until it ends, the request is pending, even if its client has left. */
  perform<Result>(exchange: Exchange, run: () => Promise<Result>): Promise<Result>;
  /** Records the response. Ignores a request that did not begin or is no longer in the record. */
  end(exchange: Finishable, response: Response): void;
  /** The requests with a higher number, oldest first. `id`: the sandbox's. */
  list(id: string, after: number): readonly ReceivedRequest[];
  /** Deletes the requests of a sandbox. The numbers of later requests continue. */
  clear(id: string): void;
}

export function createRecorder(now: () => number, appliedTo: Faults['appliedTo']): Recorder {
  const lists = new Map<string, List>();
  const begun = new WeakMap<Finishable, { readonly list: List; readonly request: KeptRequest }>();
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
    const list: List = { id, group, requests: new Set(), size: 0, number: reached };
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
    list.requests.clear();
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

  const drop = (list: List, request: KeptRequest) => {
    list.requests.delete(request);
    resize(list, -request.size);
  };
  const shrink = (list: List) => {
    for (const oldest of list.requests) {
      if (list.requests.size <= MOST && list.size <= RECORD.sandbox) break;
      drop(list, oldest);
    }
    makeRoom(list.group, RECORD.address);
    makeRoom(all, RECORD.all);
  };
  /** Settles a request that may have left the record meanwhile. */
  const settleIn = (list: List, request: KeptRequest, exchange: Finishable) => {
    const before = request.size;
    settle(request, exchange, appliedTo(exchange));
    if (!list.requests.has(request)) return;
    resize(list, request.size - before);
    shrink(list);
  };
  const abandon = (list: List, request: KeptRequest) => {
    if (request.exchange === undefined) return;
    settleIn(list, request, request.exchange);
    request.isAbandoned = true;
  };

  return {
    begin(sandbox, exchange) {
      const list = use(sandbox);
      const request = keep(++list.number, now(), exchange);
      begun.set(exchange, { list, request });
      list.requests.add(request);
      resize(list, request.size);
      shrink(list);
      exchange.outgoing.once('close', () => {
        if (!request.isPerforming) abandon(list, request);
      });
    },
    async perform(exchange, run) {
      const { list, request } = begun.get(exchange) ?? {};
      if (list === undefined || request === undefined) return run();
      request.isPerforming = true;
      try {
        return await run();
      } finally {
        request.isPerforming = false;
        if (exchange.outgoing.destroyed) abandon(list, request);
      }
    },
    end(exchange, response) {
      const { list, request } = begun.get(exchange) ?? {};
      if (list === undefined || request === undefined) return;
      if (request.exchange !== undefined) settleIn(list, request, exchange);
      request.response = keepResponse(response, appliedTo(exchange));
    },
    list: (id, after) =>
      [...(lists.get(id)?.requests ?? [])]
        .filter(({ number }) => number > after)
        .map((request) => show(request, request.exchange && appliedTo(request.exchange))),
    clear(id) {
      const list = lists.get(id);
      if (list === undefined) return;
      for (const request of list.requests) drop(list, request);
    },
  };
}
