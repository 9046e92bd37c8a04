#include "CTenureShim.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t told = -1;

static void tell(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  // A full pipe has been told already.
  ssize_t count = write(told, &byte, 1);
  (void)count;
  errno = saved;
}

int tenure_catch_signal(int number, int descriptor) {
  told = descriptor;
  struct sigaction action;
  // nohup said that a terminal that goes away does not matter.
  if (number == SIGHUP && sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN) return 0;
  memset(&action, 0, sizeof action);
  action.sa_handler = tell;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, NULL);
}

int tenure_ignore_signal(int number, int ignored) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = ignored ? SIG_IGN : told >= 0 ? tell : SIG_DFL;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, NULL);
}
