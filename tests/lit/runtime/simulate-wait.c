// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulated repairs at what is more than one call of the runtime: a wait, whose attempts are one
// operation with one fence before it and one after it; read-modify-writes that the processor has no
// operation for; accesses of 16 bytes; compare-exchange of all kinds.
//
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %build -mcx16 -I%source_dir/include %s -o %t
// RUN: printf 'fence-before simulate-wait.c:107\n' > before
// RUN: printf 'fence-after simulate-wait.c:107\n' > after
//
// Store buffering, of which one half has its fence, and the other ends in a wait. The wait is
// blocked many times, and has one fence: the one before it repairs the program, the one after it
// does not.
// RUN: %exits 66 %t wait 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1:simulate=before %t wait 2>&1 | FileCheck %s --check-prefix=FENCES -DN=1
// RUN: env RSAN_OPTIONS=stats=1:simulate=after %exits 66 %t wait 2>&1 | FileCheck %s --check-prefixes=CHECK,FENCES -DN=1
// RUN: %exits 66 %t bcas 2>&1 | FileCheck %s
// RUN: printf 'fence-before simulate-wait.c:111\n' > before-bcas
// RUN: env RSAN_OPTIONS=stats=1:simulate=before-bcas %t bcas 2>&1 | FileCheck %s --check-prefix=FENCES -DN=1
// RUN: printf 'fence-before simulate-wait.c:115\n' > before-lock
// RUN: %exits 66 %t lock 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1:simulate=before-lock %t lock 2>&1 | FileCheck %s --check-prefix=FENCES -DN=1
//
// Those that are judged once.
// RUN: printf 'fence-before simulate-wait.c:121\n' > before-max
// RUN: %exits 66 %t max 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1:simulate=before-max %t max 2>&1 | FileCheck %s --check-prefix=FENCES -DN=1
// RUN: printf 'fence-before simulate-wait.c:125\n' > before-weak
// RUN: %exits 66 %t weak 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1:simulate=before-weak %t weak 2>&1 | FileCheck %s --check-prefix=FENCES -DN=1
// RUN: printf 'fence-before simulate-wait.c:129\n' > before-wide
// RUN: %exits 66 %t wide 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1:simulate=before-wide %t wide 2>&1 | FileCheck %s --check-prefix=FENCES -DN=1
//
// The order of a compare-exchange is that of both its ways out, as far as a load can have it.
// RUN: %exits 66 %t message 2>&1 | FileCheck %s
// RUN: printf 'order acq_rel simulate-wait.c:125\n' > acquire-weak
// RUN: env RSAN_OPTIONS=stats=1:simulate=acquire-weak %t message 2>&1 | FileCheck %s --check-prefix=ORDERS -DN=1
// RUN: printf 'order release simulate-wait.c:125\n' > release-weak
// RUN: env RSAN_OPTIONS=stats=1:simulate=release-weak %exits 66 %t message 2>&1 | FileCheck %s --check-prefixes=CHECK,ORDERS -DN=1
// RUN: printf 'order seq_cst simulate-wait.c:125\n' > sc-weak
// RUN: env RSAN_OPTIONS=seq_cst=fence:stats=1:simulate=sc-weak %t weak 2>&1 | FileCheck %s --check-prefix=ORDERS -DN=1
// RUN: env RSAN_OPTIONS=history=exact:stats=1:simulate=sc-weak %exits 66 %t weak 2>&1 | FileCheck %s --check-prefixes=CHECK,ORDERS -DN=1
//
// CHECK: WARNING: ThreadSanitizer: robustness violation
// FENCES: unmatched 0 {{[a-z]+ .*}}
// FENCES-NEXT: simulated_fences [[N]] {{[a-z]+ .*}}
// FENCES-NEXT: simulated_orders 0 {{[a-z]+ .*}}
// ORDERS: simulated_fences 0 {{[a-z]+ .*}}
// ORDERS-NEXT: simulated_orders [[N]] {{[a-z]+ .*}}

#include "access.h"
#include "turns.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rsan.h"

enum { ATTEMPTS = 100 };
static unsigned __int128 wide;
static int x, y, attempts;
static __thread int waits;
static const char *what;

static int is(const char *word) {
  return strcmp(what, word) == 0;
}

// Called between attempts, and by threads that await their turn.
UNSEEN int sched_yield(void) {
  if (waits)
    __atomic_fetch_add(&attempts, 1, __ATOMIC_RELAXED);
  return (int)syscall(SYS_sched_yield);
}

static void one(void) {
  if (is("message")) {
    STORE(y, 1);
    __atomic_store_n(&x, 1, __ATOMIC_RELEASE);
    return;
  }
  if (is("wide"))
    STORE(wide, 1);
  else
    STORE(x, 1);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  LOAD(y);
}

#line 106
static void await(void) {
  rsan_wait(&x, 0, __ATOMIC_RELAXED);
}

static void await_and_take(void) {
  rsan_bcas(&x, 0, 1, __ATOMIC_RELAXED);
}

static void take(void) {
  while (EXCHANGE(x, 1) != 0)
    sched_yield();
}

// With x == 1.
static void maximum(void) {
  __atomic_fetch_max(&x, 2, __ATOMIC_RELAXED);
}
static void weak(void) {
  int expected = 0;
  __atomic_compare_exchange_n(&x, &expected, 7, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void wide_exchange(void) {
  EXCHANGE(wide, 7);
}

static void other(void) {
  if (is("message")) {
    weak();
    LOAD(y);
    return;
  }
  STORE(y, 1);
  waits = 1;
  if (is("wait"))
    await();
  if (is("bcas"))
    await_and_take();
  if (is("lock"))
    take();
  waits = 0;
  if (is("max"))
    maximum();
  if (is("weak"))
    weak();
  if (is("wide"))
    wide_exchange();
}

UNSEEN static void await_attempts(void) {
  while (__atomic_load_n(&attempts, __ATOMIC_RELAXED) < ATTEMPTS)
    sched_yield();
}

static void *let_go(void *unused) {
  await_attempts();
  STORE(x, 0);
  return unused;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  what = argv[1];
  pthread_t thread;
  int blocks = is("wait") || is("bcas") || is("lock");
  if (blocks)
    thread = start(let_go, NULL);
  one_then_other(one, other);
  if (blocks)
    pthread_join(thread, NULL);
}
