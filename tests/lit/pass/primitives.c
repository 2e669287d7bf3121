// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses in primitives of Rust, by the files that they are written in (no compiler of Rust is
// needed), and read-modify-writes of locals that are fences on x86-64.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,KNOWN
// RUN: %rsan_clang -fsanitize=robustness -g -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,KNOWN
// RUN: %rsan_clang -fsanitize=robustness -mllvm -rsan-local-fences=all -g -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,EACH
// RUN: %rsan_clang -fsanitize=robustness -mllvm -rsan-local-fences=none -g -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=NONE
// RUN: %rsan_clang -fsanitize=robustness -mllvm -rsan-judge-primitives -g -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=JUDGED
// NONE-NOT: __rsan_local_fence
// JUDGED-NOT: __rsan_primitive
//
// A known crate may be compiled from its own workspace. Cargo then sets its name.
// RUN: env CARGO_PKG_NAME=event-listener %rsan_clang -fsanitize=robustness -g -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,OWN

#include <stdatomic.h>

atomic_int x;
_Atomic(int *) shared;

#line 10 "/x/rust/library/core/src/sync/atomic.rs"
static inline __attribute__((always_inline)) int core_load(atomic_int *object) {
  return atomic_load_explicit(object, memory_order_relaxed);
}

// The library's own.
// CHECK-LABEL: @of_std(
// CHECK: call void @__rsan_primitive_begin()
// CHECK-NEXT: @__tsan_atomic32_store(
// CHECK: call void @__rsan_primitive_end()
// CHECK: call void @__rsan_primitive_begin()
// CHECK-NEXT: @__tsan_atomic32_load(
// CHECK: call void @__rsan_primitive_end()
// CHECK: }
#line 30 "/x/rust/library/std/src/sys/sync/mutex/futex.rs"
int of_std(void) {
  atomic_store(&x, 1);
  return core_load(&x);
}

// A user's, by the library's atomic types.
// CHECK-LABEL: @of_user(
// CHECK-NOT: __rsan_primitive
// CHECK: @__tsan_atomic32_load(
// CHECK-NOT: __rsan_primitive
// CHECK: }
#line 40 "/x/src/main.rs"
int of_user(void) {
  return core_load(&x);
}

// CHECK-LABEL: @of_arc(
// CHECK: call void @__rsan_primitive_begin()
// CHECK: }
#line 50 "/x/rust/library/alloc/src/sync.rs"
void of_arc(void) {
  atomic_fetch_sub_explicit(&x, 1, memory_order_release);
}

// CHECK-LABEL: @of_dependence(
// CHECK: call void @__rsan_primitive_begin()
// CHECK: }
#line 60 "/usr/share/cargo/registry/parking_lot_core-0.9.3/src/word_lock.rs"
void of_dependence(void) {
  atomic_store(&x, 1);
}

// CHECK-LABEL: @of_part(
// CHECK: call void @__rsan_primitive_begin()
// CHECK: }
#line 70 "/usr/share/cargo/registry/crossbeam-utils-0.8.12/src/sync/parker.rs"
void of_part(void) {
  atomic_store(&x, 1);
}

// Another part of that crate, a crate with a longer name, and a crate in the workspace itself.
// CHECK-LABEL: @of_other_part(
// CHECK-NOT: __rsan_primitive
// CHECK: }
#line 80 "/usr/share/cargo/registry/crossbeam-utils-0.8.12/src/atomic/seq_lock.rs"
void of_other_part(void) {
  atomic_store(&x, 1);
}
// CHECK-LABEL: @of_other_crate(
// CHECK-NOT: __rsan_primitive
// CHECK: }
#line 90 "/usr/share/cargo/registry/my-parking_lot-0.9.3/src/word_lock.rs"
void of_other_crate(void) {
  atomic_store(&x, 1);
}
// CHECK-LABEL: @of_workspace(
// CHECK-NOT: __rsan_primitive
// CHECK: }
#line 100 "parking_lot_core-0.9.3/src/word_lock.rs"
void of_workspace(void) {
  atomic_store(&x, 1);
}

// CHECK-LABEL: @full_fence(
// CHECK: call void @__rsan_local_fence()
// CHECK-NEXT: call void @__tsan_atomic_thread_fence(i32 5)
// CHECK: }
#line 110 "/usr/share/cargo/registry/event-listener-2.5.3/src/lib.rs"
void full_fence(void) {
  atomic_int local = 0;
  int expected = 0;
  atomic_compare_exchange_strong(&local, &expected, 1);
}

// This crate is not in the list of crates that mean a fence.
// CHECK-LABEL: @other_fence(
// KNOWN-NOT: __rsan_local_fence
// OWN-NOT: __rsan_local_fence
// EACH: call void @__rsan_local_fence()
// CHECK: }
#line 120 "/usr/share/cargo/registry/other-2.5.3/src/lib.rs"
void other_fence(void) {
  atomic_int local = 0;
  atomic_fetch_add(&local, 1);
}

// CHECK-LABEL: @own_fence(
// KNOWN-NOT: __rsan_local_fence
// OWN: call void @__rsan_local_fence()
// EACH: call void @__rsan_local_fence()
// CHECK: }
#line 130 "src/lib.rs"
void own_fence(void) {
  atomic_int local = 0;
  atomic_fetch_add(&local, 1);
}

// Another thread may see the object, or the order is weaker, or it is no read-modify-write.
// CHECK-LABEL: @seen(
// CHECK-NOT: __rsan_local_fence
// CHECK: }
#line 140 "/usr/share/cargo/registry/event-listener-2.5.3/src/lib.rs"
void seen(void) {
  atomic_int local = 0;
  atomic_store(&shared, (int *)&local);
  atomic_fetch_add(&local, 1);
}
// CHECK-LABEL: @global(
// CHECK-NOT: __rsan_local_fence
// CHECK: }
void global(void) {
  atomic_fetch_add(&x, 1);
}
// CHECK-LABEL: @weaker(
// CHECK-NOT: __rsan_local_fence
// CHECK: }
void weaker(void) {
  atomic_int local = 0;
  atomic_fetch_add_explicit(&local, 1, memory_order_acq_rel);
}
// CHECK-LABEL: @stored(
// CHECK-NOT: __rsan_local_fence
// CHECK: }
void stored(void) {
  atomic_int local = 0;
  atomic_store(&local, 1);
}
