// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with libc++, of which a part is in a library that is not instrumented. Where
// libc++-19-dev and libc++abi-19-dev are not installed nothing is tried.
// REQUIRES: libcxx
//
// The classes that synchronise, as they are robust in their users' hands, and weak pointers.
// RUN: %buildxx -std=c++20 %libcxx -O0 %s -o %t.O0
// RUN: %t.O0 barrier 2>&1 | count 0
// RUN: %t.O0 latch 2>&1 | count 0
// RUN: %t.O0 stop 2>&1 | count 0
// RUN: %t.O0 task 2>&1 | count 0
// RUN: %t.O0 wait 2>&1 | count 0
// RUN: %t.O0 weak 2>&1 | count 0
// RUN: %buildxx -std=c++20 %libcxx -O2 %s -o %t.O2
// RUN: %t.O2 barrier 2>&1 | count 0
// RUN: %t.O2 latch 2>&1 | count 0
// RUN: %t.O2 stop 2>&1 | count 0
// RUN: %t.O2 task 2>&1 | count 0
// RUN: %t.O2 wait 2>&1 | count 0
// RUN: %t.O2 weak 2>&1 | count 0
//
// The same threads with nothing to wait at; the library's view of weak pointers; a count of the
// user's own.
// RUN: %exits 66 %t.O0 apart 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %exits 66 %t.O2 apart 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O0 weak 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O2 weak 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %exits 66 %t.O0 own 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %exits 66 %t.O2 own 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: WARNING: ThreadSanitizer: data race
//
// Violations: both places inside the library, one of them, an algorithm of the library's.
// RUN: %t.O0 counts 2>&1 | count 0
// RUN: %t.O2 counts 2>&1 | count 0
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O0 counts 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O2 counts 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O0 algorithm 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O2 algorithm 2>&1 | FileCheck %s
// RUN: %buildxx -std=c++20 %libcxx -O0 -g0 %s -o %t.g0
// RUN: %t.g0 counts 2>&1 | count 0
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.g0 counts 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
//
// libc++ comes with a library, into a program that has none, and goes with it.
// RUN: %buildxx -std=c++20 %libcxx -O1 -fPIC -shared %s -o %t.so
// RUN: %buildxx -DHOST -O1 %s -o %t.host
// RUN: %t.host %t.so use 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: %exits 66 %t.host %t.so do_without 2>&1 | FileCheck %s --check-prefix=RACE
// DONE-NOT: WARNING
// DONE: done
#ifdef HOST
#include <cstdio>
#include <dlfcn.h>

int main(int, char **argv) {
  for (int times = 0; times < 3; times++) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return 1;
    reinterpret_cast<void (*)()>(dlsym(library, argv[2]))();
    dlclose(library);
  }
  puts("done");
}
#else
#include "classes.h"
#include "turns.h"

#include <algorithm>
#include <cstring>

namespace {

void use_nothing() {
  int cells[CLASS_THREADS] = {}, sums[CLASS_THREADS] = {};
  in_threads([&](int id) {
    for (int round = 0; round < CLASS_ROUNDS; round++) {
      cells[id] = round;
      sums[id] = cells[(id + 1) % CLASS_THREADS];
    }
  });
}

std::weak_ptr<int> early, late;

void drop_early() {
  std::weak_ptr<int> copy = early;
  early.reset();
}

void drop_late() {
  late.reset();
}

void use_weak() {
  early = late = std::make_shared<int>(1);
  one_then_other(drop_early, drop_late);
}

struct counted {
  std::atomic<int> count{2};
} *own;

void drop_own() {
  if (own->count.fetch_sub(1, std::memory_order_relaxed) == 1)
    delete own;
}

void use_own() {
  own = new counted;
  one_then_other(drop_own, drop_own);
}

std::shared_ptr<int> p, q;

void copy_p() {
  std::shared_ptr<int>(p).reset();
  (void)q.use_count();
}

void copy_q() {
  std::shared_ptr<int>(q).reset();
  (void)p.use_count();
}

void use_counts() {
  p = std::make_shared<int>(1), q = std::make_shared<int>(2);
  one_then_other(copy_p, copy_q);
}

std::atomic<int> cells[2], flag;
std::atomic<long> found;

void fill_cells() {
  std::fill(cells, cells + 2, 1);
  flag.load(std::memory_order_relaxed);
}

void count_cells() {
  flag.store(1, std::memory_order_relaxed);
  found = std::count(cells, cells + 2, 1);
}

void use_algorithm() {
  one_then_other(fill_cells, count_cells);
}

struct {
  const char *name;
  void (*use)();
} const programs[] = {{"barrier", use_barrier},    {"latch", use_latch}, {"stop", use_stop_token},
                      {"task", use_task},          {"wait", use_wait},   {"apart", use_nothing},
                      {"weak", use_weak},          {"own", use_own},     {"counts", use_counts},
                      {"algorithm", use_algorithm}};

} // namespace

extern "C" void use() {
  use_barrier();
}

extern "C" void do_without() {
  use_nothing();
}

int main(int argc, char **argv) {
  for (auto &program : programs)
    if (argc > 1 && strcmp(argv[1], program.name) == 0)
      program.use();
}
#endif
