/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RSan's interface to the programs it checks, for C11 and C++11 and up, by clang or GCC.
 *
 * Where the program is not compiled with -fsanitize=robustness (the compiler then does not define
 * __SANITIZE_ROBUSTNESS__), the operations below are what C11 has for them and the rest is nothing.
 *
 * How to read the signatures:
 *   p         points to an atomic object: _Atomic, std::atomic, or a plain one that is accessed by
 *             __atomic builtins. Integer, bool, enum or pointer of 1, 2, 4 or 8 bytes, aligned to
 *             its size; others do not compile. Must not be null.
 *   order     a memory_order (C, C++) or one of __ATOMIC_RELAXED etc.
 * Arguments are evaluated once. Nothing here fails or sets errno. Every function may be called from
 * any thread at any time, signal handlers included, if not said otherwise.
 *
 * examples/annotations.c and examples/annotations.cpp use all of it.
 */

#ifndef RSAN_H
#define RSAN_H

#ifndef __cplusplus
#include <stdbool.h>
#endif
#include <stdint.h>
#ifdef __SANITIZE_ROBUSTNESS__
#include <sched.h>
#endif

/* What a wait asks of the value found: (value & mask) relation operand. U: unsigned; S: two's
 * complement of the object's size. Pointers compare as unsigned numbers. */
enum rsan_relation_kind {
  RSAN_EQ,
  RSAN_NE,
  RSAN_LT_U,
  RSAN_LE_U,
  RSAN_GT_U,
  RSAN_GE_U,
  RSAN_LT_S,
  RSAN_LE_S,
  RSAN_GT_S,
  RSAN_GE_S
};

/* For functions that are called by the runtime, see RSAN_ON_VIOLATION. */
#if defined(__SANITIZE_ROBUSTNESS__) && defined(__clang__)
#define RSAN_UNINSTRUMENTED __attribute__((disable_sanitizer_instrumentation))
#elif defined(__SANITIZE_ROBUSTNESS__)
#define RSAN_UNINSTRUMENTED __attribute__((no_sanitize("thread")))
#else
#define RSAN_UNINSTRUMENTED
#endif

/* A function attribute: what the function does, and all that it calls, is not judged, as in a
 * benign region. (no_sanitize("robustness") is for the atomic operations that are written in the
 * function itself; the waits of this header are judged there as well.) GCC has no such attribute,
 * so there it has no effect: write RSAN_BENIGN_SCOPE() into the function. */
#if defined(__SANITIZE_ROBUSTNESS__) && defined(__clang__)
#define RSAN_IGNORE __attribute__((annotate("rsan_ignore")))
#else
#define RSAN_IGNORE
#endif

/* A function attribute: what the function accesses, its callers have asked for, and reports name
 * them. For functions of several accesses; those that only pass on one are found. It has
 * no effect in programs of GCC: list such functions in the file that the option wrappers= names. */
#if defined(__SANITIZE_ROBUSTNESS__) && defined(__clang__)
#define RSAN_WRAPPER __attribute__((annotate("rsan_wrapper")))
#else
#define RSAN_WRAPPER
#endif

/* Names that end in an underscore are not for use. No debug information: a report shows the line
 * of the program that calls. */
#ifdef __clang__
#define RSAN_INLINE_ static inline __attribute__((always_inline, nodebug, unused))
#else
#define RSAN_INLINE_ static inline __attribute__((always_inline, unused))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One violation, as a callback gets it. */
enum { RSAN_STACK_FRAMES = 16 };
struct rsan_violation_access {
  const void *address;            /* first byte */
  int size;                       /* bytes, 1 to 16 */
  bool writes;                    /* a write or read-modify-write */
  int thread;                     /* as T1, T2 in reports; main thread 0; unknown -1 */
  void *stack[RSAN_STACK_FRAMES]; /* code addresses, innermost first; null behind the last */
};
struct rsan_violation_report {
  struct rsan_violation_access access; /* the one that is flagged */
  struct rsan_violation_access missed; /* the write that it may miss */
};

#ifdef __SANITIZE_ROBUSTNESS__

/* The first attempt of a wait is not copied out of its loop: reports of it are one. */
#ifdef __clang__
#define RSAN_ONE_PLACE_ __attribute__((convergent))
#else
#define RSAN_ONE_PLACE_
#endif
RSAN_ONE_PLACE_ uint8_t __rsan_atomic8_wait_load(const volatile void *, int, int, uint8_t, uint8_t);
RSAN_ONE_PLACE_ uint16_t __rsan_atomic16_wait_load(const volatile void *, int, int, uint16_t,
                                                   uint16_t);
RSAN_ONE_PLACE_ uint32_t __rsan_atomic32_wait_load(const volatile void *, int, int, uint32_t,
                                                   uint32_t);
