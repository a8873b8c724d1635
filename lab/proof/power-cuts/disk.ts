/**
 * A model of a disk. It knows what is on stable storage, and which changes a power cut could still undo. A change of a
 * file becomes stable with a sync of the file, a change of names with a sync of their folder.
 */
import { dirname } from 'node:path';

/** A power cut tears writes at sectors. */
const SECTOR_BYTES = 512;

type Change = { readonly at: number; readonly data: Buffer } | { readonly length: number };

interface File {
  stable: Buffer;
  /** The length that running processes see. */
  length: number;
  pending: { readonly time: number; readonly change: Change }[];
}

/** A change of names that happens as a whole. A name without a node is removed. */
type Names = readonly (readonly [path: string, node: Node | undefined])[];
type Node = File | 'folder';

export interface Disk {
  /** The length of a file as running processes see it. */
  lengthOf(path: string): number;
  has(path: string): boolean;
  create(path: string, node: 'file' | 'folder', time: number): void;
  remove(path: string, time: number): void;
  link(from: string, to: string, time: number): void;
  rename(from: string, to: string, time: number): void;
  write(path: string, at: number, data: Buffer, time: number): void;
  truncate(path: string, length: number, time: number): void;
  /** Makes all changes stable that began before `before`. */
  sync(path: string, before: number): void;
  /** Whether a file has changes that a power cut could undo. */
  isPending(path: string): boolean;
  /** Returns the folders and files as a power cut could leave them now. */
  cut(random: () => number): ReadonlyMap<string, Buffer | 'folder'>;
}

/** `root` exists and is stable. Every path is below it. */
export function createDisk(root: string): Disk {
  const live = new Map<string, Node>([[root, 'folder']]);
  const stable = new Map(live);
  /** By folder. */
  const pendingNames = new Map<string, { readonly time: number; readonly names: Names }[]>();

  const change = (folder: string, time: number, names: Names) => {
    apply(live, names);
    const pending = pendingNames.get(folder) ?? [];
    pending.push({ time, names });
    pendingNames.set(folder, pending);
  };
  const fileAt = (path: string): File => {
    const node = live.get(path);
    if (node === undefined || node === 'folder') throw new Error(`the trace changes ${path}, which is no file`);
    return node;
  };
  return {
    lengthOf: (path) => fileAt(path).length,
    has: (path) => live.has(path),
    create(path, kind, time) {
      const node: Node = kind === 'folder' ? kind : { stable: Buffer.alloc(0), length: 0, pending: [] };
      change(dirname(path), time, [[path, node]]);
    },
    remove: (path, time) => change(dirname(path), time, [[path, undefined]]),
    link: (from, to, time) => change(dirname(to), time, [[to, fileAt(from)]]),
    rename: (from, to, time) =>
      change(dirname(to), time, [
        [to, fileAt(from)],
        [from, undefined],
      ]),
    write(path, at, data, time) {
      const file = fileAt(path);
      file.length = Math.max(file.length, at + data.length);
      file.pending.push({ time, change: { at, data } });
    },
    truncate(path, length, time) {
      const file = fileAt(path);
      file.length = length;
      file.pending.push({ time, change: { length } });
    },
    sync(path, before) {
      const node = live.get(path);
      if (node === 'folder') {
        const pending = pendingNames.get(path) ?? [];
        for (const { time, names } of pending) if (time < before) apply(stable, names);
        pendingNames.set(
          path,
          pending.filter(({ time }) => time >= before),
        );
      } else if (node !== undefined) {
        for (const { time, change } of node.pending) if (time < before) node.stable = applyChange(node.stable, change);
        node.pending = node.pending.filter(({ time }) => time >= before);
      }
    },
    isPending(path) {
      const node = live.get(path);
      return node !== undefined && node !== 'folder' && node.pending.length > 0;
    },
    cut(random) {
      const names = new Map(stable);
      // A file system writes changes of names in their order, so a power cut keeps the first of them.
      for (const pending of pendingNames.values()) {
        const kept = Math.floor(random() * (pending.length + 1));
        for (const { names: changed } of pending.slice(0, kept)) apply(names, changed);
      }
      const left = new Map<string, Buffer | 'folder'>();
      const contents = new Map<File, Buffer>();
      for (const [path, node] of [...names].sort(([a], [b]) => a.length - b.length)) {
        if (path !== root && left.get(dirname(path)) !== 'folder') continue;
        if (node !== 'folder' && !contents.has(node)) contents.set(node, cutFile(node, random));
        left.set(path, node === 'folder' ? node : (contents.get(node) ?? node.stable));
      }
      return left;
    },
  };
}

function apply(names: Map<string, Node>, changed: Names): void {
  for (const [path, node] of changed) {
    if (node === undefined) names.delete(path);
    else names.set(path, node);
  }
}

/** Returns the content with one change. */
function applyChange(content: Buffer, change: Change): Buffer {
  const length = 'length' in change ? change.length : Math.max(content.length, change.at + change.data.length);
  const capacity = content.buffer.byteLength - content.byteOffset;
  let result: Buffer = content;
  if (length <= capacity) {
    result = Buffer.from(content.buffer, content.byteOffset, length);
    if (length > content.length) result.fill(0, content.length);
  } else {
    result = Buffer.from(new ArrayBuffer(2 * length), 0, length);
    content.copy(result);
  }
  if ('data' in change) change.data.copy(result, change.at);
  return result;
}

/** Applies any subset of the pending changes, sector by sector. */
function cutFile({ stable, pending }: File, random: () => number): Buffer {
  const own = Buffer.from(new ArrayBuffer(stable.length), 0, stable.length);
  stable.copy(own);
  // Sometimes nothing is kept and sometimes everything. Otherwise each sector has the same chance.
  const chance = random() * 1.5 - 0.25;
  let content: Buffer = own;
  for (const { change } of pending) {
    for (const piece of 'length' in change ? [change] : sectorsOf(change.at, change.data)) {
      if (random() < chance) content = applyChange(content, piece);
    }
  }
  return content;
}

function sectorsOf(at: number, data: Buffer): readonly Change[] {
  const pieces: Change[] = [];
  for (let from = 0; from < data.length; ) {
    const to = Math.min(data.length, from + SECTOR_BYTES - ((at + from) % SECTOR_BYTES));
    pieces.push({ at: at + from, data: data.subarray(from, to) });
    from = to;
  }
  return pieces;
}
