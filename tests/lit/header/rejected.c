// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations are not for does not compile, and says why.
//
// RUN: %rsan_clang -fsanitize=robustness %strict -c -DGOOD %s -o %t.o
// RUN: %rsan_clangxx -x c++ -fsanitize=robustness %strict -c -DGOOD %s -o %t.o
// RUN: not %stock_clang %strict -c -DFLOAT %s -o %t.o 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not %stock_clangxx -x c++ %strict -c -DFLOAT %s -o %t.o 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not %stock_clang %strict -c -DBIG %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not %stock_clangxx -x c++ %strict -c -DBIG %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not %stock_clang %strict -c -DSTRUCT %s -o %t.o 2>&1 | FileCheck %s --check-prefix=STRUCT
// RUN: not %stock_clangxx -x c++ %strict -c -DSTRUCT %s -o %t.o 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not %stock_clang %strict -c -DPOINTEE %s -o %t.o 2>&1 | FileCheck %s --check-prefix=POINTEE
// RUN: not %stock_clangxx -x c++ %strict -c -DPOINTEE %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NOMATCH
// RUN: not %stock_clang %strict -c -DCONSTANT %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not %stock_clangxx -x c++ %strict -c -DCONSTANT %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NOMATCH
// RUN: not %stock_clang %strict -c -DTRACK %s -o %t.o 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not %stock_clangxx -x c++ %strict -c -DTRACK %s -o %t.o 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not %stock_clang %strict -c -DAWAIT %s -o %t.o 2>&1 | FileCheck %s --check-prefix=AWAIT
// TYPE: error: static assertion failed{{.*}}RSan: not an atomic integer, bool, enum or pointer
// SIZE: error: static assertion failed{{.*}}RSan: not an atomic object of 1, 2, 4 or 8 bytes
// STRUCT: error: {{.*}}incompatible type 'struct pair'
// POINTEE: error: incompatible pointer types
// CONSTANT: error: passing 'const int *' to parameter of type 'volatile void *' discards qualifiers
// NOMATCH: error: no matching function for call to
// AWAIT: error: array size is negative

#include "rsan_await.h"

struct pair {
  int a;
};

void use(int *integer, float *number, __int128_t *big, struct pair *pair, const int *constant,
         uint32_t *await, int *expected, short *other) {
  (void)number, (void)big, (void)pair, (void)constant, (void)other;
#ifdef FLOAT
  rsan_wait(number, 1, __ATOMIC_ACQUIRE);
#elif defined TRACK
  rsan_track(number, 1);
#elif defined BIG
  rsan_wait(big, 1, __ATOMIC_ACQUIRE);
#elif defined STRUCT
  rsan_wait(pair, *pair, __ATOMIC_ACQUIRE);
#elif defined POINTEE
  rsan_strong_cas(integer, other, 1, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
#elif defined CONSTANT
  rsan_bcas(constant, 0, 1, __ATOMIC_ACQUIRE);
#elif defined AWAIT
  vatomic64_await_eq(await, 1);
#else
  rsan_wait(integer, 1, __ATOMIC_ACQUIRE);
  rsan_strong_cas(integer, expected, 1, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
  rsan_track(integer, 1);
  vatomic32_await_eq(await, 1);
#endif
}
