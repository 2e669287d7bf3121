// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Violations both of whose places are inside the C++ standard library are counted and not shown.
//
// The classes that synchronise, as they are robust in their users' hands: nothing, several times.
// RUN: %buildxx -std=c++20 -O0 %s -o %t.O0
// RUN: %t.O0 barrier 2>&1 | count 0
// RUN: %t.O0 latch 2>&1 | count 0
// RUN: %t.O0 atomic-shared 2>&1 | count 0
// RUN: %t.O0 atomic-weak 2>&1 | count 0
// RUN: %t.O0 stop 2>&1 | count 0
// RUN: %t.O0 task 2>&1 | count 0
// RUN: %t.O0 wait 2>&1 | count 0
// RUN: %buildxx -std=c++20 -O2 %s -o %t.O2
// RUN: %t.O2 barrier 2>&1 | count 0
// RUN: %t.O2 latch 2>&1 | count 0
// RUN: %t.O2 atomic-shared 2>&1 | count 0
// RUN: %t.O2 atomic-weak 2>&1 | count 0
// RUN: %t.O2 stop 2>&1 | count 0
// RUN: %t.O2 task 2>&1 | count 0
// RUN: %t.O2 wait 2>&1 | count 0
//
// Some have violations, which system_headers=1 shows.
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O0 barrier 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O2 barrier 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O0 latch 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O2 latch 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O0 wait 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O2 wait 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
//
// The counts of two shared pointers, one thread after the other: store buffering.
// RUN: %t.O0 counts 2>&1 | count 0
// RUN: %t.O2 counts 2>&1 | count 0
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O0 counts 2>&1 | FileCheck %s --check-prefix=COUNTS
// RUN: env RSAN_OPTIONS=system_headers=1 %exits 66 %t.O2 counts 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS: WARNING: ThreadSanitizer: robustness violation
// COUNTS: #0 {{.*}}/c++/{{.*}}shared_ptr_base.h:
// COUNTS: may miss
// COUNTS: #0 {{.*}}/c++/{{.*}}:
// COUNTS: reported 1 warnings
// RUN: env RSAN_OPTIONS=stats=1 %t.O2 counts 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: violations 1 {{[a-z]}}
// ONE: system_headers 1 {{[a-z]}}
// RUN: env RSAN_OPTIONS=stats=1:system_headers=1 %exits 66 %t.O2 counts 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: violations 1 {{[a-z]}}
// NONE: system_headers 0 {{[a-z]}}
//
// The user's own class of the same shape; an object of the user's of which one access is inside the
// library; an algorithm of the library's, applied by the user.
// RUN: %exits 66 %t.O0 own 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O2 own 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O0 one 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O2 one 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O0 other 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O2 other 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O0 algorithm 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O2 algorithm 2>&1 | FileCheck %s
//
// Without files names decide, as far as there are any; without a symbolizer all is shown.
// RUN: %buildxx -std=c++20 -O0 -g0 %s -o %t.g0
// RUN: %t.g0 counts 2>&1 | count 0
// RUN: %t.g0 latch 2>&1 | count 0
// RUN: %exits 66 %t.g0 own 2>&1 | FileCheck %s
// RUN: %exits 66 %t.g0 templates 2>&1 | FileCheck %s
// RUN: %buildxx -std=c++20 -O2 -g0 %s -o %t.O2g0
// RUN: %exits 66 %t.O2g0 threads 2>&1 | FileCheck %s --check-prefixes=CHECK,LINE
// RUN: %exits 66 %t.O2 threads 2>&1 | FileCheck %s --implicit-check-not="not known"
// RUN: env RSAN_OPTIONS=symbolize=0 %exits 66 %t.O2 threads 2>&1 | FileCheck %s --implicit-check-not="not known"
// LINE: Its line is not known: compile with -g or -g1.
// RUN: env RSAN_OPTIONS=symbolize=0 %exits 66 %t.O0 counts 2>&1 | FileCheck %s
//
// No program point is symbolized twice, however often it is met.
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: echo '#!/bin/sh' > %t.dir/llvm-symbolizer
// RUN: echo 'tee -a %t.dir/log | %llvm_prefix/bin/llvm-symbolizer "$@"' >> %t.dir/llvm-symbolizer
// RUN: chmod +x %t.dir/llvm-symbolizer
// RUN: env RSAN_OPTIONS=suppress_equal_stacks=0:external_symbolizer_path=%t.dir/llvm-symbolizer %t.O2 counts 100 2>&1 | count 0
// RUN: grep -c CODE %t.dir/log
// RUN: grep CODE %t.dir/log | sort | uniq -d | count 0
#include "classes.h"
#include "turns.h"

