// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends the processes that runs leave behind, in any process group, when the command that started
// the runs ends or is killed. A process is recognised by its environment: RSAN_OPTIONS names the
// folder of its run there. A process that clears or overwrites its environment is not found.

#ifndef ORPHANS_H
#define ORPHANS_H

#include <sys/types.h>

struct orphans {
  const char *folder; // has the folders of the runs; borrowed
  pid_t watcher;      // ends the processes if this process is killed; 0: no such process
  int alive;          // writing end of a pipe, which the kernel closes when this process ends
};

// Starts the watcher. Without a pipe or a process for it, only orphans_end ends processes.
void orphans_watch(struct orphans *orphans, const char *folder);

// Sends SIGTERM to the processes that the runs have left, then SIGKILL, and ends the watcher.
void orphans_end(struct orphans *orphans);

#endif