RSAN_ONE_PLACE_ uint64_t __rsan_atomic64_wait_load(const volatile void *, int, int, uint64_t,
                                                   uint64_t);
RSAN_ONE_PLACE_ uint8_t __rsan_atomic8_wait_compare_exchange(volatile void *, uint8_t, uint8_t, int,
                                                             int);
RSAN_ONE_PLACE_ uint16_t __rsan_atomic16_wait_compare_exchange(volatile void *, uint16_t, uint16_t,
                                                               int, int);
RSAN_ONE_PLACE_ uint32_t __rsan_atomic32_wait_compare_exchange(volatile void *, uint32_t, uint32_t,
                                                               int, int);
RSAN_ONE_PLACE_ uint64_t __rsan_atomic64_wait_compare_exchange(volatile void *, uint64_t, uint64_t,
                                                               int, int);
uint8_t __rsan_atomic8_peek(const volatile void *);
uint16_t __rsan_atomic16_peek(const volatile void *);
uint32_t __rsan_atomic32_peek(const volatile void *);
uint64_t __rsan_atomic64_peek(const volatile void *);
void __rsan_track(const volatile void *, unsigned size, uint64_t value);
void __rsan_ignore_begin(void);
void __rsan_ignore_end(void);
/* Weak: missing where the program is linked without RSan's runtime. */
__attribute__((weak)) unsigned long __rsan_violation_count(void);
__attribute__((weak)) void __rsan_test_begin(const char *name);
__attribute__((weak)) void __rsan_test_end(void);
__attribute__((weak)) void __rsan_test_arguments(const char *const *added,
                                                 const char *const *dropped);
__attribute__((weak)) void __rsan_test_failed(const char *message);
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void __tsan_on_report(void *report);
int __tsan_get_report_data(void *report, const char **description, int *count, int *stacks,
                           int *accesses, int *locations, int *mutexes, int *threads, int *tids,
                           void **sleep_trace, unsigned long trace_size);
int __tsan_get_report_mop(void *report, unsigned long i, int *tid, void **addr, int *size,
                          int *write, int *atomic, void **trace, unsigned long trace_size);

#define RSAN_CALL_(name) __rsan_##name()

#else

#define RSAN_CALL_(name) ((void)0)

#endif

/* Is the code that calls compiled with -fsanitize=robustness, and is the runtime linked? False
 * where either is missing, so that a build without the sanitizer is not taken for a silent one. In
 * a shared library: of that library's code. */
RSAN_INLINE_ bool rsan_check_instrumented(void) {
#ifdef __SANITIZE_ROBUSTNESS__
  return __rsan_violation_count != 0;
#else
  return false;
#endif
}

/* Number of atomic accesses flagged so far in this process, before de-duplication and suppressions:
 * 0 or more, never falls. Always 0 without the sanitizer. */
RSAN_INLINE_ unsigned long rsan_violation_count(void) {
#ifdef __SANITIZE_ROBUSTNESS__
  return __rsan_violation_count ? __rsan_violation_count() : 0;
#else
  return 0;
#endif
}

/* Says that the process runs this test until the next call of rsan_test_begin or rsan_test_end.
 * Reports and records name it. At most 255 bytes of the name are copied. Do not call these
 * functions in signal handlers. The files in share/rsan/glue call them for test frameworks. */
RSAN_INLINE_ void rsan_test_begin(const char *name) {
#ifdef __SANITIZE_ROBUSTNESS__
  if (__rsan_test_begin)
    __rsan_test_begin(name);
#else
  (void)name;
#endif
}
RSAN_INLINE_ void rsan_test_end(void) {
#ifdef __SANITIZE_ROBUSTNESS__
  if (__rsan_test_end)
    __rsan_test_end();
#endif
}

/* Says which arguments make the program run the current test alone. Reports print that command: the
 * program's arguments without those in `dropped`, and then `added`. NULL ends a list; a list may be
 * NULL. */
RSAN_INLINE_ void rsan_test_arguments(const char *const *added, const char *const *dropped) {
#ifdef __SANITIZE_ROBUSTNESS__
  if (__rsan_test_arguments)
    __rsan_test_arguments(added, dropped);
#else
  (void)added, (void)dropped;
#endif
}

/* Says that the current test has failed. With per_test=1 the runtime reports it, with MESSAGE
 * unless that is NULL. Otherwise the call does nothing. */
RSAN_INLINE_ void rsan_test_failed(const char *message) {
#ifdef __SANITIZE_ROBUSTNESS__
  if (__rsan_test_failed)
    __rsan_test_failed(message);
#else
  (void)message;
#endif
}

/* Benign regions: between the two, atomic accesses of the calling thread are executed and not
 * judged, and count as acquire and release: what they order is never reported, here or elsewhere.
 * Data races are reported as ever. Regions nest; every begin needs its end, in the same thread, and
 * without one of its own an end leaves the thread unjudged for good. */
