// Files that are watched for changes by others (Linux: inotify and eventfd; Apple: kqueue, from Swift).
#ifndef TENURE_WATCH_H
#define TENURE_WATCH_H

#include <stdint.h>

#ifdef __linux__
#include <sys/inotify.h>

// What happened to one watched file since the last wait: all its events together.
struct tenure_change {
  int watched;
  uint32_t mask;
};

int tenure_watch_open(void);
int tenure_watch_add(int watch, const char *path, uint32_t mask);
int tenure_wake_open(void);
int tenure_wake(int wake);

// Waits until something changed or the wait was woken, and takes everything that is there: the number of
// changes, or -1. watch may be -1: then it can only be woken.
int tenure_watch_wait(int watch, int wake, struct tenure_change *changes, int capacity, int *woken);
#endif

#endif
