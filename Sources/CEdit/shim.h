#include <poll.h>
#include <stdio.h>
#include <editline/readline.h>

// The library leaves signals to the program. A variable of C's cannot be set from Swift.
static inline void tenure_edit_leave_signals(void) { rl_catch_signals = 0; }
