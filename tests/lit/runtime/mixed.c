// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic accesses of different size or place that overlap: nothing is reported on that memory,
// nothing false elsewhere, and it is counted. With one size and place the same program is reported.
//
// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=stats=1 %t wider    2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1 %t narrower 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1 %t inside   2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1 %t before   2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1 %t after    2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1:clocks=explicit %t wider  2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1:clocks=explicit %t inside 2>&1 | FileCheck %s
// CHECK-NOT: WARNING
// CHECK: violations 0 {{.*}}
// CHECK: mixed_locations {{[1-9].*}}
//
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t same 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t neighbours 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: WARNING: ThreadSanitizer: robustness violation
// SAME: mixed_locations 0 {{.*}}
//
// What such accesses synchronise is kept: message passing through them is not reported, and is when
// it is relaxed.
// RUN: %t message 2>&1 | FileCheck %s --check-prefix=MESSAGE --implicit-check-not=WARNING
// MESSAGE: ThreadSanitizer: 1 access could not be checked: 1 to objects
// RUN: %exits 66 %t relaxed-message 2>&1 | FileCheck %s --check-prefix=RELAXED
// RELAXED: WARNING: ThreadSanitizer: robustness violation
// RELAXED: Location is global 'data'
#include "access.h"
#include "turns.h"

#include <string.h>

static union memory {
  unsigned long all;
  unsigned words[2];
  unsigned char bytes[8];
} x __attribute__((aligned(16)));
static int y, data;
static const char *what;

static int is(const char *word) {
  return strcmp(what, word) == 0;
}

static void one(void) {
  if (is("wider") || is("after"))
    STORE(x.words[0], 1);
  else if (is("narrower") || is("inside"))
    STORE(x.all, 0x0101010101010101);
  else
    STORE(x.words[0], 1);
  LOAD(y);
  if (is("after")) // withdraws what the other thread would miss
    LOAD(x.all);
}

static void other(void) {
  if (is("before"))
    LOAD(x.bytes[1]);
  STORE(y, 1);
  if (is("wider"))
    LOAD(x.all);
  else if (is("narrower"))
    LOAD(x.words[1]);
  else if (is("inside"))
    LOAD(x.bytes[3]);
  else if (is("neighbours"))
    LOAD(x.words[1]);
  LOAD(x.words[0]);
}

static void send(void) {
  int order = is("message") ? __ATOMIC_RELEASE : __ATOMIC_RELAXED;
  STORE(data, 1);
  if (order == __ATOMIC_RELEASE)
    __atomic_store_n(&x.bytes[2], 1, __ATOMIC_RELEASE);
  else
    __atomic_store_n(&x.bytes[2], 1, __ATOMIC_RELAXED);
  ADD(y, 1);
}

static void receive(void) {
  ADD(y, 1);
  __atomic_load_n(&x.all, __ATOMIC_ACQUIRE);
  if (is("message"))
    LOAD(data);
}

static void receive_relaxed(void) {
  ADD(y, 1);
  LOAD(x.all);
  LOAD(data);
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  if (is("message"))
    one_then_other(send, receive);
  else if (is("relaxed-message"))
    one_then_other(send, receive_relaxed);
  else
    one_then_other(one, other);
}
