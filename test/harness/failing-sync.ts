/** Makes syncs to the disk fail on demand, in a process started with `env`. Needs Linux and a C compiler. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Replaces fsync and fdatasync. They fail for the file in $FAILING_SYNC and record this in $FAILING_SYNC.log. */
const SOURCE = `#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int sync_or_fail(int fd, long call) {
  char name[4096] = "", path[4096] = "", link[64], log[4200];
  int control = open(getenv("FAILING_SYNC"), O_RDONLY | O_CLOEXEC);
  if (control < 0) return syscall(call, fd);
  if (read(control, name, sizeof name - 1) < 0) abort();
  close(control);
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (readlink(link, path, sizeof path - 1) < 0 || strcmp(name, path) != 0) return syscall(call, fd);
  snprintf(log, sizeof log, "%s.log", getenv("FAILING_SYNC"));
  int file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (write(file, "failed\\n", 7) != 7) abort();
  close(file);
  errno = EIO;
  return -1;
}
int fsync(int fd) { return sync_or_fail(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_or_fail(fd, SYS_fdatasync); }
`;

const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
/** The reason to skip a test that needs failing syncs. */
export const NO_FAILING_SYNC = !hasCompiler && 'there is no C compiler, or this is not Linux';

export interface FailingSync {
  readonly env: Readonly<Record<string, string>>;
  /** Makes every further sync of this file fail. */
  fail(path: string): void;
  /** Returns the number of failed syncs. */
  failed(): number;
}

/** `directory` is an empty directory for its files. */
export function createFailingSync(directory: string): FailingSync {
  const [source, library, control] = ['sync.c', 'sync.so', 'failing'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(source, SOURCE);
  const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-o', library, source]);
  if (status !== 0) throw new Error(`cc failed: ${stderr}`);
  writeFileSync(`${control}.log`, '');
  return {
    env: { LD_PRELOAD: library, FAILING_SYNC: control },
    fail: (path) => writeFileSync(control, path),
    failed: () => readFileSync(`${control}.log`, 'utf8').split('\n').length - 1,
  };
}
