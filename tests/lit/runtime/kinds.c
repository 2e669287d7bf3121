// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of atomic access that can be reported, at every size. Before it the thread writes y,
// which the other thread has read after its write of x: so that write comes first in every
// sequentially consistent run.
//
// RUN: %build -mcx16 %s -o %t
// RUN: %exits 66 %t 1  2>&1 | FileCheck %s -DSIZE=1
// RUN: %exits 66 %t 2  2>&1 | FileCheck %s -DSIZE=2
// RUN: %exits 66 %t 4  2>&1 | FileCheck %s -DSIZE=4
// RUN: %exits 66 %t 8  2>&1 | FileCheck %s -DSIZE=8
// RUN: %exits 66 %t 16 2>&1 | FileCheck %s -DSIZE=16
//
// RUN: %exits 66 env RSAN_OPTIONS=clocks=explicit %t 1  2>&1 | FileCheck %s -DSIZE=1
// RUN: %exits 66 env RSAN_OPTIONS=clocks=explicit %t 16 2>&1 | FileCheck %s -DSIZE=16
//
// CHECK:      Atomic read of size [[SIZE]] at 0x{{[0-9a-f]+}} by thread T2 (memory_order_relaxed):
// CHECK-NEXT: #0 load_[[SIZE]]
// CHECK:      may miss the atomic write of size [[SIZE]] by thread T1 (memory_order_relaxed):
// CHECK-NEXT: #0 load_[[SIZE]]_first
// CHECK:      It would read {{0|0x0+}} in place of {{7|0x0+7}}.
// CHECK:      Location is global 'load_[[SIZE]]_x' of size [[SIZE]]
//
// CHECK:      Atomic write of size [[SIZE]] at 0x{{[0-9a-f]+}} by thread
// CHECK-NEXT: #0 store_[[SIZE]]
// CHECK:      may be ordered before the atomic write of size [[SIZE]] by thread
// CHECK-NEXT: #0 store_[[SIZE]]_first
// CHECK:      It would overwrite {{0|0x0+}} and then be overwritten itself by {{7|0x0+7}}.
//
// CHECK:      Atomic read-modify-write of size [[SIZE]] at 0x{{[0-9a-f]+}} by thread
// CHECK-NEXT: #0 exchange_[[SIZE]]
// CHECK:      may miss the atomic write of size [[SIZE]] by thread
// CHECK-NEXT: #0 exchange_[[SIZE]]_first
// CHECK:      It would read {{0|0x0+}} in place of {{7|0x0+7}}.
//
// CHECK:      Atomic read-modify-write of size [[SIZE]] at 0x{{[0-9a-f]+}} by thread
// CHECK-NEXT: #0 fetch_add_[[SIZE]]
// CHECK:      may miss the atomic write of size [[SIZE]] by thread
// CHECK-NEXT: #0 fetch_add_[[SIZE]]_first
//
// CHECK:      Atomic compare-exchange of size [[SIZE]] at 0x{{[0-9a-f]+}} by thread
// CHECK-NEXT: #0 cas_[[SIZE]]
// CHECK:      may miss the atomic write of size [[SIZE]] by thread
// CHECK-NEXT: #0 cas_[[SIZE]]_first
// CHECK:      It expected {{7|0x0+7}} and would read {{0|0x0+}} in place of {{7|0x0+7}}.
//
// CHECK:      Failed atomic compare-exchange of size [[SIZE]] at 0x{{[0-9a-f]+}} by thread
// CHECK-NEXT: #0 cas_fails_[[SIZE]]
// CHECK:      may miss the atomic write of size [[SIZE]] by thread
// CHECK-NEXT: #0 cas_fails_[[SIZE]]_first
// CHECK:      It expected {{8|0x0+8}} and would read {{0|0x0+}} in place of {{7|0x0+7}}.
//
// CHECK:      Atomic read-modify-write of size [[SIZE]] at 0x{{[0-9a-f]+}} by thread
// CHECK-NEXT: #0 weak_[[SIZE]]
// CHECK:      It expected {{7|0x0+7}} and would read {{0|0x0+}} in place of {{7|0x0+7}}.
//
// CHECK:      Atomic read of size [[SIZE]] at 0x{{[0-9a-f]+}} by thread
// CHECK-NEXT: #0 weak_fails_[[SIZE]]
// CHECK:      It expected {{0|0x0+}} and would read {{0|0x0+}} in place of {{7|0x0+7}}.
//
// CHECK:      Atomic read of size [[SIZE]] at 0x{{[0-9a-f]+}} by thread
// CHECK-NEXT: #0 load_of_rmw_[[SIZE]]
// CHECK:      may miss the atomic read-modify-write of size [[SIZE]] by thread
// CHECK-NEXT: #0 load_of_rmw_[[SIZE]]_first
//
// A store cannot come between a read-modify-write and what that reads, so rmw_of_rmw is not
// reported.
// CHECK-NOT:  WARNING
// CHECK:      reported 9 warnings
//
// RUN: %build -mcx16 -DREPAIRED %s -o %t.repaired
// RUN: %t.repaired 1  2>&1 | count 0
// RUN: %t.repaired 2  2>&1 | count 0
// RUN: %t.repaired 4  2>&1 | count 0
// RUN: %t.repaired 8  2>&1 | count 0
// RUN: %t.repaired 16 2>&1 | count 0
// RUN: env RSAN_OPTIONS=clocks=explicit %t.repaired 1  2>&1 | count 0
// RUN: env RSAN_OPTIONS=clocks=explicit %t.repaired 16 2>&1 | count 0
#include "access.h"
#include "turns.h"

