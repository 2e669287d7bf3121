// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before and after main: constructors, dynamic initialisers, function-local statics, destructors,
// atexit. What is right there is not reported; what is wrong is.
//
// RUN: %buildxx %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: main
// NONE: end
// NONE-NOT: WARNING
// RUN: %buildxx -DBEFORE %s -o %t && %exits 66 %t 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: WARNING: ThreadSanitizer: robustness violation
// BEFORE: #0 other
// BEFORE: main
// BEFORE: end
// RUN: %buildxx -DAFTER %s -o %t && %exits 66 %t 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: main
// AFTER: WARNING: ThreadSanitizer: robustness violation
// AFTER: #0 other
// AFTER: end
//
// As a shared library, and with the shared runtime.
// RUN: %buildxx -shared-libsan %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %buildxx -DBEFORE -shared-libsan %s -o %t && %exits 66 %t 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: %buildxx -DBEFORE -DLIBRARY -shared -fPIC %s -o %t.so && %buildxx -DPROGRAM %s -Wl,--no-as-needed %t.so -o %t
// RUN: %exits 66 %t 2>&1 | FileCheck %s --check-prefix=BEFORE
#ifdef PROGRAM
int run();
int main() {
  return run();
}
#else
#include "access.h"
#include "turns.h"

#include <atomic>
#include <cstdio>

static int x, y;

static void fence() {
#if !defined(BEFORE) && !defined(AFTER)
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

static void one() {
  STORE(x, 1);
  fence();
  LOAD(y);
}

static void other() {
  STORE(y, 1);
  fence();
  LOAD(x);
}

static void violate() {
  one_then_other(one, other);
}

struct Counted {
  std::atomic<int> count;
  explicit Counted(int initial) : count(initial) {}
};

// Initialised by the first thread that comes; the others know of it through the guard.
static Counted &local() {
  static Counted counted(3);
  return counted;
}

static void use_local() {
  local().count.fetch_add(1, std::memory_order_relaxed);
  local().count.load(std::memory_order_relaxed);
}

static int global = (one_then_other(use_local, use_local), 7);

__attribute__((constructor)) static void before() {
#ifndef AFTER
  violate();
#endif
}

__attribute__((destructor)) static void after() {
#ifndef BEFORE
  x = y = 0;
  violate();
#endif
  std::fputs("end\n", stderr);
}

static void at_exit() {
  one_then_other(use_local, use_local);
}

int run();
int run() {
  std::fputs("main\n", stderr);
  std::atexit(at_exit);
  one_then_other(use_local, use_local);
  return local().count.load() == 7 && global == 7 ? 0 : 1;
}

#ifndef LIBRARY
int main() {
  return run();
}
#endif
#endif
