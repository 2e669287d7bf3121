// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run in which all threads only wait, in loops that the pass does not recognise, is reported if
// livelock= asks for it. It is no livelock while a thread may get further: it stores, is outside,
// or a signal handler may.
//
// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=schedule=random:livelock=1000 %exits 66 %t both 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=pct:livelock=1000 %exits 66 %t both 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: livelock (pid={{[0-9]+}})
// CHECK-NEXT: Each thread that can go on has made 1000 steps that only wait, while none has got any further:
// CHECK: main thread: join of a thread T1:
// CHECK: thread T1: {{atomic load at 0x|yield:}}
// CHECK-NEXT: {{.*}}schedule-livelock.c
// CHECK: thread T2: {{atomic load at 0x|yield:}}
// CHECK: To repeat this run: RSAN_OPTIONS=schedule={{random|pct}}:livelock=1000
// CHECK: SUMMARY: ThreadSanitizer: livelock
//
// RUN: env RSAN_OPTIONS=schedule=random:seed=2:livelock=1000 %exits 66 %t held 2>&1 | FileCheck %s --check-prefix=HELD
// HELD: WARNING: ThreadSanitizer: livelock
// HELD: thread T2: lock at 0x
// HELD: SUMMARY: ThreadSanitizer: livelock
//
// RUN: env RSAN_OPTIONS=schedule=random:livelock=1000 %t store 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=schedule=random:livelock=1000 %t pipe 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=schedule=random:livelock=1000 %t signal 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: end
//
// RUN: env RSAN_OPTIONS=schedule=random:livelock=-1 %exits 66 %t store 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: livelock=-1 in RSAN_OPTIONS: must be 0 to 2147483647

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "two-threads.h"

static atomic_int flags[2];
static int ends[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for(void *flag) {
  for (volatile long turns = 0; !atomic_load(&flags[(long)flag]); turns++) {
  }
  return NULL;
}

static void *count_and_set(void *flag) {
  for (int i = 0; i < 5000; i++)
    atomic_fetch_add(&flags[1 - (long)flag], 1);
  atomic_store(&flags[(long)flag], 1);
  return NULL;
}

static void *wait_with_lock(void *flag) {
  pthread_mutex_lock(&mutex);
  atomic_store(&flags[1], 1);
  wait_for(flag);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void *set_with_lock(void *flag) {
  wait_for((void *)1);
  pthread_mutex_lock(&mutex);
  atomic_store(&flags[(long)flag], 1);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void *read_and_set(void *flag) {
  char byte;
  if (read(ends[0], &byte, 1) != 1)
    exit(1);
  return count_and_set(flag);
}

static void *write_later(void *unused) {
  usleep(50000);
  if (write(ends[1], "", 1) != 1)
    exit(1);
  return unused;
}

static void set(int signal) {
  (void)signal;
  atomic_store(&flags[0], 1);
  atomic_store(&flags[1], 1);
}

static void set_later(void) {
  struct itimerval timer = {.it_value = {.tv_usec = 50000}};
  signal(SIGALRM, set);
  setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  pthread_t thread;
  if (pipe(ends) != 0)
    return 1;
  if (!strcmp(what, "store")) {
    run(wait_for, count_and_set, NULL);
  } else if (!strcmp(what, "held")) {
    run(wait_with_lock, set_with_lock, NULL);
  } else if (!strcmp(what, "pipe")) {
    pthread_create(&thread, NULL, write_later, NULL);
    run(wait_for, read_and_set, NULL);
    pthread_join(thread, NULL);
  } else {
    if (!strcmp(what, "signal"))
      set_later();
    run(wait_for, wait_for, NULL);
  }
  fprintf(stderr, "end\n");
}
