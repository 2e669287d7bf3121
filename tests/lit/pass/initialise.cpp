// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores that initialise atomic objects tell the runtime their value: in constructors of
// std::atomic, inlined or not; of fields that are atomic, and of locals. Others do not.
//
// RUN: %rsan_clangxx -fsanitize=robustness -O0 -g -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,O0
// RUN: %rsan_clangxx -fsanitize=robustness -O2 -g -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,O2
#include <atomic>

struct plain {
  int first, second;
};

struct node {
  int data;
  int next;
};

extern "C" {

// CHECK-LABEL: @of_class(
// O2: call void @__rsan_initialised(ptr {{.*}}, i32 8, i64 5)
void *of_class() {
  return new std::atomic<long>(5);
}

int load_next(node *n) {
  return __atomic_load_n(&n->next, __ATOMIC_ACQUIRE);
}

// CHECK-LABEL: @of_field(
// CHECK: call void @__tsan_write4(
// CHECK-NOT: __rsan_initialised
// CHECK: call void @__rsan_initialised(ptr {{.*}}, i32 4, i64 7)
// CHECK-NOT: __rsan_initialised
// CHECK: ret void
void of_field(node *n) {
  n->data = 6;
  n->next = 7;
}

void escapes(void *);

// CHECK-LABEL: @of_local(
// CHECK: call void @__rsan_initialised(ptr {{.*}}, i32 1, i64 1)
// CHECK: ret void
void of_local() {
  _Atomic bool flag = true;
  escapes(&flag);
}

// CHECK-LABEL: @of_none(
// CHECK-NOT: __rsan_initialised
// CHECK: ret void
void of_none(plain *p) {
  plain q = {8, 9};
  *p = q;
  p->first = 10;
  int local = 11;
  escapes(&local);
}
}

// O0-LABEL: define {{.*}} @_ZNSt13__atomic_baseIlEC2El(
// O0: call void @__rsan_initialised(ptr {{.*}}, i32 8, i64
// O0: ret void
