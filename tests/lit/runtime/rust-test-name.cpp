// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rust's harness runs a test in a function of a certain name, by which a report's test is known,
// also of threads that the test has created. rsan_test_begin is more. A function called by another
// one names no test.
//
// RUN: %buildxx -O0 %s -o %t
// RUN: not %t 2>&1 | FileCheck %s --check-prefix=RUST
// RUN: not env RSAN_OPTIONS=report_format=json %t 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: not %t begin 2>&1 | FileCheck %s --check-prefix=BEGIN
// RUN: not %t other 2>&1 | FileCheck %s --check-prefix=OTHER
// RUST: Test: tests::two_threads{{$}}
// JSON: "tests":["tests::two_threads"]
// BEGIN: Test: mine{{$}}
// OTHER-NOT: Test:
// OTHER: DEDUP_TOKEN
#include <atomic>
#include <cstring>
#include <thread>

#include "../../../include/rsan.h"

static std::atomic<int> x, y, first;

static void store_and_load(std::atomic<int> *own, std::atomic<int> *other) {
  own->store(1, std::memory_order_release);
  other->load(std::memory_order_acquire);
}

// As Rust's compiler calls a closure of crate `lock`.
[[gnu::noinline]] void two_threads() asm(
    "<lock::tests::two_threads::{closure#0} as core::ops::function::FnOnce<()>>::call_once");
// (A run in which both threads store first shows no violation.)
void two_threads() {
  std::thread one([] {
    store_and_load(&x, &y);
    first.store(1, std::memory_order_relaxed);
  });
  std::thread two([] {
    while (!first.load(std::memory_order_relaxed))
      ;
    store_and_load(&y, &x);
  });
  one.join();
  two.join();
}

namespace test {
[[gnu::noinline]] void __rust_begin_short_backtrace(void (*function)()) {
  function();
  asm volatile("" ::: "memory"); // no tail call
}

[[gnu::noinline]] void other(void (*function)()) {
  function();
  asm volatile("" ::: "memory");
}
} // namespace test

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "begin") == 0)
    rsan_test_begin("mine");
  if (argc > 1 && strcmp(argv[1], "other") == 0)
    test::other(two_threads);
  else
    test::__rust_begin_short_backtrace(two_threads);
}
