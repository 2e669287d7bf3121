// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Primitives of Rust order threads by their own orders, and are no step of a cycle otherwise. The
// lines say whose code it is; no compiler of Rust is needed.
//
// RUN: %build %s -o %t
// RUN: %build -mllvm -rsan-judge-primitives %s -o %t.judged
//
// A cycle that only the lock's word makes.
// RUN: %t through 2>&1 | count 0
// RUN: env RSAN_OPTIONS=system_headers=1 not %t through 2>&1 | FileCheck %s --check-prefix=THROUGH
// RUN: not %t.judged through 2>&1 | FileCheck %s --check-prefix=THROUGH
// THROUGH: SUMMARY: {{.*}} /x/src/main.rs:22:{{.*}}third
//
// The lock orders writes under it, so no race and no violation is reported. A lock with relaxed
// orders does not.
// RUN: %t ordered 2>&1 | count 0
// RUN: not %t unordered 2>&1 | FileCheck %s --check-prefix=UNORDERED
// UNORDERED: SUMMARY: ThreadSanitizer: data race
//
// A violation beside the lock.
// RUN: not %t beside 2>&1 | FileCheck %s --check-prefix=BESIDE
// BESIDE: SUMMARY: {{.*}} /x/src/main.rs:52:{{.*}}second_beside
//
// A read-modify-write of a local counts as a fence, so the violation is not reported.
// RUN: %t fenced 2>&1 | count 0
// RUN: env RSAN_OPTIONS=stats=1 %t fenced 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: local_fences{{ +}}2
// RUN: %build -mllvm -rsan-local-fences=none %s -o %t.none
// RUN: not %t.none fenced 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: SUMMARY: {{.*}} robustness violation {{.*}}in second_fenced
#include "access.h"
#include "turns.h"

#include <string.h>

int x, y, word, data;

#line 10 "/x/rust/library/std/src/sys/sync/mutex/futex.rs"
static void lock(void) {
  while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE))
    sched_yield();
}
static void unlock(void) {
  __atomic_store_n(&word, 0, __ATOMIC_RELEASE);
}
static void relaxed_lock(void) {
  __atomic_exchange_n(&word, 1, __ATOMIC_RELAXED);
}
static void relaxed_unlock(void) {
  __atomic_store_n(&word, 0, __ATOMIC_RELAXED);
}

// first writes x before it looks at the lock's word; second finds that in the word and says so in
// y.
#line 10 "/x/src/main.rs"
static void first(void) {
  STORE(x, 1);
  relaxed_lock();
}

#line 20 "/x/src/main.rs"
static void third(void) {
  relaxed_lock();
  LOAD(x);
}

#line 30 "/x/src/main.rs"
static void writes(void) {
  lock();
  data++;
  unlock();
}
static void writes_unordered(void) {
  relaxed_lock();
  data++;
  relaxed_unlock();
}

#line 40 "/x/src/main.rs"
static void first_beside(void) {
  writes();
  STORE(x, 1);
  LOAD(y);
}

#line 49 "/x/src/main.rs"
static void second_beside(void) {
  writes();
  STORE(y, 1);
  LOAD(x);
}

#line 10 "/registry/concurrent-queue-2.0.0/src/lib.rs"
static void full_fence(void) {
  int local = 0;
  __atomic_fetch_add(&local, 1, __ATOMIC_SEQ_CST);
}

#line 60 "/x/src/main.rs"
static void first_fenced(void) {
  STORE(x, 1);
  full_fence();
  LOAD(y);
}
static void second_fenced(void) {
  STORE(y, 1);
  full_fence();
  LOAD(x);
}

static const struct {
  const char *name;
  void (*one)(void), (*other)(void);
} modes[] = {{"through", first, third},
             {"ordered", writes, writes},
             {"unordered", writes_unordered, writes_unordered},
             {"beside", first_beside, second_beside},
             {"fenced", first_fenced, second_fenced}};

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
    if (strcmp(argv[1], modes[i].name) == 0)
      one_then_other(modes[i].one, modes[i].other);
}
