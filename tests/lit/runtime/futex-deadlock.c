// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that waits in a system call is shown where the program makes the call, with what it
// waits for: in a deadlock of a schedule, and where a time limit ends a run. The twin is woken.
//
// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=schedule=mix:seed=1 %exits 66 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=time_limit=1:report_failures=1 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=HANG
// RUN: env RSAN_OPTIONS=schedule=mix:seed=1 %t wake 2>&1 | FileCheck %s --check-prefix=TWIN --allow-empty
//
// CHECK: deadlock
// CHECK: thread T1: wait on a word of memory at 0x{{[0-9a-f]+}} ('word'):
// CHECK-NEXT: #0 sleep_on_word {{.*}}futex-deadlock.c:[[# @LINE + 17]]
// CHECK-NEXT: #1 call_sleeper {{.*}}futex-deadlock.c:
// CHECK: SUMMARY: ThreadSanitizer: deadlock {{.*}}futex-deadlock.c
//
// HANG: thread T1: wait on a word of memory at 0x{{[0-9a-f]+}} ('word'):
// HANG: sleep_on_word {{.*}}futex-deadlock.c:[[# @LINE + 12]]
// HANG-NEXT: call_sleeper {{.*}}futex-deadlock.c:
//
// TWIN-NOT: ThreadSanitizer
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

__attribute__((noinline)) static void sleep_on_word(void) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
  __asm__ volatile(""); // no tail call
}

__attribute__((noinline)) static void *call_sleeper(void *unused) {
  sleep_on_word();
  __asm__ volatile("");
  return unused;
}

int main(int argc, char **argv) {
  (void)argv;
  pthread_t thread;
  pthread_create(&thread, 0, call_sleeper, 0);
  if (argc > 1) {
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
  }
  pthread_join(thread, 0);
  return 0;
}
