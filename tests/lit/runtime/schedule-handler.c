// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler interrupts a wait for the token, and waits itself, unscheduled, for a mutex. The thread
// may be chosen meanwhile: the token is taken back, so that the owner of the mutex can go on.
//
// RUN: %build -DQUIET=0 %s -o %t
// RUN: sh -c 'for seed in 1 2 3 4 5 6 7 8; do RSAN_OPTIONS=stats=1:schedule=random:seed=$seed:yield_ms=1 %t || exit 1; done' >%t.out 2>&1
// RUN: FileCheck %s <%t.out
// CHECK: schedule_taken {{ *[1-9]}}
//
// The twin: without the signal no token is taken.
// RUN: %build -DQUIET=1 %s -o %t.quiet
// RUN: sh -c 'for seed in 1 2 3 4 5 6 7 8; do RSAN_OPTIONS=stats=1:schedule=random:seed=$seed:yield_ms=1 %t.quiet || exit 1; done' >%t.out 2>&1
// RUN: FileCheck %s --check-prefix=QUIET <%t.out
// QUIET-NOT: schedule_taken {{ *[1-9]}}

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static atomic_int waits, steps;
static volatile int handled;

// Nobody sees it.
__attribute__((disable_sanitizer_instrumentation)) static void note(void) {
  handled = 1;
}

__attribute__((disable_sanitizer_instrumentation)) static void await_handler(void) {
  while (!handled) {
  }
}

static void handle(int signal) {
  (void)signal;
  note();
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
}

static void *run(void *unused) {
  atomic_store(&waits, 1);
  pthread_mutex_lock(&first);
  pthread_mutex_unlock(&first);
  return unused;
}

int main(void) {
  pthread_t thread;
  alarm(60); // a hang ends with SIGALRM
  signal(SIGUSR1, handle);
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  pthread_create(&thread, NULL, run, NULL);
  while (!atomic_load(&waits))
    usleep(0);
  if (!QUIET) {
    pthread_kill(thread, SIGUSR1);
    await_handler();
  }
  pthread_mutex_unlock(&first);
  for (int i = 0; i < 5; i++)
    atomic_fetch_add(&steps, 1);
  pthread_mutex_unlock(&second);
  pthread_join(thread, NULL);
}
