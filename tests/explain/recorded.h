// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a program write down its own run: included before anything else (-include), it puts each
// atomic access, mutex, creation and join between two calls of program_recorder.c, of which the
// first takes a lock and the second writes the event down and lets go. So the record has the order
// of the run. The accesses are the program's own, at their places: RSan sees them as ever, and
// neither the lock nor the calls, which are not instrumented.
//
// An access's arguments are evaluated before the lock is taken: they may be accesses themselves.

#ifndef RSAN_TESTS_EXPLAIN_RECORDED_H
#define RSAN_TESTS_EXPLAIN_RECORDED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // it comes before the program's own
#endif

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

void record_begin(void);
void record_end(const char *kind, const volatile void *object, unsigned size, int order,
                uint64_t read, uint64_t written);
int record_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                  void *argument);
int record_join(pthread_t thread, void **result);
int record_lock(pthread_mutex_t *mutex);
int record_unlock(pthread_mutex_t *mutex);
int record_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end);

#undef atomic_load_explicit
#undef atomic_load
#undef atomic_store_explicit
#undef atomic_store
#undef atomic_exchange_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_compare_exchange_strong_explicit

// clang-format off
#define atomic_load_explicit(p, o) __extension__({ \
    __typeof__(p) at_ = (p); \
    record_begin(); \
    __typeof__(__c11_atomic_load(at_, o)) v_ = __c11_atomic_load(at_, o); \
    record_end("read", at_, sizeof *at_, o, (uint64_t)v_, 0); \
    v_; })

#define atomic_store_explicit(p, v, o) __extension__({ \
    __typeof__(p) at_ = (p); \
    __typeof__(__c11_atomic_load(at_, memory_order_relaxed)) v_ = (v); \
    record_begin(); \
    __c11_atomic_store(at_, v_, o); \
    record_end("write", at_, sizeof *at_, o, 0, (uint64_t)v_); })

#define RECORD_RMW(operation, p, v, o, result) __extension__({ \
    __typeof__(p) at_ = (p); \
    __typeof__(v) v_ = (v); \
    record_begin(); \
    __typeof__(__c11_atomic_load(at_, memory_order_relaxed)) old_ = operation(at_, v_, o); \
    record_end("read-modify-write", at_, sizeof *at_, o, (uint64_t)old_, (uint64_t)(result)); \
    old_; })
#define atomic_exchange_explicit(p, v, o) RECORD_RMW(__c11_atomic_exchange, p, v, o, v_)
#define atomic_fetch_add_explicit(p, v, o) \
  RECORD_RMW(__c11_atomic_fetch_add, p, v, o, old_ + (__typeof__(old_))v_)
#define atomic_fetch_sub_explicit(p, v, o) \
  RECORD_RMW(__c11_atomic_fetch_sub, p, v, o, old_ - (__typeof__(old_))v_)

#define atomic_compare_exchange_strong_explicit(p, c, v, o, f) __extension__({ \
    __typeof__(p) at_ = (p); \
    __typeof__(c) c_ = (c); \
    __typeof__(*c_) v_ = (v); \
    record_begin(); \
    _Bool done_ = __c11_atomic_compare_exchange_strong(at_, c_, v_, o, f); \
    record_end(done_ ? "compare-exchange" : "failed compare-exchange", at_, sizeof *at_, \
               done_ ? o : f, (uint64_t)*c_, (uint64_t)v_); \
    done_; })
// clang-format on

#define atomic_load(p)     atomic_load_explicit(p, memory_order_seq_cst)
#define atomic_store(p, v) atomic_store_explicit(p, v, memory_order_seq_cst)

#ifndef RECORDER
#define pthread_create         record_create
#define pthread_join           record_join
#define pthread_mutex_lock     record_lock
#define pthread_mutex_unlock   record_unlock
#define pthread_cond_timedwait record_timedwait
#endif

#endif
