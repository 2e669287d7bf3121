// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The count of waiters behind std::atomic's wait and notify in libstdc++ makes no cycle: it is no
// object of the user's.
//
// RUN: %buildxx -std=c++20 %s -o %t
// RUN: %t 2>&1 | count 0
// RUN: not %t beside 2>&1 | FileCheck %s --check-prefix=BESIDE
// BESIDE: SUMMARY: {{.*}} robustness violation {{.*}}in waits
// RUN: %buildxx -std=c++20 -mllvm -rsan-judge-primitives %s -o %t.judged
// RUN: not %t.judged 2>&1 | FileCheck %s --check-prefix=JUDGED
// JUDGED: SUMMARY: {{.*}} robustness violation {{.*}}waits
#include <atomic>

extern "C" {
#include "turns.h"
}

std::atomic<int> data, more, flag;

// notify_one looks whether somebody waits, and wait counts its thread in.
static void notifies() {
  data.store(1, std::memory_order_relaxed);
  flag.notify_one();
}
static void waits() {
  flag.wait(1);
  std::__detail::__waiter_pool_base::_S_for(&flag)._M_enter_wait();
  data.load(std::memory_order_relaxed);
}

static void notifies_beside() {
  notifies();
  more.load(std::memory_order_relaxed);
}
static void waits_beside() {
  more.store(1, std::memory_order_relaxed);
  waits();
}

int main(int argc, char **) {
  if (argc > 1)
    one_then_other(notifies_beside, waits_beside);
  else
    one_then_other(notifies, waits);
}
