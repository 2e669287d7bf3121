/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The second half of rsan.h, which includes it: operations that tell RSan what is meant. It finds
 * most of this out by itself (docs/internals/SPIN-LOOPS.md); these say it where it does not.
 *
 *  void rsan_wait(p, value, order)
 *      Blocks until *p == value. order: relaxed, consume, acquire or seq_cst.
 *  void rsan_wait_until(p, relation, mask, operand, order)
 *  T    rsan_wait_value(p, relation, mask, operand, order)
 *      Block until (*p & mask) relation operand; mask: of the object's bits, 0 for all. The second
 *      returns the value found. It is judged more strictly where several values end the wait: an
 *      old one of them in place of a new one is a violation. Use the first where none is needed.
 *  T    rsan_wait_any(p, values, count, order)
 *      Blocks until *p is one of values[0..count), which have p's type; count >= 1, and small, for
 *      an attempt asks of each. Returns the value found. Exact: a violation is reported where a
 *      wait for one of the values would be one; the attempts that find none have no effect.
 *  void rsan_bcas(p, expected, desired, order)
 *      Blocks until *p == expected and replaces it by desired, in one step. order: any.
 *  bool rsan_strong_cas(p, &expected, desired, success, failure)
 *      atomic_compare_exchange_strong_explicit, judged as strong: it cannot take a value for
 *      `expected` that another read-modify-write has replaced, so missing that one is no violation;
 *      a weak one may, and fails. failure: relaxed, consume, acquire or seq_cst.
 *  void rsan_track(p, value)
 *      Announces that rsan_wait, rsan_wait_any, rsan_bcas or a loop that does the same will ask for
 *      *p == value. No access to *p and no wait; it orders nothing. With history=bounded (the
 *      default) RSan forgets old versions of an object that no check seems to be about, so the
 *      first wait for a value may miss a violation; from here on those that overwrote the value
 *      are kept. The eight values of an object that were announced or waited for last are. For
 *      history=exact, and behind the first wait, it says nothing new.
 *
 * The waits spin, and under the sanitizer call sched_yield() between attempts, in which a thread
 * may be delayed, not cancelled. A limit to the time or number of attempts is no wait: load, and be
 * judged for each load. The same goes for a predicate that is neither of the above.
 */

#ifndef RSAN_H
#error "include rsan.h"
#endif
#ifndef RSAN_OPERATIONS_H
#define RSAN_OPERATIONS_H

