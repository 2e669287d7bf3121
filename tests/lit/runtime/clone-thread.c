// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program creates a thread with clone(2), and waits until the kernel clears the thread's
// number. In the broken twin main waits for a flag only, and the thread writes again after it has
// set the flag: a data race.
//
// RUN: %build %s -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=mix:seed=1 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=mix:seed=2 %t 2>&1 | FileCheck %s
// RUN: not %t broken 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: env RSAN_OPTIONS=schedule=mix:seed=1 not %t broken 2>&1 | FileCheck %s --check-prefix=BROKEN
// CHECK-NOT: WARNING
// CHECK: data 5, numbers 1 1
// BROKEN: WARNING: ThreadSanitizer: data race
// BROKEN: #0 work
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int data, own;
static atomic_int number = 1, done;

static int work(void *broken) {
  data = 5;
  own = (int)syscall(SYS_gettid);
  atomic_store(&done, 1);
  if (broken)
    data = 6;
  return 0;
}

int main(int argc, char **argv) {
  enum {
    ROOM = 1 << 17,
    SHARED = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM
  };
  char *stack = malloc(ROOM);
  void *broken = argc > 1 ? argv[1] : NULL;
  int told = 0, left,
      got = clone(work, stack + ROOM, SHARED | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID, broken,
                  &told, NULL, &number);
  while (broken && !atomic_load(&done)) {
  }
  if (broken)
    printf("data %d\n", data);
  while ((left = atomic_load_explicit(&number, memory_order_acquire)))
    syscall(SYS_futex, &number, FUTEX_WAIT, left, NULL, NULL, 0);
  printf("data %d, numbers %d %d\n", data, got == told, got == own);
  free(stack);
  return 0;
}
