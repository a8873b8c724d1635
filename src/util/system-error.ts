/** Explains the errors that the operating system returns for files. */
import { getSystemErrorMessage } from 'node:util';

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
  EROFS: ['its file system is read-only', 'choose another path'],
};

/** For example `the disk is full (ENOSPC); free space, …`. Undefined for an error that has no code of the system. */
export function explainSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error && 'errno' in error && typeof error.errno === 'number' && 'code' in error))
    return undefined;
  const known = KNOWN[String(error.code)];
  // The message of the error itself may contain the path of a temporary file.
  return known ? `${known[0]} (${error.code}); ${known[1]}` : `${getSystemErrorMessage(error.errno)} (${error.code})`;
}
