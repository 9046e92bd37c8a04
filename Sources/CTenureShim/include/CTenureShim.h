// What Swift cannot call: variadic functions and function-like macros, one thin function each.
// Every function returns what the call returned; errno is left as the call set it.
#ifndef CTENURE_SHIM_H
#define CTENURE_SHIM_H

#include <stdint.h>
#include <sys/types.h>

#include "TenureWatch.h"

// File locks that belong to the open file description: they end with the last descriptor that
// shares it, also when the process is killed. flock(2) on Darwin, F_OFD_SETLK on Linux.
int tenure_lock_wait(int descriptor, int exclusive);
int tenure_lock_try(int descriptor, int exclusive);
int tenure_unlock(int descriptor);

// Makes `to` share the blocks of `from` (FICLONE); -1 with EOPNOTSUPP where that cannot be done.
int tenure_clone_blocks(int from, int to);

// fsync to the platter: F_FULLFSYNC on Darwin, fsync elsewhere.
int tenure_full_sync(int descriptor);

// Allocates blocks for length bytes: posix_fallocate, F_PREALLOCATE on Darwin.
int tenure_allocate(int descriptor, int64_t length);

// Names the calling thread for debuggers, cut to what the platform takes.
void tenure_name_thread(const char *name);

// Runs body(context) on a new detached thread; 0 or an errno value.
int tenure_start_thread(void (*body)(void *), void *context);

int tenure_open(const char *path, int flags, unsigned int mode);

// A pipe whose ends no other program inherits.
int tenure_pipe(int ends[2]);

// Starts a program with the three standard descriptors (-1: /dev/null) and no other one, all signals
// at their defaults, in a process group of its own if asked. 0 or an errno value, also when exec failed.
int tenure_spawn(const char *path, char *const arguments[], char *const environment[],
                 const char *directory, const int descriptors[3], int own_group, pid_t *pid);

// Waits until the child has ended and leaves it to be reaped, so that its ID is not given to another.
// status: exit code, or signal number when signalled.
int tenure_wait_ended(pid_t pid, int *signalled, int *status);

// Takes an ended child away.
int tenure_reap(pid_t pid);

// Waits until the child is stopped; ESRCH when it ended instead.
int tenure_wait_stopped(pid_t pid);

// write(2) that answers EPIPE instead of raising SIGPIPE.
ssize_t tenure_write_quietly(int descriptor, const void *bytes, size_t count);

// From now on a signal of this number is a byte written to the descriptor instead of what it does by default.
// One descriptor for all numbers. A SIGHUP that is ignored stays so. -1 and errno on failure.
int tenure_catch_signal(int number, int descriptor);

// A signal that comes while it is ignored never was; afterwards it is caught again.
int tenure_ignore_signal(int number, int ignored);

#endif
