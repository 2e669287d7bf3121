// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rust's standard library: its atomics are wrappers, so that the place of an access is its
// caller's; what happens between two places inside std is not shown. (The lines say whose code it
// is, 0 is that of merged ones; no compiler of Rust is needed. The library's accesses are judged
// here, as without RSan's pass: primitives.c has them as what they are otherwise.)
//
// RUN: %build -mllvm -rsan-judge-primitives %s -o %t
// RUN: not %t users 2>&1 | FileCheck %s --check-prefix=USERS
// USERS: #0 atomic_load /x/rust/library/core/src/sync/atomic.rs:20:
// USERS: write x   T1   users_write /x/lock.rs:11:{{[0-9]+ +}}memory_order_relaxed
// USERS: read  x   T2   users_read /x/lock.rs:22:{{[0-9]+ +}}memory_order_relaxed   <- here
// USERS: Suggested repair: fence(Ordering::SeqCst) after /x/lock.rs:11:{{[0-9]+}} and after /x/lock.rs:21:
// USERS: SUMMARY: {{.*}} /x/lock.rs:22:{{[0-9]+}} in users_read
//
// RUN: %t library 2>&1 | count 0
// RUN: %t merged 2>&1 | count 0
// RUN: %t harness 2>&1 | count 0
// RUN: env RSAN_OPTIONS=system_headers=1 not %t library 2>&1 | FileCheck %s --check-prefix=SHOWN
// RUN: env RSAN_OPTIONS=system_headers=1 not %t merged 2>&1 | FileCheck %s --check-prefix=SHOWN
// SHOWN: WARNING: ThreadSanitizer: robustness violation
//
// One place inside the library alone hides nothing.
// RUN: not %t half 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: WARNING: ThreadSanitizer: robustness violation
//
// A project that has such folders of its own.
// RUN: not %t other 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: SUMMARY: {{.*}} /x/mine/library/std/src/list.rs:80:
#include "access.h"
#include "turns.h"

#include <string.h>

int x, y;

#line 10 "/x/rust/library/core/src/sync/atomic.rs"
static inline __attribute__((always_inline)) void atomic_store(int *object) {
  STORE(*object, 1);
}

#line 19 "/x/rust/library/core/src/sync/atomic.rs"
static inline __attribute__((always_inline)) int atomic_load(int *object) {
  return LOAD(*object);
}

#line 10 "/x/lock.rs"
static void users_write(void) {
  atomic_store(&x);
  atomic_load(&y);
}

#line 20 "/x/lock.rs"
static void users_read(void) {
  atomic_store(&y);
  atomic_load(&x);
}

#line 40 "/x/rust/library/std/src/sync/mpmc/list.rs"
static void library_write(void) {
  atomic_store(&x);
  atomic_load(&y);
}

static void library_read(void) {
  atomic_store(&y);
  atomic_load(&x);
}

static void merged_read(void) {
  atomic_store(&y);
#line 0
  atomic_load(&x);
}

#line 60 "/x/rust/library/test/src/lib.rs"
static void harness_read(void) {
  atomic_store(&y);
  atomic_load(&x);
}

#line 70 "/x/mine/library/std/src/list.rs"
static void other_write(void) {
  atomic_store(&x);
  atomic_load(&y);
}

#line 78 "/x/mine/library/std/src/list.rs"
static void other_read(void) {
  atomic_store(&y);
  atomic_load(&x);
}

static const struct {
  const char *name;
  void (*one)(void), (*other)(void);
} modes[] = {{"users", users_write, users_read},     {"library", library_write, library_read},
             {"merged", library_write, merged_read}, {"harness", library_write, harness_read},
             {"half", users_write, library_read},    {"other", other_write, other_read}};

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
    if (strcmp(argv[1], modes[i].name) == 0)
      one_then_other(modes[i].one, modes[i].other);
}
