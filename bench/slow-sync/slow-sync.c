/* Makes fsync and fdatasync take longer, as on a cloud disk: loaded with LD_PRELOAD, SLOW_SYNC_US says how much longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

static struct timespec delay;
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

__attribute__((constructor)) static void set_up(void) {
  const char *text = getenv("SLOW_SYNC_US");
  long microseconds = text == NULL ? 0 : strtol(text, NULL, 10);
  delay.tv_sec = microseconds / 1000000;
  delay.tv_nsec = microseconds % 1000000 * 1000;
  real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
}

/* The calling thread sleeps, as it would while a disk works, and uses no processor time. A signal does not cut it short. */
static void wait_for_disk(void) {
  struct timespec left = delay;
  while (nanosleep(&left, &left) == -1 && errno == EINTR);
}

int fsync(int file) {
  wait_for_disk();
  return real_fsync(file);
}

int fdatasync(int file) {
  wait_for_disk();
  return real_fdatasync(file);
}
