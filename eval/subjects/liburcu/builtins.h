/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What liburcu makes of volatile accesses and inline assembly on x86-64, by the compiler's
 * builtins, which a sanitizer sees: its own atomics for processors that it does not know
 * (urcu/uatomic/generic.h), shared loads and stores that are atomic and relaxed, and barriers that
 * are fences. Later versions than Debian's have this as --enable-compiler-atomic-builtins.
 */
#ifndef RSAN_EVAL_LIBURCU_BUILTINS_H
#define RSAN_EVAL_LIBURCU_BUILTINS_H

/* In place of the headers with these guards. */
#define _URCU_ARCH_X86_H
#define _URCU_SYSTEM_H
#define _URCU_ARCH_UATOMIC_X86_H

#include <sched.h>
#include <stdint.h>

#include <urcu/compiler.h>

#define CAA_CACHE_LINE_SIZE 128
#define caa_cpu_relax()     sched_yield() /* waits give way */
#define cmm_mb()            __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define cmm_rmb()           __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define cmm_wmb()           __atomic_thread_fence(__ATOMIC_RELEASE)

#include <urcu/arch/generic.h>

#define _CMM_LOAD_SHARED(p)     __atomic_load_n(&(p), __ATOMIC_RELAXED)
#define CMM_LOAD_SHARED(p)      _CMM_LOAD_SHARED(p)
#define _CMM_STORE_SHARED(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define CMM_STORE_SHARED(x, v)  _CMM_STORE_SHARED(x, v)

#include <urcu/uatomic/generic.h>

#endif