#include <algorithm>
#include <cstring>
#include <ext/atomicity.h>
#include <thread>

namespace {

auto p = std::make_shared<int>(1), q = p, r = std::make_shared<int>(2), s = r;

void copy_p() {
  auto copy = p;
  copy.reset();
  r.use_count();
}

void copy_r() {
  auto copy = r;
  copy.reset();
  p.use_count();
}

// What a shared pointer does to its count.
struct counted {
  std::atomic<int> count{1};
  void take() { count.fetch_add(1, std::memory_order_relaxed); }
  void drop() { count.fetch_sub(1, std::memory_order_acq_rel); }
  int use_count() const { return count.load(std::memory_order_relaxed); }
} own_p, own_r;

void copy_own_p() {
  own_p.take(), own_p.drop();
  own_r.use_count();
}

void copy_own_r() {
  own_r.take(), own_r.drop();
  own_p.use_count();
}

_Atomic_word word;
std::atomic<int> flag;

void add_word() {
  __gnu_cxx::__exchange_and_add(&word, 1);
  flag.load(std::memory_order_relaxed);
}

void read_word() {
  flag.store(1, std::memory_order_relaxed);
  __atomic_load_n(&word, __ATOMIC_RELAXED);
}

void write_word() {
  __atomic_store_n(&word, 1, __ATOMIC_RELAXED);
  flag.load(std::memory_order_relaxed);
}

void add_word_then() {
  flag.store(1, std::memory_order_relaxed);
  __gnu_cxx::__exchange_and_add(&word, 1);
}

std::atomic<int> cells[2];
std::atomic<long> found;

void fill_cells() {
  std::fill(cells, cells + 2, 1);
  flag.load(std::memory_order_relaxed);
}

void count_cells() {
  flag.store(1, std::memory_order_relaxed);
  found = std::count(cells, cells + 2, 1);
}

// Functions whose demangled names begin with the library's types that they return.
template <typename T> std::pair<T, T> add_one(std::atomic<T> &to, std::atomic<T> &from) {
  to.store(1, std::memory_order_relaxed);
  return {0, from.load(std::memory_order_relaxed)};
}

struct reader {
  template <typename T> std::unique_ptr<T> operator()(std::atomic<T> &to, std::atomic<T> &from) {
    to.store(1, std::memory_order_relaxed);
    from.load(std::memory_order_relaxed);
    return nullptr;
  }
};

void add_one_first() {
  add_one(cells[0], cells[1]);
}

void add_one_then() {
  reader()(cells[1], cells[0]);
}

// What std::thread runs is inlined in a member of std::thread's.
void add_in_threads() {
  std::thread first([] {
    await_turn(1);
    cells[0].store(1, std::memory_order_relaxed);
    cells[1].load(std::memory_order_relaxed);
    pass_turn(2);
  });
  std::thread second([] {
    await_turn(2);
    cells[1].store(1, std::memory_order_relaxed);
    cells[0].load(std::memory_order_relaxed);
  });
  pass_turn(1);
  first.join();
  second.join();
}

void (*const classes[])() = {use_barrier,    use_latch, use_atomic_shared, use_atomic_weak,
                             use_stop_token, use_task,  use_wait};
const char *const names[] = {"barrier", "latch", "atomic-shared", "atomic-weak",
                             "stop",    "task",  "wait"};

} // namespace

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  for (int i = 0; i < 7; i++)
    for (int times = 0; times < 3 && strcmp(what, names[i]) == 0; times++)
      classes[i]();
  for (int times = argc > 2 ? atoi(argv[2]) : 1; strcmp(what, "counts") == 0 && times > 0; times--)
    one_then_other(copy_p, copy_r);
  if (strcmp(what, "own") == 0)
    one_then_other(copy_own_p, copy_own_r);
  if (strcmp(what, "one") == 0)
    one_then_other(add_word, read_word);
  if (strcmp(what, "other") == 0)
    one_then_other(write_word, add_word_then);
  if (strcmp(what, "algorithm") == 0)
    one_then_other(fill_cells, count_cells);
  if (strcmp(what, "threads") == 0)
    add_in_threads();
  if (strcmp(what, "templates") == 0)
    one_then_other(add_one_first, add_one_then);
}
