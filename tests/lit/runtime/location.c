// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a report says of the memory, whatever it is: global, heap, stack, thread-local, mapped; and
// of the threads.
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t global 2>&1 | FileCheck %s --check-prefixes=CHECK,GLOBAL
// RUN: %exits 66 %t member 2>&1 | FileCheck %s --check-prefixes=CHECK,MEMBER
// RUN: %exits 66 %t heap   2>&1 | FileCheck %s --check-prefixes=CHECK,HEAP
// RUN: %exits 66 %t stack  2>&1 | FileCheck %s --check-prefixes=CHECK,STACK
// RUN: %exits 66 %t tls    2>&1 | FileCheck %s --check-prefixes=CHECK,TLS
// RUN: %exits 66 %t mapped 2>&1 | FileCheck %s --check-prefixes=CHECK,MAPPED
// RUN: %exits 66 %t file   2>&1 | FileCheck %s --check-prefixes=CHECK,MAPPED
// RUN: env RSAN_OPTIONS=report_format=json %exits 66 %t stack 2>&1 | FileCheck %s --check-prefix=JSON
// JSON-NOT: {{\[stack\]|error:}}
// JSON: "location":{"kind":"stack","thread":0}
// JSON-SAME: "name":"0x{{[0-9a-f]+}} (stack of main)"
// RUN: env RSAN_OPTIONS=report_format=json:symbolize=0 %exits 66 %t file 2>&1 | FileCheck %s --check-prefix=RAW
// RAW-NOT: {{"location"|error:}}
// RAW: "accesses"
// RAW-NOT: {{"location"|error:}}
//
// CHECK-NOT: error:
// CHECK: robustness violation
// CHECK: Atomic read of size 8 at 0x[[ADDR:[0-9a-f]+]] by thread T2 (memory_order_relaxed):
// CHECK-NEXT: #0 other
// CHECK: may miss the atomic write of size 8 by thread T1 (memory_order_relaxed):
// CHECK-NEXT: #0 one
// CHECK-NOT: {{\?\?|error:}}
// STACK: write 0x[[ADDR]] (stack of main) T1
// STACK: read 0x[[ADDR]] (stack of main) T2
// TLS: write 0x[[ADDR]] (TLS of main) T1
// MAPPED: write 0x[[ADDR]] T1
// GLOBAL: Location is global 'global' of size 8 at 0x[[ADDR]] (location.c.tmp+0x{{[0-9a-f]+}})
// MEMBER: Location is global 'structure' of size 64 at 0x{{[0-9a-f]+}} (location.c.tmp+0x{{[0-9a-f]+}})
// HEAP: Location is heap block of size 72 at 0x{{[0-9a-f]+}} allocated by main thread:
// HEAP-NEXT: #0 malloc
// HEAP-NEXT: #1 allocate {{.*}}location.c:{{[0-9]+:[0-9]+}}
// STACK: Location is stack of main thread.
// STACK-NOT: global
// TLS: Location is TLS of main thread.
// MAPPED-NOT: Location is
// CHECK: Thread T2 (tid={{[0-9]+}}, running) created by main thread at:
// CHECK: Thread T1 (tid={{[0-9]+}}, {{running|finished}}) created by main thread at:
// MAPPED-NOT: Location is
// CHECK: SUMMARY: ThreadSanitizer: robustness violation {{.*}}location.c:{{[0-9]+}}:{{[0-9]+}} in other
// CHECK: reported 1 warnings
//
// With a fence in each thread nothing is printed, wherever it is.
// RUN: %build %s -DREPAIRED -o %t.repaired
// RUN: %t.repaired global 2>&1 | count 0
// RUN: %t.repaired member 2>&1 | count 0
// RUN: %t.repaired heap   2>&1 | count 0
// RUN: %t.repaired stack  2>&1 | count 0
// RUN: %t.repaired tls    2>&1 | count 0
// RUN: %t.repaired mapped 2>&1 | count 0
// RUN: %t.repaired file   2>&1 | count 0
#include "access.h"
#include "turns.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static long global;
static struct {
  long before[3], member, after[4];
} structure;
static _Thread_local long thread_local;
static long *x, y;

static long *allocate(void) {
  char *block = malloc(72);
  memset(block, 0, 72);
  return (long *)(block + 16);
}

static void fence(void) {
#ifdef REPAIRED
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

static void one(void) {
  STORE(*x, 1);
  fence();
  LOAD(y);
}

static void other(void) {
  STORE(y, 1);
  fence();
  LOAD(*x);
}

// A file of data has a name among the mapped files, too, and no symbols.
static long *map_file(void) {
  FILE *file = tmpfile();
  if (!file || ftruncate(fileno(file), 4096) != 0)
    abort();
  return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0);
}

static long *choose(const char *memory, long *local) {
  switch (memory[0]) {
  case 'g':
    return &global;
  case 'h':
    return allocate();
  case 's':
    return local;
  case 't':
    return &thread_local;
  case 'f':
    return map_file();
  default:
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
}

int main(int argc, char **argv) {
  long local = 0;
  const char *memory = argc > 1 ? argv[1] : "";
  x = strcmp(memory, "member") == 0 ? &structure.member : choose(memory, &local);
  one_then_other(one, other);
}
