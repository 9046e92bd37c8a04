#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CTenureShim.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/fs.h>

static int set_lock(int descriptor, int command, short type) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return fcntl(descriptor, command, &lock);
}

int tenure_lock_wait(int descriptor, int exclusive) {
  return set_lock(descriptor, F_OFD_SETLKW, exclusive ? F_WRLCK : F_RDLCK);
}

int tenure_lock_try(int descriptor, int exclusive) {
  return set_lock(descriptor, F_OFD_SETLK, exclusive ? F_WRLCK : F_RDLCK);
}

int tenure_unlock(int descriptor) { return set_lock(descriptor, F_OFD_SETLK, F_UNLCK); }

int tenure_clone_blocks(int from, int to) { return ioctl(to, FICLONE, from); }

int tenure_full_sync(int descriptor) { return fsync(descriptor); }

int tenure_allocate(int descriptor, int64_t length) {
  int code = posix_fallocate(descriptor, 0, length);
  if (code == 0) return 0;
  errno = code;
  return -1;
}

#else

int tenure_lock_wait(int descriptor, int exclusive) {
  return flock(descriptor, exclusive ? LOCK_EX : LOCK_SH);
}

int tenure_lock_try(int descriptor, int exclusive) {
  return flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB);
}

int tenure_unlock(int descriptor) { return flock(descriptor, LOCK_UN); }

int tenure_clone_blocks(int from, int to) {
  (void)from;
  (void)to;
  errno = ENOTSUP;
  return -1;
}

int tenure_full_sync(int descriptor) { return fcntl(descriptor, F_FULLFSYNC); }

int tenure_allocate(int descriptor, int64_t length) {
  fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, length, 0};
  if (fcntl(descriptor, F_PREALLOCATE, &store) != 0) return -1;
  return ftruncate(descriptor, length);
}

#endif

void tenure_name_thread(const char *name) {
#ifdef __linux__
  char cut[16];
  strncpy(cut, name, sizeof cut - 1);
  cut[sizeof cut - 1] = 0;
  pthread_setname_np(pthread_self(), cut);
#else
  pthread_setname_np(name);
#endif
}

struct start {
  void (*body)(void *);
  void *context;
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  start.body(start.context);
  return NULL;
}

int tenure_start_thread(void (*body)(void *), void *context) {
  struct start *start = malloc(sizeof *start);
  if (start == NULL) return ENOMEM;
  start->body = body;
  start->context = context;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int code = pthread_create(&thread, &attributes, run, start);
  pthread_attr_destroy(&attributes);
  if (code != 0) free(start);
  return code;
}

int tenure_open(const char *path, int flags, unsigned int mode) { return open(path, flags, mode); }
