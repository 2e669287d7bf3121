// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No process of a run outlives the command that has started it, whatever groups it has
// made. It is known by its environment, in which RSAN_OPTIONS names the folder of its run; so one
// that has cleared its environment or written over it is not found.

#ifndef ORPHANS_H
#define ORPHANS_H

#include <sys/types.h>

struct orphans {
  const char *folder; // that the folders of the runs are in; borrowed
  pid_t watcher;      // ends them if this process is killed; 0: there is none
  int alive;          // of a pipe, which closes with this process
};

void orphans_watch(struct orphans *orphans, const char *folder);

// Ends what the runs have left, by SIGTERM, then by SIGKILL, and the watch.
void orphans_end(struct orphans *orphans);

#endif
