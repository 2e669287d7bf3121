// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libstdc++ reads the number of waiters after the user's store, and a waiter counts itself in and
// reads what was stored. With release and acquire that is store buffering, a true violation on
// either side (tests/litmus, AtomicWait+rel+acq) that is not shown; the same shape in the user's
// own code is reported. (The count is judged here. waiters.cpp has it as it is otherwise.)
//
// RUN: %buildxx -std=c++20 -mllvm -rsan-judge-primitives %s -o %t
// RUN: env RSAN_OPTIONS=stats=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: WARNING
// CHECK: system_headers {{ *[1-9][0-9]*}} violations inside the standard library
// RUN: %exits 66 %t own 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: WARNING: ThreadSanitizer: robustness violation
// OWN: {{#[01]}} {{.*}}notify_own
#include "turns.h"

#include <atomic>
#include <thread>

namespace {

std::atomic<int> value, own, waiters;

void wait_own() {
  waiters.fetch_add(1);
  own.load(std::memory_order_acquire);
}

__attribute__((noinline)) void notify_own() {
  own.store(1, std::memory_order_release);
  waiters.load();
}

// Often enough for a waiter to have entered before the notifier looks.
void use_library() {
  for (int round = 0; round < 200; round++) {
    value = 0;
    std::thread waiter([] { value.wait(0, std::memory_order_acquire); });
    std::thread notifier([] {
      value.store(1, std::memory_order_release);
      value.notify_one();
    });
    waiter.join();
    notifier.join();
  }
}

} // namespace

int main(int argc, char **) {
  if (argc > 1)
    one_then_other(wait_own, notify_own);
  else
    use_library();
}
