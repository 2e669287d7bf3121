// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// librsan-seq-cst.so makes every atomic access seq_cst, also without optimisation; fences, and what
// is for signal handlers of the same thread, stay as they are.
//
// RUN: %rsan_clang -O0 -fpass-plugin=%resource_dir/lib/librsan-seq-cst.so -S -emit-llvm -o - %s | FileCheck %s
// RUN: %rsan_clang -O2 -fpass-plugin=%resource_dir/lib/librsan-seq-cst.so -S -emit-llvm -o - %s | FileCheck %s
// RUN: %rsan_clang -O2 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=AS-IT-IS

#include <stdatomic.h>

// CHECK-LABEL: @accesses
// CHECK: load atomic i32, {{.*}} seq_cst
// CHECK: store atomic i32 {{.*}} seq_cst
// CHECK: atomicrmw xchg {{.*}} seq_cst
// CHECK: atomicrmw add {{.*}} seq_cst
// CHECK: cmpxchg weak {{.*}} seq_cst seq_cst
// CHECK: cmpxchg ptr {{.*}} seq_cst seq_cst
// CHECK: fence release
// CHECK: fence syncscope("singlethread") acquire
// AS-IT-IS-LABEL: @accesses
// AS-IT-IS: load atomic i32, {{.*}} monotonic
// AS-IT-IS: store atomic i32 {{.*}} release
// AS-IT-IS: atomicrmw xchg {{.*}} acquire
// AS-IT-IS: atomicrmw add {{.*}} acq_rel
// AS-IT-IS: cmpxchg weak {{.*}} acq_rel acquire
// AS-IT-IS: cmpxchg ptr {{.*}} release monotonic
int accesses(atomic_int *a) {
  int v = atomic_load_explicit(a, memory_order_relaxed);
  atomic_store_explicit(a, v, memory_order_release);
  v += atomic_exchange_explicit(a, v, memory_order_acquire);
  v += atomic_fetch_add_explicit(a, v, memory_order_acq_rel);
  atomic_compare_exchange_weak_explicit(a, &v, 1, memory_order_acq_rel, memory_order_acquire);
  atomic_compare_exchange_strong_explicit(a, &v, 1, memory_order_release, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_signal_fence(memory_order_acquire);
  return v;
}

// CHECK-LABEL: @plain
// CHECK-NOT: atomic
// CHECK: }
int plain(int *a) {
  *a = 1;
  return *a + 1;
}
