/** Explains the errors of the operating system, and of Node's permission model, for files. */
import { getSystemErrorMessage } from 'node:util';
import { StartupError } from '../errors.ts';

const NO_PERMISSION = ['this user lacks the permission', 'change the permissions, or choose another path'] as const;

/** Why an error occurs, and what the user can do. */
const KNOWN: Readonly<Record<string, readonly [why: string, advice: string]>> = {
  EACCES: NO_PERMISSION,
  EDQUOT: ['the disk quota of this user is used up', 'free space, or choose another disk'],
  EFBIG: ['the file is larger than this process may write', 'raise the limit (ulimit -f)'],
  EISDIR: ['it is a directory', 'choose the path of a file'],
  EMFILE: ['this process has too many open files', 'raise the limit (ulimit -n)'],
  ENAMETOOLONG: ['its name is too long', 'choose a shorter name'],
  ENOENT: ['no such file or directory', 'correct the path'],
  ENOSPC: ['the disk is full', 'free space, or choose another disk'],
  ENOTDIR: ['a part of its path is a file, not a directory', 'correct the path'],
  EPERM: NO_PERMISSION,
  ERR_ACCESS_DENIED: ["Node's permission model forbids it", 'allow the path with --allow-fs-read or --allow-fs-write'],
  EROFS: ['its file system is read-only', 'choose another path'],
};

/** For example `the disk is full (ENOSPC); free space, …`. Undefined for any other error. */
export function explainSystemError(error: unknown): string | undefined {
  if (!(Error.isError(error) && 'code' in error)) return undefined;
  const known = KNOWN[String(error.code)];
  if (known !== undefined) return `${known[0]} (${error.code}); ${known[1]}`;
  // The message of the error itself may contain the path of a temporary file.
  if (!('errno' in error && typeof error.errno === 'number')) return undefined;
  return `${getSystemErrorMessage(error.errno)} (${error.code})`;
}

/** Throws a StartupError if Node's permission model forbids it. Node's own error could end the process. */
export function requireGrant(what: 'net' | 'worker'): void {
  const flag = `--allow-${what}`;
  // Older versions of Node have no such flag for the network, and permit it.
  if (process.permission?.has(what) !== false || !process.allowedNodeEnvironmentFlags.has(flag)) return;
  throw new StartupError(`Node's permission model forbids it; start Node with ${flag}`);
}
