// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A seq_cst fence after each atomic access that mimalloc makes; forced in before its files.

#ifndef MIMALLOC_FENCES_H
#define MIMALLOC_FENCES_H

#include <stdatomic.h>

#define FENCED_VALUE(access)                                                                       \
  __extension__({                                                                                  \
    __auto_type fenced_value_ = access;                                                            \
    __c11_atomic_thread_fence(__ATOMIC_SEQ_CST);                                                   \
    fenced_value_;                                                                                 \
  })

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_and_explicit
#undef atomic_fetch_or_explicit

#define atomic_load_explicit(...) FENCED_VALUE(__c11_atomic_load(__VA_ARGS__))
#define atomic_store_explicit(...)                                                                 \
  (__c11_atomic_store(__VA_ARGS__), __c11_atomic_thread_fence(__ATOMIC_SEQ_CST))
#define atomic_exchange_explicit(...) FENCED_VALUE(__c11_atomic_exchange(__VA_ARGS__))
#define atomic_compare_exchange_weak_explicit(...)                                                 \
  FENCED_VALUE(__c11_atomic_compare_exchange_weak(__VA_ARGS__))
#define atomic_compare_exchange_strong_explicit(...)                                               \
  FENCED_VALUE(__c11_atomic_compare_exchange_strong(__VA_ARGS__))
#define atomic_fetch_add_explicit(...) FENCED_VALUE(__c11_atomic_fetch_add(__VA_ARGS__))
#define atomic_fetch_sub_explicit(...) FENCED_VALUE(__c11_atomic_fetch_sub(__VA_ARGS__))
#define atomic_fetch_and_explicit(...) FENCED_VALUE(__c11_atomic_fetch_and(__VA_ARGS__))
#define atomic_fetch_or_explicit(...)  FENCED_VALUE(__c11_atomic_fetch_or(__VA_ARGS__))

#endif