RSAN_INLINE_ void rsan_benign_begin(void) {
  RSAN_CALL_(ignore_begin);
}
RSAN_INLINE_ void rsan_benign_end(void) {
  RSAN_CALL_(ignore_end);
}
#define RSAN_BENIGN_BEGIN() rsan_benign_begin()
#define RSAN_BENIGN_END()   rsan_benign_end()

/* The same up to the end of the enclosing block, whichever way it is left but longjmp. At most one
 * in a block. In C++: rsan::benign_region. */
RSAN_INLINE_ void rsan_benign_leave_(const char *unused) {
  (void)unused;
  rsan_benign_end();
}
#define RSAN_BENIGN_SCOPE()                                                                        \
  const char rsan_benign_scope_ __attribute__((cleanup(rsan_benign_leave_), unused)) =             \
      (rsan_benign_begin(), 0)

/* Synchronisation that RSan cannot see: inline assembly, devices, code that is not instrumented.
 * Whatever comes before rsan_happens_before(address) happens before what follows
 * rsan_happens_after(address) in any thread that calls it later. `address` only names the pair: any
 * non-null address that is alive as long as it is used, best the address of the object that
 * synchronises. Call the one before the real release and the other after the real acquire. A pair
 * that the program does not have hides violations and data races. */
RSAN_INLINE_ void rsan_happens_before(const volatile void *address) {
#ifdef __SANITIZE_ROBUSTNESS__
  __tsan_release((void *)(uintptr_t)address);
#else
  (void)address;
#endif
}
RSAN_INLINE_ void rsan_happens_after(const volatile void *address) {
#ifdef __SANITIZE_ROBUSTNESS__
  __tsan_acquire((void *)(uintptr_t)address);
#else
  (void)address;
#endif
}

#ifdef __SANITIZE_ROBUSTNESS__

RSAN_UNINSTRUMENTED static inline __attribute__((unused)) bool
rsan_describe_access_(void *report, unsigned long i, struct rsan_violation_access *access) {
  int writes = 0, atomic;
  void *address = 0;
  for (int frame = 0; frame < RSAN_STACK_FRAMES; frame++)
    access->stack[frame] = 0;
  if (!__tsan_get_report_mop(report, i, &access->thread, &address, &access->size, &writes, &atomic,
                             access->stack, RSAN_STACK_FRAMES))
    return false;
  access->address = address;
  access->writes = writes != 0;
  return true;
}

/* Returns whether it is a violation: other reports come here, too. */
RSAN_UNINSTRUMENTED static inline __attribute__((unused)) bool
rsan_describe_(void *report, struct rsan_violation_report *violation) {
  static const char wanted[] = "robustness-violation";
  const char *description = 0;
  int count, stacks, accesses = 0, locations, mutexes, threads, tids;
  void *sleep[1];
  __tsan_get_report_data(report, &description, &count, &stacks, &accesses, &locations, &mutexes,
                         &threads, &tids, sleep, 0);
  for (unsigned i = 0; i < sizeof wanted; i++)
    if (!description || description[i] != wanted[i])
      return false;
  return accesses >= 2 && rsan_describe_access_(report, 0, &violation->access) &&
         rsan_describe_access_(report, 1, &violation->missed);
}

/* RSAN_ON_VIOLATION(f), at file scope and once in a program (C++: outside of namespaces), has
 *   void f(const struct rsan_violation_report *violation)
 * called for each report of a violation, after its text: once for a pair of places, not for what is
 * suppressed, not for data races. The violation is gone when f returns. One call at a time, in the
 * thread that made the access, with locks of the runtime held: f may use neither atomics, locks and
 * threads nor anything that waits for another thread, and has to be RSAN_UNINSTRUMENTED. It defines
 * __tsan_on_report: a program that has one already does not link. */
#define RSAN_ON_VIOLATION(f)                                                                       \
  RSAN_EXTERN_C_ RSAN_UNINSTRUMENTED __attribute__((visibility("default"))) void __tsan_on_report( \
      void *report) {                                                                              \
    struct rsan_violation_report violation;                                                        \
    if (rsan_describe_(report, &violation))                                                        \
      f(&violation);                                                                               \
  }                                                                                                \
  RSAN_EXTERN_C_ void __tsan_on_report(void *report)

#else

#define RSAN_ON_VIOLATION(f)                                                                       \
  RSAN_INLINE_ void rsan_no_violation_(const struct rsan_violation_report *violation) {            \
    f(violation);                                                                                  \
  }                                                                                                \
  struct rsan_violation_report

#endif

#ifdef __cplusplus
}
#define RSAN_EXTERN_C_ extern "C"
#else
#define RSAN_EXTERN_C_
#endif

#include "rsan_check.h"
#include "rsan_operations.h"

#endif
