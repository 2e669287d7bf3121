// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that wait by a clock of one's choice, which libstdc++ calls for timed locks and
// semaphores, order what they have to. (pthread_mutex_clocklock, pthread_cond_clockwait: sync.c.)
//
// RUN: %build %s -o %t
// RUN: %t writer 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t reader 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t semaphore 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t join 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: end
// RUN: %exits 66 %t nothing 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 second_half
// CHECK: end
#include "access.h"
#include "turns.h"

#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *what;
static int x, y;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
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

static void one(void) {
  if (is("writer") || is("reader"))
    pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &long_from_now);
  first_half();
  if (is("writer") || is("reader"))
    pthread_rwlock_unlock(&rwlock);
  if (is("semaphore"))
    sem_post(&semaphore);
}

static void other(void) {
  if (is("writer"))
    pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &long_from_now);
  if (is("reader"))
    pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &long_from_now);
  if (is("semaphore"))
    sem_clockwait(&semaphore, CLOCK_MONOTONIC, &long_from_now);
  second_half();
  if (is("writer") || is("reader"))
    pthread_rwlock_unlock(&rwlock);
}

static void *run(void *arg) {
  if (arg)
    second_half();
  else
    first_half();
  return NULL;
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  sem_init(&semaphore, 0, 0);
  if (is("join")) {
    pthread_clockjoin_np(start(run, NULL), NULL, CLOCK_MONOTONIC, &long_from_now);
    pthread_clockjoin_np(start(run, &x), NULL, CLOCK_MONOTONIC, &long_from_now);
  } else {
    one_then_other(one, other);
  }
  fputs("end\n", stderr);
}
