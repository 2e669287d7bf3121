// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short names of relaxed accesses, at whose place a report points.

#ifndef RSAN_TEST_ACCESS_H
#define RSAN_TEST_ACCESS_H

#define LOAD(x)        __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define STORE(x, v)    __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define EXCHANGE(x, v) __atomic_exchange_n(&(x), (v), __ATOMIC_RELAXED)
#define ADD(x, v)      __atomic_fetch_add(&(x), (v), __ATOMIC_RELAXED)

#endif
