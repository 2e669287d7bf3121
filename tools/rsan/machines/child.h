// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs that a campaign starts here. Each is apart from the terminal (setsid), whose
// Ctrl-C reaches rsan alone; what it says goes to engine.log.

#ifndef MACHINES_CHILD_H
#define MACHINES_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct campaign;

// Starts it, found on PATH. Its standard output goes to the file OUT, NULL: to the log. Negative,
// after a message, if it cannot be started.
pid_t child_start(const struct campaign *campaign, const char *const *argv, const char *out);

// Runs it to its end: the exit status, 128 and its number for a signal, or 127.
int child_status(const struct campaign *campaign, const char *const *argv, const char *out);

// Waits until it ends, while campaign_poll is asked with FOLDER. False: the caller must
// break off the round, and the child may still run.
bool child_await(struct campaign *campaign, pid_t child, const char *folder);

// Asks it to end, twice as GNU parallel wants it; after SECONDS ends it with all that it has
// started.
void child_end(pid_t child, double seconds);

#endif
