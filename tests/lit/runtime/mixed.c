// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic accesses of different size or place that overlap are accesses of one location: a violation
// there is found as with one size.
//
// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t wider    2>&1 | FileCheck %s --check-prefixes=FOUND,WIDER
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t narrower 2>&1 | FileCheck %s --check-prefixes=FOUND,NARROWER
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t inside   2>&1 | FileCheck %s --check-prefixes=FOUND,INSIDE
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t after    2>&1 | FileCheck %s --check-prefix=FOUND
// FOUND: WARNING: ThreadSanitizer: robustness violation
// WIDER-NEXT: Atomic read of size 8
// WIDER: may miss the atomic write of size 4
// WIDER: It would read 0 in place of 1.
// WIDER: {{^}}  The write left bytes 0-3 of the 8 bytes of this access.{{$}}
// NARROWER-NEXT: Atomic read of size 4
// NARROWER: may miss the atomic write of size 8
// NARROWER: It would read 0 in place of 0x1010101.
// NARROWER: {{^}}  This access has bytes 4-7 of the 8 bytes that the write left.{{$}}
// INSIDE-NEXT: Atomic read of size 1
// INSIDE: It would read 0 in place of 1.
// INSIDE: {{^}}  This access has byte 3 of the 8 bytes that the write left.{{$}}
// FOUND: violations {{[1-9].*}}
// FOUND: mixed_locations 1 {{.*}}
// FOUND: mixed_accesses 0 {{.*}}
//
// A thread that has read another byte of the write knows it. With fences nothing is missed, and
// bytes that the write does not have are none that it could miss.
// RUN: env RSAN_OPTIONS=stats=1 %t before 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1 %t fenced 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1 %t apart  2>&1 | FileCheck %s
// CHECK-NOT: WARNING
// CHECK: violations 0 {{.*}}
// CHECK: mixed_locations {{[1-9].*}}
//
// Explicit clocks, other targets and stale values leave such an object out, and say so.
// RUN: env RSAN_OPTIONS=stats=1:clocks=explicit %t wider  2>&1 | FileCheck %s --check-prefix=WITHDRAWN
// RUN: env RSAN_OPTIONS=stats=1:clocks=explicit %t inside 2>&1 | FileCheck %s --check-prefix=WITHDRAWN
// RUN: env RSAN_OPTIONS=stats=1:target=x86 %t wider 2>&1 | FileCheck %s --check-prefix=WITHDRAWN
// WITHDRAWN-NOT: WARNING
// WITHDRAWN: violations 0 {{.*}}
// WITHDRAWN: could not be checked: {{[1-9][0-9]*}} to objects
//
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t same 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t neighbours 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: WARNING: ThreadSanitizer: robustness violation
// SAME-NOT: bytes{{ of this access| that the write left}}
// SAME: mixed_locations 0 {{.*}}
//
// What such accesses synchronise is kept: message passing through them is not reported, and is when
// it is relaxed.
// RUN: %t message 2>&1 | FileCheck %s --check-prefix=MESSAGE --allow-empty --implicit-check-not=WARNING
// MESSAGE-NOT: could not be checked
// RUN: %exits 66 %t relaxed-message 2>&1 | FileCheck %s --check-prefix=RELAXED
// RELAXED: WARNING: ThreadSanitizer: robustness violation
// RELAXED: Location is global 'data'
//
// So is it for data races: a store of other bytes leaves what was released with these.
// RUN: %t published 2>&1 | FileCheck %s --check-prefix=MESSAGE --allow-empty --implicit-check-not=WARNING
// RUN: %exits 66 %t relaxed-published 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: WARNING: ThreadSanitizer: data race
#include "access.h"
#include "turns.h"

#include <string.h>

static union memory {
  unsigned long all;
  unsigned words[2];
  unsigned char bytes[8];
} x __attribute__((aligned(16)));
static int y, data;
int plain; // not static: the compiler would drop stores that nobody reads
static const char *what;

static int is(const char *word) {
  return strcmp(what, word) == 0;
}

static void fence(void) {
  if (is("fenced"))
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void one(void) {
  if (is("wider") || is("after") || is("fenced"))
    STORE(x.words[0], 1);
  else if (is("narrower") || is("inside"))
    STORE(x.all, 0x0101010101010101);
  else
    STORE(x.words[0], 1);
  fence();
  LOAD(y);
  if (is("after")) // makes one location of what the other thread would miss and more
    LOAD(x.all);
}

static void other(void) {
  if (is("before"))
    LOAD(x.bytes[1]);
  STORE(y, 1);
  fence();
  if (is("wider") || is("fenced"))
    LOAD(x.all);
  else if (is("narrower") || is("apart"))
    LOAD(x.words[1]);
  else if (is("inside"))
    LOAD(x.bytes[3]);
  else if (is("neighbours"))
    LOAD(x.words[1]);
  if (!is("apart"))
    LOAD(x.words[0]);
}

// Makes one location of all bytes, and loads none that is written.
static void mix(void) {
  STORE(x.all, 0);
}

static void publish(void) {
  plain = 1;
  if (is("published"))
    __atomic_store_n(&x.words[1], 1, __ATOMIC_RELEASE);
  else
    STORE(x.words[1], 1);
  STORE(x.words[0], 1);
}

static void take(void) {
  __atomic_load_n(&x.all, __ATOMIC_ACQUIRE);
  plain = 2;
}

static void send(void) {
  int order = is("message") ? __ATOMIC_RELEASE : __ATOMIC_RELAXED;
  STORE(data, 1);
  if (order == __ATOMIC_RELEASE)
    __atomic_store_n(&x.bytes[2], 1, __ATOMIC_RELEASE);
  else
    __atomic_store_n(&x.bytes[2], 1, __ATOMIC_RELAXED);
}

static void receive(void) {
  __atomic_load_n(&x.all, __ATOMIC_ACQUIRE);
  if (is("message"))
    LOAD(data);
}

static void receive_relaxed(void) {
  LOAD(x.all);
  LOAD(data);
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  if (is("apart"))
    mix();
  if (is("message"))
    one_then_other(send, receive);
  else if (is("relaxed-message"))
    one_then_other(send, receive_relaxed);
  else if (is("published") || is("relaxed-published"))
    mix(), LOAD(x.words[0]), one_then_other(publish, take);
  else
    one_then_other(one, other);
}
