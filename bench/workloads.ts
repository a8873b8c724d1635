/** Owns what is asked of the servers: each workload, what it finds stored, and who can serve it. */
import type { Contender } from './contenders.ts';
import type { Workload as Kind } from './peers/index.ts';

export interface Workload {
  readonly name: string;
  readonly title: string;
  /** What a server must be able to serve. */
  readonly kind: Kind;
  /** The request function of load.lua. */
  readonly request: 'create' | 'retry' | 'get' | 'list' | 'lists' | 'replace' | 'mix';
  /** Which ids are created. */
  readonly ids: 'sequential' | 'random' | 'int64';
  /** How many plants are there at the start. */
  readonly stored: number;
  /** Whether it is measured on a slow disk too. */
  readonly slowDisk: boolean;
}

const MILLION = 1_000_000;

/** On the slow disk those that write, one of a kind: random ids into an empty store would tell nothing new. */
export const WORKLOADS: readonly Workload[] = [
  { ...create('create', 'Create, sequential ids', 'sequential', 0), slowDisk: true },
  create('create-random', 'Create, random ids', 'random', 0),
  { ...create('create-random-1m', 'Create, random ids into 1 million plants', 'random', MILLION), slowDisk: true },
  {
    ...create('create-random-10m', 'Create, random ids into 10 million plants', 'random', 10 * MILLION),
    slowDisk: true,
  },
  create('create-int64-1m', 'Create, random ids of the whole int64 range into 1 million plants', 'int64', MILLION),
  onMillion('retry', 'Create again what is there'),
  onMillion('get', 'Get'),
  onMillion('list', 'List 100'),
  { ...onMillion('list', 'List 50 to 150, each number in turn'), name: 'lists', request: 'lists' },
  { ...onMillion('replace', 'Replace'), slowDisk: true },
  { ...onMillion('mix', 'Nine gets to one create'), slowDisk: true },
];

/** Whether the server can serve this workload with answers that are right. */
export function serves(contender: Contender, { kind, ids }: Workload): boolean {
  return contender.workloads.includes(kind) && (ids !== 'int64' || contender.int64);
}

function create(name: string, title: string, ids: Workload['ids'], stored: number): Workload {
  const kind = ids === 'sequential' ? 'create' : 'create-random';
  return { name, title, kind, request: 'create', ids, stored, slowDisk: false };
}

function onMillion(name: 'retry' | 'get' | 'list' | 'replace' | 'mix', title: string): Workload {
  return { name, title, kind: name, request: name, ids: 'random', stored: MILLION, slowDisk: false };
}
