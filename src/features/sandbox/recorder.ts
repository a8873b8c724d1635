/** Records in memory the requests that each sandbox received, for its user. The record shows no credentials. */
import type { Exchange, Finishable } from '../../http/exchange.ts';
import type { Response } from '../../http/response.ts';
import { networkOf, RECORD, type Visitor } from './budgets.ts';
import { type SandboxCredential, sandboxCredentialOf } from './credential.ts';
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
  readonly requests: KeptRequest[];
  size: number;
  /** The number of the last request, and of the last that was deleted. */
  number: number;
  deleted: number;
}

/** Lists that share a budget. The least recently used list comes first. */
interface Group {
  readonly network: string;
  readonly lists: Set<List>;
  /** The most recently used list. */
  latest: List | undefined;
  size: number;
}

export interface Recorder {
  /**
   * Records a request that has just arrived. The record shows it as pending, until its response or its client's end.
   */
  begin(credential: SandboxCredential, exchange: Exchange): void;
  /** Performs the operation of a request. Until it ends, the request is pending, even if its client has left. */
  perform<Result>(credential: SandboxCredential, exchange: Exchange, run: () => Promise<Result>): Promise<Result>;
  /** Records the response. Ignores a request that did not begin or is no longer in the record. */
  end(exchange: Finishable, response: Response): void;
  /** The requests with a higher number, oldest first. `id`: the sandbox's. */
  list(id: string, after: number): readonly ReceivedRequest[];
  /** Deletes the requests of a sandbox. The numbers of later requests continue. */
  clear(id: string): void;
}

const appliedTo = (exchange: Finishable) => sandboxCredentialOf(exchange)?.applied;

export function createRecorder(now: () => number): Recorder {
  const lists = new Map<string, List>();
  const networks = new Map<string, Group>();
  const all: Group = { network: '', lists: new Set(), latest: undefined, size: 0 };
  /** The highest number in a deleted list. New lists begin after it, so that no sandbox gets a number twice. */
  let reached = 0;

  const resize = (list: List, bytes: number) => {
    list.size += bytes;
    list.group.size += bytes;
    all.size += bytes;
  };
  const create = ({ id, address }: Visitor): List => {
    const network = networkOf(address);
    const group = networks.get(network) ?? { network, lists: new Set(), latest: undefined, size: 0 };
    networks.set(network, group);
    const list: List = { id, group, requests: [], size: 0, number: reached, deleted: reached };
    lists.set(id, list);
    resize(list, LIST);
    return list;
  };
  const moveToEnd = (group: Group, list: List) => {
    if (group.latest === list) return;
    group.latest = list;
    group.lists.delete(list);
    group.lists.add(list);
  };
  const use = (sandbox: Visitor): List => {
    const list = lists.get(sandbox.id) ?? create(sandbox);
    moveToEnd(list.group, list);
    moveToEnd(all, list);
    return list;
  };
  const remove = (list: List) => {
    const { group } = list;
    resize(list, -list.size);
    reached = Math.max(reached, list.number);
    lists.delete(list.id);
    for (const each of [group, all]) {
      each.lists.delete(list);
      if (each.latest === list) each.latest = undefined;
    }
    if (group.lists.size === 0) networks.delete(group.network);
  };
  const makeRoom = (group: Group, most: number) => {
    if (group.size <= most) return;
    for (const list of group.lists) {
      remove(list);
      if (group.size <= most) return;
    }
  };

  const dropOldest = (list: List) => {
    const oldest = list.requests.shift();
    if (oldest === undefined) return;
    list.deleted = oldest.number;
    resize(list, -oldest.size);
  };
  const shrink = (list: List) => {
    while (list.requests.length > MOST || list.size > RECORD.sandbox) dropOldest(list);
    makeRoom(list.group, RECORD.address);
    makeRoom(all, RECORD.all);
  };
  /** Settles a request that may have left the record meanwhile. */
  const settleIn = (id: string, request: KeptRequest, exchange: Finishable) => {
    const before = request.size;
    settle(request, exchange, appliedTo(exchange));
    const list = lists.get(id);
    if (list === undefined || request.number <= list.deleted) return;
    resize(list, request.size - before);
    shrink(list);
  };
  const abandon = (id: string, request: KeptRequest) => {
    if (request.exchange === undefined) return;
    settleIn(id, request, request.exchange);
    request.isAbandoned = true;
  };

  return {
    begin(credential, exchange) {
      const { sandbox } = credential;
      const list = use(sandbox);
      const request = keep(++list.number, now(), exchange);
      credential.recorded = request;
      list.requests.push(request);
      resize(list, request.size);
      shrink(list);
      exchange.outgoing.on('close', () => {
        if (!request.isPerforming) abandon(sandbox.id, request);
      });
    },
    async perform({ sandbox, recorded: request }, exchange, run) {
      if (request === undefined) return run();
      request.isPerforming = true;
      try {
        return await run();
      } finally {
        request.isPerforming = false;
        if (exchange.outgoing.destroyed) abandon(sandbox.id, request);
      }
    },
    end(exchange, response) {
      const { sandbox, recorded: request } = sandboxCredentialOf(exchange) ?? {};
      if (sandbox === undefined || request === undefined) return;
      if (request.exchange !== undefined) settleIn(sandbox.id, request, exchange);
      keepResponse(request, response, appliedTo(exchange));
    },
    list: (id, after) =>
      (lists.get(id)?.requests ?? [])
        .filter(({ number }) => number > after)
        .map((request) => show(request, request.exchange && appliedTo(request.exchange))),
    clear(id) {
      const list = lists.get(id);
      if (list === undefined) return;
      while (list.requests.length > 0) dropOldest(list);
    },
  };
}
