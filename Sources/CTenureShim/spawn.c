#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CTenureShim.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int tenure_pipe(int ends[2]) {
#ifdef __linux__
  return pipe2(ends, O_CLOEXEC);
#else
  if (pipe(ends) != 0) return -1;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETNOSIGPIPE, 1);
  return 0;
#endif
}

#ifdef __linux__

// Runs in the vfork child: shares the parent's memory until exec, but not its descriptors, signal
// table or mask. Answers only by failing.
static int become(const char *path, char *const arguments[], char *const environment[],
                  const char *directory, const int descriptors[3], int own_group) {
  // Handlers would run in the parent's memory.
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  if (own_group && setpgid(0, 0) != 0) return errno;
  if (directory != NULL && chdir(directory) != 0) return errno;
  int moved[3];
  for (int index = 0; index < 3; index++) {
    int from = descriptors[index];
    if (from < 0) from = open("/dev/null", index == 0 ? O_RDONLY : O_WRONLY);
    if (from < 0) return errno;
    // Above 2 first, so that no dup2 below closes one that is still needed.
    moved[index] = fcntl(from, F_DUPFD, 3);
    if (moved[index] < 0) return errno;
  }
  for (int index = 0; index < 3; index++)
    if (dup2(moved[index], index) < 0) return errno;
  if (close_range(3, ~0U, 0) != 0) {
    long limit = sysconf(_SC_OPEN_MAX);
    for (int descriptor = 3; descriptor < limit; descriptor++) close(descriptor);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(path, arguments, environment);
  return errno;
}

int tenure_spawn(const char *path, char *const arguments[], char *const environment[],
                 const char *directory, const int descriptors[3], int own_group, pid_t *pid) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int failure = 0;
  pid_t child = vfork();
  if (child == 0) {
    failure = become(path, arguments, environment, directory, descriptors, own_group);
    _exit(127);
  }
  int code = child < 0 ? errno : failure;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (child > 0 && code != 0) waitpid(child, NULL, 0);
  *pid = child;
  return code;
}

#else

int tenure_spawn(const char *path, char *const arguments[], char *const environment[],
                 const char *directory, const int descriptors[3], int own_group, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  short flags = POSIX_SPAWN_CLOEXEC_DEFAULT | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  if (own_group) flags |= POSIX_SPAWN_SETPGROUP;
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, flags);
  if (directory != NULL) posix_spawn_file_actions_addchdir_np(&actions, directory);
  for (int index = 0; index < 3; index++) {
    if (descriptors[index] < 0)
      posix_spawn_file_actions_addopen(&actions, index, "/dev/null", index == 0 ? O_RDONLY : O_WRONLY, 0);
    else if (descriptors[index] == index)
      posix_spawn_file_actions_addinherit_np(&actions, index);
    else
      posix_spawn_file_actions_adddup2(&actions, descriptors[index], index);
  }
  int code = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

#endif

static int wait_for(pid_t pid, int options, int *code, int *status) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  int result;
  do result = waitid(P_PID, (id_t)pid, &info, options);
  while (result != 0 && errno == EINTR);
  *code = info.si_code;
  *status = info.si_status;
  return result;
}

int tenure_wait_ended(pid_t pid, int *signalled, int *status) {
  int code;
  int result = wait_for(pid, WEXITED | WNOWAIT, &code, status);
  *signalled = code == CLD_KILLED || code == CLD_DUMPED;
  return result;
}

int tenure_reap(pid_t pid) {
  int code, status;
  return wait_for(pid, WEXITED, &code, &status);
}

int tenure_wait_stopped(pid_t pid) {
  int code, status;
  if (wait_for(pid, WSTOPPED | WEXITED | WNOWAIT, &code, &status) != 0) return -1;
  if (code != CLD_STOPPED) {
    errno = ESRCH;
    return -1;
  }
  // Taken off, so that the next wait reports the next stop.
  return wait_for(pid, WSTOPPED | WNOHANG, &code, &status);
}

ssize_t tenure_write_quietly(int descriptor, const void *bytes, size_t count) {
#ifdef __linux__
  sigset_t pipe, before, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  int was_pending = sigismember(&pending, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  ssize_t result = write(descriptor, bytes, count);
  int code = errno;
  if (result < 0 && code == EPIPE && !was_pending) {
    struct timespec now = {0, 0};
    while (sigtimedwait(&pipe, NULL, &now) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = code;
  return result;
#else
  return write(descriptor, bytes, count);
#endif
}
