// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits until a thread has left the process, without a join that the sanitizer would see.

#ifndef RSAN_TEST_GONE_H
#define RSAN_TEST_GONE_H

#include "turns.h"

#include <sys/syscall.h>
#include <unistd.h>

UNSEEN static long own_tid(void) {
  return syscall(SYS_gettid);
}

UNSEEN static void await_gone(const long *tid) {
  while (__atomic_load_n(tid, __ATOMIC_ACQUIRE) == 0)
    sched_yield();
  while (syscall(SYS_tgkill, getpid(), *tid, 0) == 0)
    sched_yield();
}

#endif
