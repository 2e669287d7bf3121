// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C11's threads.h: its threads are threads, its locks order what they have to.
//
// RUN: %build %s -o %t
// RUN: %t mutex 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t timed 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t once 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t condition 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t join 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: end
// RUN: %exits 66 %t nothing 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 second_half
// CHECK: may miss
// CHECK-NEXT: #0 first_half
// CHECK: end
#include "access.h"
#include "turns.h"

#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static const char *what;
static int x, y, ready;
static mtx_t mutex;
static cnd_t condition;
static once_flag once = ONCE_FLAG_INIT;
static const struct timespec long_from_now = {4000000000, 0};

static int is(const char *word) {
  return strcmp(what, word) == 0;
}

static void first_half(void) {
  STORE(x, 1);
  LOAD(y);
}

static void second_half(void) {
  STORE(y, 1);
  LOAD(x);
}

static int one(void *unused) {
  (void)unused;
  if (!is("join"))
    await_turn(1);
  if (is("once")) {
    call_once(&once, first_half);
  } else {
    if (is("mutex") || is("condition"))
      mtx_lock(&mutex);
    if (is("timed"))
      mtx_timedlock(&mutex, &long_from_now);
    first_half();
    ready = is("condition");
    if (is("condition"))
      cnd_signal(&condition);
    if (is("mutex") || is("timed") || is("condition"))
      mtx_unlock(&mutex);
  }
  pass_turn(2);
  return 0;
}

static int other(void *unused) {
  (void)unused;
  if (!is("condition"))
    await_turn(2);
  if (is("once"))
    call_once(&once, first_half);
  if (is("mutex") || is("condition"))
    mtx_lock(&mutex);
  while (is("condition") && !ready)
    cnd_wait(&condition, &mutex);
  if (is("timed"))
    while (mtx_trylock(&mutex) != thrd_success)
      thrd_yield();
  second_half();
  if (is("mutex") || is("timed") || is("condition"))
    mtx_unlock(&mutex);
  return 0;
}

static thrd_t begin(thrd_start_t act) {
  thrd_t thread;
  if (thrd_create(&thread, act, NULL) != thrd_success)
    exit(3);
  return thread;
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  mtx_init(&mutex, mtx_timed);
  cnd_init(&condition);
  thrd_t first = begin(one);
  if (is("join"))
    thrd_join(first, NULL);
  thrd_t second = begin(other);
  pass_turn(is("join") ? 2 : 1);
  if (!is("join"))
    thrd_join(first, NULL);
  int result = 1;
  thrd_join(second, &result);
  fputs("end\n", stderr);
  return result;
}
