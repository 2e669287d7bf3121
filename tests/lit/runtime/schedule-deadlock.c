// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A deadlock of a scheduled run is a report, with who waits for what. It is none while a thread may
// come back from a call, time may end a wait, or a signal may come.
//
// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=schedule=random:seed=1:detect_deadlocks=0 %exits 66 %t locks 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: deadlock (pid={{[0-9]+}})
// CHECK: main thread: join of a thread T1:
// CHECK-NEXT: #0 run {{.*}}two-threads.h
// CHECK-NEXT: #1 main {{.*}}schedule-deadlock.c
// CHECK: thread T1: lock at 0x{{[0-9a-f]+}} ('second'), which thread T2 holds:
// CHECK: first_then_second {{.*}}schedule-deadlock.c
// CHECK: thread T2: lock at 0x{{[0-9a-f]+}} ('first'), which thread T1 holds:
// CHECK: second_then_first {{.*}}schedule-deadlock.c
// CHECK: To repeat this run: RSAN_OPTIONS=schedule=random:seed=1:detect_deadlocks=0 {{.*}} locks
// CHECK: SUMMARY: ThreadSanitizer: deadlock
//
// RUN: env RSAN_OPTIONS=schedule=random:exitcode=7 %exits 7 %t lost 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: main thread: wait on a condition variable at
// LOST: SUMMARY: ThreadSanitizer: deadlock
//
// The runtime's own handlers and threads let nobody go on.
// RUN: env RSAN_OPTIONS=schedule=random:exitcode=7:report_failures=1:handle_abort=1:time_limit=300 %exits 7 %t lost 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: env RSAN_OPTIONS=schedule=random:report_failures=1:handle_abort=1:time_limit=300 %exits 66 %t left 2>&1 | FileCheck %s --check-prefix=LEFT
//
// Nobody can proceed any more once the last one that could has ended.
// RUN: env RSAN_OPTIONS=schedule=random %exits 66 %t left 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: main thread: join of a thread T1:
// LEFT: thread T1: wait on a condition variable at
// LEFT: wait_for_change {{.*}}schedule-deadlock.c
// LEFT: SUMMARY: ThreadSanitizer: deadlock
//
// RUN: env RSAN_OPTIONS=schedule=random %t ordered 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=schedule=random %t pipe 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=schedule=random %t time 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=schedule=random %t signal 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: end

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "two-threads.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t posted;
static int ends[2];

static void lock_both(pthread_mutex_t *a, pthread_mutex_t *b) {
  pthread_mutex_lock(a);
  pthread_mutex_lock(b);
  pthread_mutex_unlock(b);
  pthread_mutex_unlock(a);
}

static void *first_then_second(void *unused) {
  for (int i = 0; i < 100; i++)
    lock_both(&first, &second);
  return unused;
}

static void *second_then_first(void *unused) {
  for (int i = 0; i < 100; i++)
    lock_both(&second, &first);
  return unused;
}

static void *wait_for_change(void *unused) {
  pthread_mutex_lock(&first);
  sem_post(&posted);
  pthread_cond_wait(&changed, &first);
  pthread_mutex_unlock(&first);
  return unused;
}

static void *end_after_that(void *unused) {
  sem_wait(&posted);
  pthread_mutex_lock(&first);
  pthread_mutex_unlock(&first);
  return unused;
}

static void *write_later(void *unused) {
  usleep(30000);
  if (write(ends[1], "x", 1) != 1)
    perror("write");
  return unused;
}

static void *read_then_post(void *unused) {
  char c;
  if (read(ends[0], &c, 1) != 1)
    perror("read");
  sem_post(&posted);
  return unused;
}

static void *wait_in_vain(void *unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  pthread_mutex_lock(&first);
  while (pthread_cond_timedwait(&changed, &first, &until) != ETIMEDOUT) {
  }
  pthread_mutex_unlock(&first);
  return unused;
}

static void post(int signal) {
  (void)signal;
  sem_post(&posted);
}

static void *wait_for_post(void *unused) {
  while (sem_wait(&posted) != 0) {
  }
  return unused;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  sem_init(&posted, 0, 0);
  if (pipe(ends) != 0)
    return 1;
  if (!strcmp(what, "locks")) {
    argv[1][0] = '#'; // what a report repeats is what the program was started with
    run(first_then_second, second_then_first, NULL);
  } else if (!strcmp(what, "ordered")) {
    run(first_then_second, first_then_second, NULL);
  } else if (!strcmp(what, "lost")) {
    pthread_mutex_lock(&first);
    pthread_cond_wait(&changed, &first);
  } else if (!strcmp(what, "left")) {
    run(wait_for_change, end_after_that, NULL);
  } else if (!strcmp(what, "pipe")) {
    run(read_then_post, write_later, NULL);
    sem_wait(&posted);
  } else if (!strcmp(what, "time")) {
    run(wait_in_vain, wait_in_vain, NULL);
  } else {
    struct itimerval timer = {.it_value = {.tv_usec = 20000}, .it_interval = {.tv_usec = 20000}};
    signal(SIGALRM, post);
    setitimer(ITIMER_REAL, &timer, NULL);
    run(wait_for_post, wait_for_post, NULL);
    wait_for_post(NULL);
  }
  fprintf(stderr, "end\n");
}
