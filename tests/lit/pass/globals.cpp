// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a variable that the optimiser has split are named as in the source; without debug
// information they keep the optimiser's names, and a variable that is whole keeps its own.
//
// RUN: %rsan_clangxx -fsanitize=robustness -O2 -g -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clangxx -fsanitize=robustness -O2 -g0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=BARE
// RUN: %rsan_clangxx -fsanitize=robustness -O0 -g -S -emit-llvm %s -o - | FileCheck %s --check-prefix=WHOLE
//
// CHECK-DAG: @"ns::ring.head" = internal
// CHECK-DAG: @"ns::ring.ends.tail" = internal
// CHECK-DAG: @_ZZ4pushvE5count = internal
// CHECK-NOT: @_ZN2nsL4ringE
// BARE-DAG: @_ZN2nsL4ringE.0 = internal
// BARE-DAG: @_ZN2nsL4ringE.1 = internal
// WHOLE: @_ZN2nsL4ringE = internal
#include <atomic>

namespace ns {
struct ends {
  std::atomic<int> tail;
};

struct ring {
  int head;
  struct ends ends;
};

static struct ring ring;
} // namespace ns

int push() {
  static struct {
    int first, last;
  } count;
  count.first++;
  __atomic_fetch_add(&count.last, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&ns::ring.head, count.first, __ATOMIC_RELEASE);
  return ns::ring.ends.tail.load(std::memory_order_acquire);
}

void pop() {
  ns::ring.ends.tail.store(__atomic_load_n(&ns::ring.head, __ATOMIC_ACQUIRE),
                           std::memory_order_release);
}