#ifdef __cplusplus
#include <atomic>
#include <type_traits>
extern "C" {
#endif

typedef uint8_t __attribute__((may_alias)) rsan_uint8_;
typedef uint16_t __attribute__((may_alias)) rsan_uint16_;
typedef uint32_t __attribute__((may_alias)) rsan_uint32_;
typedef uint64_t __attribute__((may_alias)) rsan_uint64_;

/* The value serves nothing but the condition, or is given by it. */
#define RSAN_ALONE_ 16

/* GCC without optimisation warns of the branches for other sizes. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

RSAN_INLINE_ uint64_t rsan_get_(const volatile void *p, unsigned size) {
  switch (size) {
  case 1:
    return *(const volatile rsan_uint8_ *)p;
  case 2:
    return *(const volatile rsan_uint16_ *)p;
  case 4:
    return *(const volatile rsan_uint32_ *)p;
  default:
    return *(const volatile rsan_uint64_ *)p;
  }
}

RSAN_INLINE_ uint64_t rsan_cut_(uint64_t value, unsigned size) {
  return size < 8 ? value & ((UINT64_C(1) << 8 * size) - 1) : value;
}

/* Two's complement as unsigned: the order of the numbers stays. */
RSAN_INLINE_ uint64_t rsan_bias_(uint64_t value, unsigned size) {
  return rsan_cut_(value + (UINT64_C(1) << (8 * size - 1)), size);
}

RSAN_INLINE_ bool rsan_compare_(uint64_t a, int relation, uint64_t b) {
  switch (relation) {
  case RSAN_EQ:
    return a == b;
  case RSAN_NE:
    return a != b;
  case RSAN_LT_U:
    return a < b;
  case RSAN_LE_U:
    return a <= b;
  case RSAN_GT_U:
    return a > b;
  default:
    return a >= b;
  }
}

RSAN_INLINE_ bool rsan_holds_(uint64_t value, unsigned size, int relation, uint64_t mask,
                              uint64_t operand) {
  uint64_t bits = rsan_cut_(mask, size);
  uint64_t a = bits ? value & bits : value, b = rsan_cut_(operand, size);
  if (relation < RSAN_LT_S)
    return rsan_compare_(a, relation, b);
  return rsan_compare_(rsan_bias_(a, size), relation - RSAN_LT_S + RSAN_LT_U, rsan_bias_(b, size));
}

RSAN_INLINE_ void rsan_relax_(void) {
#if defined(__SANITIZE_ROBUSTNESS__)
  sched_yield();
#elif defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* One attempt of a wait. */
RSAN_INLINE_ uint64_t rsan_attempt_(const volatile void *p, unsigned size, int relation,
                                    uint64_t mask, uint64_t operand, int order) {
#ifdef __SANITIZE_ROBUSTNESS__
#define RSAN_LOAD_(bits)                                                                           \
  __rsan_atomic##bits##_wait_load(p, order, relation, (uint##bits##_t)mask, (uint##bits##_t)operand)
#else
#define RSAN_LOAD_(bits) __atomic_load_n((const volatile rsan_uint##bits##_ *)p, order)
  (void)relation, (void)mask, (void)operand;
#endif
  switch (size) {
  case 1:
    return RSAN_LOAD_(8);
  case 2:
    return RSAN_LOAD_(16);
  case 4:
    return RSAN_LOAD_(32);
  default:
    return RSAN_LOAD_(64);
  }
#undef RSAN_LOAD_
}

RSAN_INLINE_ uint64_t rsan_wait_(const volatile void *p, unsigned size, int relation, uint64_t mask,
                                 uint64_t operand, int order) {
  for (;;) {
    uint64_t found = rsan_attempt_(p, size, relation, mask, operand, order);
    if (rsan_holds_(found, size, relation & ~RSAN_ALONE_, mask, operand))
      return found;
    rsan_relax_();
  }
}

RSAN_INLINE_ bool rsan_attempt_equal_(const volatile void *p, unsigned size, uint64_t value,
                                      int order) {
  return rsan_attempt_(p, size, RSAN_EQ | RSAN_ALONE_, 0, value, order) == value;
}

/* The value, unseen by the analysis. */
RSAN_INLINE_ uint64_t rsan_peek_(const volatile void *p, unsigned size) {
#ifdef __SANITIZE_ROBUSTNESS__
#define RSAN_PEEK_(bits) __rsan_atomic##bits##_peek(p)
#else
#define RSAN_PEEK_(bits) __atomic_load_n((const volatile rsan_uint##bits##_ *)p, __ATOMIC_RELAXED)
#endif
  switch (size) {
  case 1:
    return RSAN_PEEK_(8);
  case 2:
    return RSAN_PEEK_(16);
  case 4:
    return RSAN_PEEK_(32);
  default:
    return RSAN_PEEK_(64);
  }
#undef RSAN_PEEK_
}

/* A stale version satisfies 'one of these' if it satisfies one of the equalities. So each of them
 * is asked: first those that will not be met, by attempts that have no effect, and last the one
 * that will. All are attempts of one wait, at one place of the program. */
RSAN_INLINE_ uint64_t rsan_wait_any_(const volatile void *p, unsigned size, const void *values,
                                     unsigned long count, int order) {
  for (;;) {
    uint64_t now = rsan_peek_(p, size);
    bool met = false;
    for (unsigned long i = 0; i < count; i++) {
      uint64_t value = rsan_get_((const char *)values + i * size, size);
      if (value == now)
        met = true;
      else if (rsan_attempt_equal_(p, size, value, order))
        return value;
    }
    if (met && rsan_attempt_equal_(p, size, now, order))
      return now;
    rsan_relax_();
  }
}

/* One attempt of a blocking compare-and-swap; returns what was found. */
RSAN_INLINE_ uint64_t rsan_attempt_bcas_(volatile void *p, unsigned size, uint64_t expected,
                                         uint64_t desired, int order) {
#ifdef __SANITIZE_ROBUSTNESS__
  /* The fence of a seq_cst access comes before the check of an attempt that fails, too. */
  int failure = order == __ATOMIC_SEQ_CST ? __ATOMIC_SEQ_CST : __ATOMIC_RELAXED;
#define RSAN_SWAP_(bits)                                                                           \
  return __rsan_atomic##bits##_wait_compare_exchange(p, (uint##bits##_t)expected,                  \
                                                     (uint##bits##_t)desired, order, failure)
#else
#define RSAN_SWAP_(bits)                                                                           \
  do {                                                                                             \
    uint##bits##_t found = (uint##bits##_t)expected;                                               \
    __atomic_compare_exchange_n((volatile rsan_uint##bits##_ *)p, &found, (uint##bits##_t)desired, \
                                0, order, __ATOMIC_RELAXED);                                       \
    return found;                                                                                  \
  } while (0)
#endif
  switch (size) {
  case 1:
    RSAN_SWAP_(8);
  case 2:
    RSAN_SWAP_(16);
  case 4:
    RSAN_SWAP_(32);
  default:
    RSAN_SWAP_(64);
  }
#undef RSAN_SWAP_
}

RSAN_INLINE_ void rsan_bcas_(volatile void *p, unsigned size, uint64_t expected, uint64_t desired,
                             int order) {
  uint64_t wanted = rsan_cut_(expected, size);
  while (rsan_attempt_bcas_(p, size, wanted, desired, order) != wanted)
    rsan_relax_();
}

RSAN_INLINE_ void rsan_track_(const volatile void *p, unsigned size, uint64_t value) {
#ifdef __SANITIZE_ROBUSTNESS__
  __rsan_track(p, size, rsan_cut_(value, size));
#else
  (void)p, (void)size, (void)value;
#endif
}

RSAN_INLINE_ bool rsan_strong_cas_(volatile void *p, unsigned size, void *expected,
                                   uint64_t desired, int success, int failure) {
#define RSAN_SWAP_(bits)                                                                           \
  __atomic_compare_exchange_n((volatile rsan_uint##bits##_ *)p, (rsan_uint##bits##_ *)expected,    \
                              (uint##bits##_t)desired, 0, success, failure)
  switch (size) {
  case 1:
    return RSAN_SWAP_(8);
  case 2:
    return RSAN_SWAP_(16);
  case 4:
    return RSAN_SWAP_(32);
  default:
    return RSAN_SWAP_(64);
  }
#undef RSAN_SWAP_
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
} /* extern "C" */

namespace rsan {

/* Type of the value of an atomic object. */
template <class Object> Object plain_(Object *, long);
template <class T> T plain_(std::atomic<T> *, int);
#ifdef __clang__
template <class Object> auto plain_(Object *p, int) -> decltype(__c11_atomic_load(p, 0));
#endif
template <class Object>
using value = decltype(plain_((typename std::remove_cv<Object>::type *)nullptr, 0));

template <class Object> constexpr unsigned size_() {
  static_assert(std::is_integral<value<Object>>::value || std::is_enum<value<Object>>::value ||
                    std::is_pointer<value<Object>>::value,
                "RSan: not an atomic integer, bool, enum or pointer");
  static_assert(sizeof(Object) == sizeof(value<Object>) &&
                    (sizeof(Object) == 1 || sizeof(Object) == 2 || sizeof(Object) == 4 ||
                     sizeof(Object) == 8),
                "RSan: not an atomic object of 1, 2, 4 or 8 bytes");
  return sizeof(Object);
}

template <class T> inline __attribute__((always_inline)) uint64_t bits_(T value) {
  return (uint64_t)(uintptr_t)value;
}

/* A benign region that lasts as long as the object, in the thread that made it. */
class benign_region {
public:
  benign_region() { rsan_benign_begin(); }
  ~benign_region() { rsan_benign_end(); }
  benign_region(const benign_region &) = delete;
  benign_region &operator=(const benign_region &) = delete;
};

} // namespace rsan

#define RSAN_TEMPLATE_ template <class Object, class Order> RSAN_INLINE_

RSAN_TEMPLATE_ void rsan_wait(const volatile Object *p, rsan::value<Object> value, Order order) {
  rsan_wait_(p, rsan::size_<Object>(), RSAN_EQ | RSAN_ALONE_, 0, rsan::bits_(value), (int)order);
}

RSAN_TEMPLATE_ void rsan_wait_until(const volatile Object *p, rsan_relation_kind relation,
                                    uint64_t mask, rsan::value<Object> operand, Order order) {
  rsan_wait_(p, rsan::size_<Object>(), relation | RSAN_ALONE_, mask, rsan::bits_(operand),
             (int)order);
}

RSAN_TEMPLATE_ rsan::value<Object> rsan_wait_value(const volatile Object *p,
                                                   rsan_relation_kind relation, uint64_t mask,
                                                   rsan::value<Object> operand, Order order) {
  return (rsan::value<Object>)(uintptr_t)rsan_wait_(p, rsan::size_<Object>(), relation, mask,
                                                    rsan::bits_(operand), (int)order);
}

RSAN_TEMPLATE_ rsan::value<Object> rsan_wait_any(const volatile Object *p,
                                                 const rsan::value<Object> *values,
                                                 unsigned long count, Order order) {
  return (rsan::value<Object>)(uintptr_t)rsan_wait_any_(p, rsan::size_<Object>(), values, count,
                                                        (int)order);
}

RSAN_TEMPLATE_ void rsan_bcas(volatile Object *p, rsan::value<Object> expected,
                              rsan::value<Object> desired, Order order) {
  rsan_bcas_(p, rsan::size_<Object>(), rsan::bits_(expected), rsan::bits_(desired), (int)order);
}

RSAN_TEMPLATE_ bool rsan_strong_cas(volatile Object *p, rsan::value<Object> *expected,
                                    rsan::value<Object> desired, Order success, Order failure) {
  return rsan_strong_cas_(p, rsan::size_<Object>(), expected, rsan::bits_(desired), (int)success,
                          (int)failure);
}

template <class Object>
RSAN_INLINE_ void rsan_track(const volatile Object *p, rsan::value<Object> value) {
  rsan_track_(p, rsan::size_<Object>(), rsan::bits_(value));
}

#else

/* The comma takes the atomic off the type. */
#define RSAN_TYPE_(p) __typeof__((void)0, *(p))

/* The size, where the object is one that it can be. (A floating-point value would be converted.) */
#define RSAN_SIZE_(p)                                                                              \
  ((unsigned)(sizeof(*(p)) +                                                                       \
              0 * sizeof(struct {                                                                  \
                int unused;                                                                        \
                _Static_assert(sizeof(*(p)) == 1 || sizeof(*(p)) == 2 || sizeof(*(p)) == 4 ||      \
                                   sizeof(*(p)) == 8,                                              \
                               "RSan: not an atomic object of 1, 2, 4 or 8 bytes");                \
                _Static_assert(_Generic((RSAN_TYPE_(p) *)0, float *: 0, double *: 0, default: 1),  \
                               "RSan: not an atomic integer, bool, enum or pointer");              \
              })))

/* Converted to the object's type first: -1 for an unsigned object is its greatest value. */
#define RSAN_BITS_(p, value) ((uint64_t)(uintptr_t)(RSAN_TYPE_(p)){value})

#define rsan_wait(p, value, order)                                                                 \
  ((void)rsan_wait_((p), RSAN_SIZE_(p), RSAN_EQ | RSAN_ALONE_, 0, RSAN_BITS_(p, value), (order)))
#define rsan_wait_until(p, relation, mask, operand, order)                                         \
  ((void)rsan_wait_((p), RSAN_SIZE_(p), (int)(relation) | RSAN_ALONE_, (mask),                     \
                    RSAN_BITS_(p, operand), (order)))
/* (A statement expression may be of no use without a warning.) */
#define rsan_wait_value(p, relation, mask, operand, order)                                         \
  __extension__({                                                                                  \
    (RSAN_TYPE_(p))(uintptr_t)                                                                     \
        rsan_wait_((p), RSAN_SIZE_(p), (int)(relation), (mask), RSAN_BITS_(p, operand), (order));  \
  })
#define rsan_wait_any(p, values, count, order)                                                     \
  __extension__({                                                                                  \
    (RSAN_TYPE_(p))(uintptr_t)                                                                     \
        rsan_wait_any_((p), RSAN_SIZE_(p), (const RSAN_TYPE_(p) *){values}, (count), (order));     \
  })
#define rsan_bcas(p, expected, desired, order)                                                     \
  rsan_bcas_((p), RSAN_SIZE_(p), RSAN_BITS_(p, expected), RSAN_BITS_(p, desired), (order))
#define rsan_strong_cas(p, expected, desired, success, failure)                                    \
  rsan_strong_cas_((p), RSAN_SIZE_(p), (RSAN_TYPE_(p) *){expected}, RSAN_BITS_(p, desired),        \
                   (success), (failure))
#define rsan_track(p, value) rsan_track_((p), RSAN_SIZE_(p), RSAN_BITS_(p, value))

#endif

#endif
