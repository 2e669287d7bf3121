// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends every process that a command has started, however the command ends.
//
// guard_begin makes three processes of the command's one. The worker does everything that the
// command does. The keeper is its parent, and has called setsid(). The kernel makes the keeper the
// parent of each process whose own parent has ended (PR_SET_CHILD_SUBREAPER), even if that process
// has called setsid() or has cleared its environment. The front is the process that the user has
// started: it passes signals on, and ends as the worker ends. When the worker or the front has
// ended, by SIGKILL too, the keeper ends all that is left; the front does so if the keeper is
// killed.
//
// Not found: processes that another user's rights protect, and those that a service starts for the
// command (systemd-run, docker).

#ifndef GUARD_H
#define GUARD_H

#include <signal.h>
#include <stdbool.h>

// Returns in the worker; the front and the keeper never return. Call it before the command starts a
// process or makes a temporary folder, and at most once. Without a process for the keeper the
// command goes on unguarded.
void guard_begin(void);

// Has the signal been passed on by the keeper?
bool guard_has_passed(const siginfo_t *info);

// Makes this process the parent of what runs leave, if there is no keeper (--on).
void guard_adopt_left(void);

// Ends the processes that runs have left: those below the keeper for which setsid() was called,
// which every run does. Sends SIGTERM for 0.2 s, then SIGKILL. Without a keeper: those below this
// process.
void guard_end_left(void);

#endif
