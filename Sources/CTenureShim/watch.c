#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "TenureWatch.h"

#ifdef __linux__
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

int tenure_watch_open(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }

int tenure_watch_add(int watch, const char *path, uint32_t mask) {
  // Another name of a watched file must add to what is watched, not replace it.
  return inotify_add_watch(watch, path, mask | IN_MASK_ADD);
}

int tenure_wake_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int tenure_wake(int wake) {
  uint64_t one = 1;
  return write(wake, &one, sizeof one) == sizeof one ? 0 : -1;
}

static int drain(int watch, struct tenure_change *changes, int capacity) {
  char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
  int count = 0;
  for (;;) {
    ssize_t length = read(watch, buffer, sizeof buffer);
    if (length < 0) return errno == EAGAIN || errno == EINTR ? count : -1;
    if (length == 0) return count;
    for (ssize_t at = 0; at < length;) {
      struct inotify_event event;
      memcpy(&event, buffer + at, sizeof event);
      at += (ssize_t)sizeof event + event.len;
      int seen = 0;
      while (seen < count && changes[seen].watched != event.wd) seen++;
      if (seen < count) {
        changes[seen].mask |= event.mask;
      } else if (count < capacity) {
        changes[count].watched = event.wd;
        changes[count].mask = event.mask;
        count++;
      }
    }
    // Far from full: there was no more. What came since wakes the next poll.
    if (length < (ssize_t)sizeof buffer / 2) return count;
  }
}

int tenure_watch_wait(int watch, int wake, struct tenure_change *changes, int capacity, int *woken) {
  struct pollfd files[2] = {{wake, POLLIN, 0}, {watch, POLLIN, 0}};
  *woken = 0;
  // poll skips a negative descriptor: a watch that could not be opened still can be woken.
  if (poll(files, 2, -1) < 0) return -1;
  if (files[0].revents != 0) {
    uint64_t count;
    *woken = read(wake, &count, sizeof count) == sizeof count;
  }
  return files[1].revents != 0 ? drain(watch, changes, capacity) : 0;
}

#else
// SwiftPM wants something in every file.
typedef int tenure_watch_unused;
#endif
