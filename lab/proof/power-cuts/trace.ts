/** Reads the trace that strace wrote (`strace -f -y -xx`): changes of files below a folder, syncs, what was sent. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** The system calls that change files or send something. */
export const CALLS = [
  ['openat', 'write', 'writev', 'pwrite64', 'pwritev', 'ftruncate', 'truncate', 'fsync', 'fdatasync'],
  ['rename', 'renameat', 'renameat2', 'link', 'linkat', 'unlink', 'unlinkat', 'rmdir', 'mkdir', 'mkdirat'],
].flat();

/** One event, in the order of the trace. */
export type Event =
  | { readonly does: 'open'; readonly path: string; readonly fd: number; readonly flags: string }
  | { readonly does: 'mkdir' | 'remove'; readonly path: string }
  | { readonly does: 'rename' | 'link'; readonly path: string; readonly to: string }
  /** `at` is undefined for a write at the position of the file descriptor. */
  | { readonly does: 'write'; readonly path: string; readonly fd: number; readonly at?: number; readonly data: Buffer }
  | { readonly does: 'truncate'; readonly path: string; readonly length: number }
  /** `since`: the number of events before the sync began. It covers only these. */
  | { readonly does: 'sync'; readonly path: string; readonly since: number }
  /** Bytes that a process sent to a socket or a pipe. */
  | { readonly does: 'send'; readonly text: string };

interface Call {
  readonly name: string;
  readonly args: string;
  /** The place of the event, for calls whose effect may begin when they begin. */
  readonly place: number;
}

const hex = (text: string) => [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
const unhex = (text: string) => Buffer.from(text.replaceAll('\\x', ''), 'hex');
/** The beginnings of what is worth reading when it is sent. */
const SENT = ['HTTP/1.1 2', 'Copied ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'].map((text) => `"${hex(text)}`);
const SENDS = new Set(['write', 'writev']);

export async function readTrace(file: string, root: string): Promise<readonly Event[]> {
  const below = hex(root);
  const places: (Event | undefined)[] = [];
  const begun = new Map<string, Call>();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, pid = '', rest = ''] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)\) += (-?\d+)/s.exec(rest);
    const whole = /^(\w+)\((.*)\) += (-?\d+)/s.exec(rest);
    const unfinished = /^(\w+)\((.*) <unfinished \.\.\.>$/s.exec(rest);
    let call: Call | undefined;
    let result = 0;
    if (resumed !== null) {
      const start = begun.get(pid);
      begun.delete(pid);
      if (start !== undefined) call = { ...start, args: start.args + (resumed[1] ?? '') };
      result = Number(resumed[2]);
    } else if (whole !== null || unfinished !== null) {
      const [, name = '', args = ''] = whole ?? unfinished ?? [];
      const concerns = args.includes(below) || (SENDS.has(name) && SENT.some((start) => args.includes(start)));
      if (!concerns) continue;
      call = { name, args, place: places.push(undefined) - 1 };
      if (unfinished !== null) {
        begun.set(pid, call);
        continue;
      }
      result = Number(whole?.[3]);
    }
    if (call === undefined || result < 0) continue;
    const event = readCall(call, result, root);
    // A sync takes effect when it ends, and everything else may take effect when it begins.
    if (event?.does === 'sync') places.push(event);
    else places[call.place] = event;
  }
  return places.map((event) => event ?? { does: 'send', text: '' });
}

function readCall({ name, args, place }: Call, result: number, root: string): Event | undefined {
  const isBelow = (path: string) => path.startsWith(`${root}/`);
  const fd = Number(/^\d+/.exec(args)?.[0] ?? -1);
  // The first argument of most calls is a file descriptor with its path. Other paths may be relative to it.
  const [, opened = ''] = /^[\w-]+<((?:\\x..)*)>/.exec(args) ?? [];
  const strings = [...args.matchAll(/"((?:\\x..)*)"/g)].map(([, text = '']) => unhex(text));
  const own = unhex(opened).toString();
  const [first = '', second = ''] = strings.map((text) => resolve(own || '/', text.toString()));
  const number = Number(/(\d+)$/.exec(args)?.[1]);
  switch (name) {
    case 'openat':
      return isBelow(first) ? { does: 'open', path: first, fd: result, flags: args } : undefined;
    case 'mkdir':
    case 'mkdirat':
      return { does: 'mkdir', path: first };
    case 'unlink':
    case 'unlinkat':
    case 'rmdir':
      return isBelow(first) ? { does: 'remove', path: first } : undefined;
    case 'rename':
    case 'renameat':
    case 'renameat2':
      return { does: 'rename', path: first, to: second };
    case 'link':
    case 'linkat':
      return { does: 'link', path: first, to: second };
    case 'fsync':
    case 'fdatasync':
      return { does: 'sync', path: own, since: place };
    case 'ftruncate':
      return { does: 'truncate', path: own, length: number };
    case 'truncate':
      return { does: 'truncate', path: first, length: number };
    default: {
      const data = Buffer.concat(strings).subarray(0, result);
      if (!isBelow(own)) return { does: 'send', text: data.toString() };
      const at = name.startsWith('p') ? { at: number } : {};
      return { does: 'write', path: own, fd, ...at, data };
    }
  }
}
