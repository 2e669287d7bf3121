// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::atomic hides its accesses in members, which nothing inlines at -O0; the loops are the same
// ones as in C. Functions of the program are seen through as well.
//
// RUN: %rsan_clangxx -fsanitize=robustness -O0 -S -emit-llvm -Rrsan %s -o %t.ll 2>%t.err
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck %s --check-prefix=REMARK <%t.err
// RUN: %rsan_clangxx -fsanitize=robustness -O0 -D_GLIBCXX_ASSERTIONS -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clangxx -fsanitize=robustness -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clangxx -fsanitize=robustness -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clangxx -fsanitize=robustness -O2 -flto=thin -S -emit-llvm %s -o - | FileCheck %s

#include <atomic>
#include <thread>

constexpr auto acquire = std::memory_order_acquire;
constexpr auto relaxed = std::memory_order_relaxed;

struct Lock {
  std::atomic<bool> taken{false};
  std::atomic_flag flag = ATOMIC_FLAG_INIT;
  std::atomic<unsigned> next{0}, now{0};
  std::atomic<Lock *> link{nullptr};
  bool isFree() const { return !taken.load(acquire); }
};

// REMARK: [[@LINE+4]]:{{.*}} remark: this loop is a wait: it ends when (the value read & 0x1) == 0
// CHECK-LABEL: @load
// CHECK: @__rsan_atomic8_wait_load(ptr {{.*}}, i32 2, i32 16, i8 {{.*}}1, i8 {{.*}}0)
extern "C" void load(Lock &l) {
  while (l.taken.load(acquire))
    std::this_thread::yield();
}

// CHECK-LABEL: @operators
// CHECK: @__rsan_atomic8_wait_load(ptr {{.*}}, i32 5, i32 16, i8 {{.*}}1, i8 {{.*}}0)
extern "C" void operators(Lock &l) {
  while (l.taken)
    ;
}

// CHECK-LABEL: @function
// CHECK: @__rsan_atomic8_wait_load(
extern "C" void function(Lock &l) {
  while (!l.isFree())
    ;
}

// CHECK-LABEL: @test_and_set
// CHECK: @__rsan_atomic8_wait_exchange(
extern "C" void test_and_set(Lock &l) {
  while (l.flag.test_and_set(acquire))
    ;
}

// CHECK-LABEL: @test_and_test_and_set
// CHECK: @__rsan_atomic8_wait_exchange(
// CHECK: @__rsan_atomic8_peek(
extern "C" void test_and_test_and_set(Lock &l) {
  while (l.taken.exchange(true, acquire))
    while (l.taken.load(relaxed))
      std::this_thread::yield();
}

// CHECK-LABEL: @ticket
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 2, i32 16, i32 -1, i32 %{{.*}})
extern "C" void ticket(Lock &l) {
  unsigned mine = l.next.fetch_add(1, relaxed);
  while (l.now.load(acquire) != mine)
    ;
}

// CHECK-LABEL: @pointer
// CHECK: @__rsan_atomic64_wait_load(ptr {{.*}}, i32 2, i32 1, i64 -1, i64 0)
extern "C" Lock *pointer(Lock &l) {
  Lock *p;
  while ((p = l.link.load(acquire)) == nullptr)
    ;
  return p;
}

// CHECK-LABEL: @weak
// CHECK: @__rsan_atomic8_wait_compare_exchange(ptr {{.*}}, i8 {{.*}}, i8 {{.*}}, i32 2, i32 0)
extern "C" void weak(Lock &l) {
  bool expected = false;
  while (!l.taken.compare_exchange_weak(expected, true, acquire, relaxed))
    expected = false;
}

// CHECK-LABEL: @strong
// CHECK: @__rsan_atomic8_wait_compare_exchange(ptr {{.*}}, i8 {{.*}}, i8 {{.*}}, i32 5, i32 5)
extern "C" void strong(Lock &l) {
  for (;;) {
    bool expected = false;
    if (l.taken.compare_exchange_strong(expected, true))
      break;
    std::this_thread::yield();
  }
}

// No wait: the stack's head is read and replaced by a value that depends on it.
// CHECK-LABEL: @push
// CHECK-NOT: _wait_
// CHECK: ret void
extern "C" void push(Lock &stack, Lock *node) {
  Lock *head = stack.link.load(relaxed);
  do
    node->link.store(head, relaxed);
  while (!stack.link.compare_exchange_weak(head, node));
}