#include <stdbool.h>

#ifdef REPAIRED
#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define FENCE() (void)0
#endif

#define CAS(x, from, to) COMPARE(x, from, to, false)
#define COMPARE(x, from, to, weak)                                                                 \
  __extension__({                                                                                  \
    __typeof__(x) expected = (from);                                                               \
    __atomic_compare_exchange_n(&(x), &expected, (to), weak, __ATOMIC_RELAXED, __ATOMIC_RELAXED);  \
  })

// The objects are not static: one that is never read would lose its stores.
#define CASE(name, type, write, access)                                                            \
  type name##_x, name##_y;                                                                         \
  static void name##_first(void) {                                                                 \
    type *x = &name##_x;                                                                           \
    write;                                                                                         \
    FENCE();                                                                                       \
    LOAD(name##_y);                                                                                \
  }                                                                                                \
  static void name(void) {                                                                         \
    type *x = &name##_x;                                                                           \
    STORE(name##_y, 1);                                                                            \
    FENCE();                                                                                       \
    access;                                                                                        \
  }

#define CASES(size, type)                                                                          \
  CASE(load_##size, type, STORE(*x, 7), LOAD(*x))                                                  \
  CASE(store_##size, type, STORE(*x, 7), STORE(*x, 9))                                             \
  CASE(exchange_##size, type, STORE(*x, 7), EXCHANGE(*x, 9))                                       \
  CASE(fetch_add_##size, type, STORE(*x, 7), ADD(*x, 9))                                           \
  CASE(cas_##size, type, STORE(*x, 7), CAS(*x, 7, 9))                                              \
  CASE(cas_fails_##size, type, STORE(*x, 7), CAS(*x, 8, 9))                                        \
  CASE(weak_##size, type, STORE(*x, 7), COMPARE(*x, 7, 9, true))                                   \
  CASE(weak_fails_##size, type, STORE(*x, 7), COMPARE(*x, 0, 9, true))                             \
  CASE(load_of_rmw_##size, type, ADD(*x, 7), LOAD(*x))                                             \
  CASE(rmw_of_rmw_##size, type, ADD(*x, 7), ADD(*x, 9))                                            \
  static void run_##size(void) {                                                                   \
    one_then_other(load_##size##_first, load_##size);                                              \
    one_then_other(store_##size##_first, store_##size);                                            \
    one_then_other(exchange_##size##_first, exchange_##size);                                      \
    one_then_other(fetch_add_##size##_first, fetch_add_##size);                                    \
    one_then_other(cas_##size##_first, cas_##size);                                                \
    one_then_other(cas_fails_##size##_first, cas_fails_##size);                                    \
    one_then_other(weak_##size##_first, weak_##size);                                              \
    one_then_other(weak_fails_##size##_first, weak_fails_##size);                                  \
    one_then_other(load_of_rmw_##size##_first, load_of_rmw_##size);                                \
    one_then_other(rmw_of_rmw_##size##_first, rmw_of_rmw_##size);                                  \
  }

CASES(1, unsigned char)
CASES(2, unsigned short)
CASES(4, unsigned)
CASES(8, unsigned long)
CASES(16, unsigned __int128)

int main(int argc, char **argv) {
  switch (argc > 1 ? atoi(argv[1]) : 0) {
  case 1:
    run_1();
    break;
  case 2:
    run_2();
    break;
  case 4:
    run_4();
    break;
  case 8:
    run_8();
    break;
  case 16:
    run_16();
    break;
  }
}
