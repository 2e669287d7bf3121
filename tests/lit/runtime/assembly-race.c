// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock in assembly is not seen, so what it protects is reported as a data race: the end of the
// run says so. With the option nothing is reported; without a data race, or without assembly,
// nothing is said.
//
// DEFINE: %{quiet} = FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: %build -O1 %s -o %t
// RUN: %exits 66 %t locked 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=unseen_calls=2 %t locked 2>&1 | %{quiet}
// RUN: %exits 66 env RSAN_OPTIONS=report_format=json %t locked 2>&1 | %{quiet}
// RUN: %build -O1 -fsanitize-robustness-asm=x86 %s -o %t && %t locked 2>&1 | %{quiet}
// RUN: %exits 66 %t 2>&1 | FileCheck %s --check-prefixes=RACE,QUIET
//
// CHECK: WARNING: ThreadSanitizer: data race
// CHECK: ThreadSanitizer: reported 1 warnings
// CHECK-NEXT: ThreadSanitizer: {{[1-9][0-9]*}} pieces of assembly are not seen, and may order what was reported as a data race: compile with -fsanitize-robustness-asm=x86
// RACE: WARNING: ThreadSanitizer: data race
// QUIET-NOT: of assembly

#include <pthread.h>
#include <sched.h>

static int lock, counter, locked;

static void *add(void *unused) {
  int held = 1;
  while (locked && held) {
    __asm__ volatile("xchgl %0, %1" : "+r"(held), "+m"(lock) : : "memory");
    if (held)
      sched_yield();
  }
  counter++;
  if (locked)
    __asm__ volatile("movl %1, %0" : "=m"(lock) : "ir"(0) : "memory");
  return unused;
}

int main(int argc, char **argv) {
  pthread_t thread;
  locked = argc > 1;
  pthread_create(&thread, NULL, add, argv);
  add(NULL);
  pthread_join(thread, NULL);
}
