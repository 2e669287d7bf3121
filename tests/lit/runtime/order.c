// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory orders and values in reports: what the source says, for either access.
//
// RUN: %build %s -o %t && %exits 66 %t 2>&1 | FileCheck %s
//
// CHECK:      Atomic read of size 4 at {{.*}} (memory_order_relaxed):
// CHECK:      may miss the atomic write of size 4 {{.*}} (memory_order_release):
// CHECK:      It would read 0 in place of 16777215.
//
// CHECK:      Atomic read of size 4 at {{.*}} (memory_order_acquire):
// CHECK:      may miss the atomic write of size 4 {{.*}} (memory_order_relaxed):
// CHECK:      It would read 0 in place of 0x1000000.
//
// CHECK:      Atomic read of size 4 at {{.*}} (memory_order_seq_cst):
// CHECK:      may miss the atomic write of size 4 {{.*}} (memory_order_relaxed):
// CHECK:      It would read 0 in place of 0xffffffff.
//
// CHECK:      Atomic read of size 4 at {{.*}} (memory_order_relaxed):
// CHECK:      may miss the atomic write of size 4 {{.*}} (memory_order_seq_cst):
// CHECK:      It would read 0 in place of 1.
//
// CHECK:      Atomic read-modify-write of size 4 at {{.*}} (memory_order_acq_rel):
// CHECK:      may miss the atomic write of size 4 {{.*}} (memory_order_release):
// CHECK:      It would read 0 in place of 2.
//
// CHECK:      Atomic write of size 4 at {{.*}} (memory_order_release):
// CHECK:      may be ordered before the atomic write of size 4 {{.*}} (memory_order_release):
// CHECK:      It would overwrite 0 and then be overwritten itself by 3.
//
// The order of a compare-exchange is that of the branch it took.
// CHECK:      Atomic compare-exchange of size 4 at {{.*}} (memory_order_acq_rel):
// CHECK:      It expected 4 and would read 0 in place of 4.
// CHECK:      Failed atomic compare-exchange of size 4 at {{.*}} (memory_order_acquire):
// CHECK:      It expected 0 and would read 0 in place of 5.
//
// CHECK:      Atomic read of size 8 at {{.*}} (memory_order_acquire):
// CHECK:      It would read 0 in place of 0x123456789abcdef0.
//
// CHECK:      Atomic read of size 4 at {{.*}} (memory_order_{{acquire|consume}}):
// CHECK:      may miss the atomic read-modify-write of size 4 {{.*}} (memory_order_acq_rel):
// CHECK:      It would read 0 in place of 6.
// CHECK-NOT: WARNING
// CHECK: reported 10 warnings
//
// All orders seq_cst: nothing.
// RUN: %build -DREPAIRED %s -o %t && %t 2>&1 | count 0
#include "turns.h"

#include <stdatomic.h>

#ifdef REPAIRED
#define order(name) memory_order_seq_cst
#else
#define order(name) memory_order_##name
#endif

#define CASE(name, type, write, access)                                                            \
  static _Atomic type name##_x, name##_y;                                                          \
  static void name##_first(void) {                                                                 \
    _Atomic type *x = &name##_x;                                                                   \
    write;                                                                                         \
    atomic_load_explicit(&name##_y, order(acquire));                                               \
  }                                                                                                \
  static void name(void) {                                                                         \
    _Atomic type *x = &name##_x;                                                                   \
    atomic_store_explicit(&name##_y, 1, order(release));                                           \
    access;                                                                                        \
  }                                                                                                \
  _Atomic type *const name##_kept = &name##_x;

#define LOAD(name)     (void)atomic_load_explicit(x, order(name))
#define STORE(v, name) atomic_store_explicit(x, v, order(name))
#define ADD(v, name)   (void)atomic_fetch_add_explicit(x, v, order(name))
#define CAS(from, success, failure)                                                                \
  atomic_compare_exchange_strong_explicit(x, &(unsigned){from}, 9, order(success), order(failure))

CASE(relaxed_release, unsigned, STORE(0xffffff, release), LOAD(relaxed))
CASE(acquire_relaxed, unsigned, STORE(0x1000000, relaxed), LOAD(acquire))
CASE(seq_cst_relaxed, unsigned, STORE(-1, relaxed), LOAD(seq_cst))
CASE(relaxed_seq_cst, unsigned, STORE(1, seq_cst), LOAD(relaxed))
CASE(acq_rel_release, unsigned, STORE(2, release), ADD(9, acq_rel))
CASE(release_release, unsigned, STORE(3, release), STORE(9, release))
CASE(cas_succeeds, unsigned, STORE(4, release), CAS(4, acq_rel, relaxed))
CASE(cas_fails, unsigned, STORE(5, release), CAS(0, acq_rel, acquire))
CASE(wide, unsigned long, STORE(0x123456789abcdef0, relaxed), LOAD(acquire))
CASE(consume_acq_rel, unsigned, ADD(6, acq_rel), LOAD(consume))

int main(void) {
  one_then_other(relaxed_release_first, relaxed_release);
  one_then_other(acquire_relaxed_first, acquire_relaxed);
  one_then_other(seq_cst_relaxed_first, seq_cst_relaxed);
  one_then_other(relaxed_seq_cst_first, relaxed_seq_cst);
  one_then_other(acq_rel_release_first, acq_rel_release);
  one_then_other(release_release_first, release_release);
  one_then_other(cas_succeeds_first, cas_succeeds);
  one_then_other(cas_fails_first, cas_fails);
  one_then_other(wide_first, wide);
  one_then_other(consume_acq_rel_first, consume_acq_rel);
}
