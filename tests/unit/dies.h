// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For VERIFY builds, whose checks end the process: does an action, in a child process, end so?

#ifndef DIES_H
#define DIES_H

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static inline bool dies(void (*action)(void *argument), void *argument) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (!freopen("/dev/null", "w", stderr))
      _exit(1);
    signal(SIGABRT, SIG_DFL); // cmocka's handler would report a failed test
    action(argument);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#endif
