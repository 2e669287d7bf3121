// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An atomic access that faults, whose handler leaves by siglongjmp, leaves no lock behind: each
// kind of access can be made there again, and works once there is memory.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O1 %s -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %t 2>&1 | FileCheck %s
// CHECK-NOT: WARNING
// CHECK: 12 faults, then 26

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile int faults;

static void handle(int signal) {
  (void)signal;
  faults++;
  siglongjmp(back, 1);
}

static int access_by(int kind, int *a) {
  int zero = 0;
  switch (kind) {
  case 0:
    return __atomic_load_n(a, __ATOMIC_RELAXED);
  case 1:
    return __atomic_load_n(a, __ATOMIC_ACQUIRE);
  case 2:
    __atomic_store_n(a, 3, __ATOMIC_RELAXED);
    return 3;
  case 3:
    __atomic_store_n(a, 3, __ATOMIC_RELEASE);
    return 3;
  case 4:
    return __atomic_fetch_add(a, 1, __ATOMIC_ACQ_REL);
  default:
    return __atomic_compare_exchange_n(a, &zero, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }
}

int main(void) {
  signal(SIGSEGV, handle);
  int *a = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (volatile int round = 0; round < 2; round++)
    for (volatile int kind = 0; kind < 6; kind++)
      if (!sigsetjmp(back, 1))
        access_by(kind, a);
  mprotect(a, 4096, PROT_READ | PROT_WRITE);
  int sum = 0;
  for (int round = 0; round < 2; round++)
    for (int kind = 0; kind < 6; kind++)
      sum += access_by(kind, a);
  printf("%d faults, then %d\n", faults, sum);
  return 0;
}
