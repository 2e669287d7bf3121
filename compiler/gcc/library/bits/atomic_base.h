// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In front of libstdc++'s header of the same name, for rsan-g++. The floating-point fetch_add of
// std::atomic and std::atomic_ref is one read-modify-write by the standard, and a loop with a
// relaxed load in libstdc++. The program cannot observe that load, nor the failed attempts. So the
// load becomes __rsan_atomic*_peek and each attempt __rsan_atomic*_fetch_op_val, as in the
// compiler's pass (compiler/pass/Updates.cpp), which GCC does not have.
//
// The overloads stand in front of the library's templates, whose callers look names up where they
// are defined. An overload that is no template is preferred.
#pragma GCC system_header
#ifndef RSAN_ATOMIC_BASE_H
#define RSAN_ATOMIC_BASE_H

#include <bits/c++config.h>

#if __cplusplus > 201703L

extern "C" {
__UINT32_TYPE__ __rsan_atomic32_peek(const volatile void *);
__UINT64_TYPE__ __rsan_atomic64_peek(const volatile void *);
__UINT32_TYPE__ __rsan_atomic32_fetch_op_val(volatile void *, __UINT32_TYPE__, __UINT32_TYPE__,
                                             int);
__UINT64_TYPE__ __rsan_atomic64_fetch_op_val(volatile void *, __UINT64_TYPE__, __UINT64_TYPE__,
                                             int);
#if __SIZEOF_LONG_DOUBLE__ == 16
unsigned __int128 __rsan_atomic128_peek(const volatile void *);
unsigned __int128 __rsan_atomic128_fetch_op_val(volatile void *, unsigned __int128,
                                                unsigned __int128, int);
#endif
}

#pragma GCC visibility push(default)
namespace std {
_GLIBCXX_BEGIN_NAMESPACE_VERSION

enum class memory_order : int;

namespace __atomic_impl {

// The four functions for a type, by the runtime's operations of so many bits. The bytes that the
// value does not use are 0 in what is stored.
#define RSAN_UPDATE(type, qualifier, bits, word, name, operation, result)                          \
  inline type name(qualifier type *__at, type __by, memory_order __order) noexcept {               \
    word __found = __rsan_atomic##bits##_peek(__at);                                               \
    for (;;) {                                                                                     \
      type __old, __new;                                                                           \
      word __stored = 0;                                                                           \
      __builtin_memcpy(&__old, &__found, sizeof(type));                                            \
      __new = __old operation __by;                                                                \
      __builtin_memcpy(&__stored, &__new, sizeof(type) < 16 ? sizeof(type) : RSAN_USED);           \
      const word __expected = __found;                                                             \
      __found = __rsan_atomic##bits##_fetch_op_val(__at, __expected, __stored, (int)__order);      \
      if (__found == __expected)                                                                   \
        return result;                                                                             \
    }                                                                                              \
  }
#define RSAN_ORDERED(type, qualifier, name, ordered)                                               \
  inline type name(qualifier type *__at, type __by) noexcept {                                     \
    return ordered(__at, __by, memory_order(__ATOMIC_SEQ_CST));                                    \
  }
#define RSAN_UPDATES(type, qualifier, bits, word)                                                  \
  RSAN_UPDATE(type, qualifier, bits, word, __fetch_add_flt, +, __old)                              \
  RSAN_UPDATE(type, qualifier, bits, word, __fetch_sub_flt, -, __old)                              \
  RSAN_UPDATE(type, qualifier, bits, word, __rsan_add_fetch, +, __new)                             \
  RSAN_UPDATE(type, qualifier, bits, word, __rsan_sub_fetch, -, __new)                             \
  RSAN_ORDERED(type, qualifier, __add_fetch_flt, __rsan_add_fetch)                                 \
  RSAN_ORDERED(type, qualifier, __sub_fetch_flt, __rsan_sub_fetch)

// An x87 long double uses 10 of its 16 bytes.
#define RSAN_USED (__LDBL_MANT_DIG__ == 64 ? 10 : 16)

RSAN_UPDATES(float, , 32, __UINT32_TYPE__)
RSAN_UPDATES(float, volatile, 32, __UINT32_TYPE__)
RSAN_UPDATES(double, , 64, __UINT64_TYPE__)
RSAN_UPDATES(double, volatile, 64, __UINT64_TYPE__)
#if __SIZEOF_LONG_DOUBLE__ == 16
RSAN_UPDATES(long double, , 128, unsigned __int128)
RSAN_UPDATES(long double, volatile, 128, unsigned __int128)
#endif

#undef RSAN_USED
#undef RSAN_UPDATES
#undef RSAN_ORDERED
#undef RSAN_UPDATE

} // namespace __atomic_impl

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#pragma GCC visibility pop

#endif

#endif

#include_next <bits/atomic_base.h>
