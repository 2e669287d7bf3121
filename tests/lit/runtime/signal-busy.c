// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signal comes while its thread is in a loop that neither calls a library nor uses atomics. Its
// handler runs all the same, and ends the loop: a loop that polls, calls functions, or writes
// memory; code without instrumentation; a thread that is not the first one; with SIGURG, by which
// the runtime has threads interrupted, handled and ignored by the program. In the twin another
// thread reads what the handler wrote, without an order: a data race.
//
// RUN: %build -O0 %s -o %t.O0
// RUN: %build -O2 %s -o %t.O2
// RUN: %t.O0 2>&1 | FileCheck %s
// RUN: %t.O2 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=mix:seed=1 %t.O0 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=mix:seed=2 %t.O2 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %t.O2 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=races=0 %t.O2 2>&1 | FileCheck %s
// CHECK-NOT: WARNING
// CHECK: 7 loops ended
// RUN: %exits 66 %t.O0 race 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %exits 66 %t.O2 race 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: WARNING: ThreadSanitizer: data race
// RACE: #0 stop
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t runs;
static volatile int urgent;
static int data;
static long memory[64];

static void stop(int signal) {
  (void)signal;
  data = 1;
  runs = 0;
}

static void note_urgent(int signal) {
  (void)signal;
  urgent = 1;
}

static void start_timer(void) {
  const struct itimerval time = {.it_value = {.tv_usec = 2000}};
  runs = 1;
  setitimer(ITIMER_REAL, &time, NULL);
}

static void poll_flag(void) {
  while (runs) {
  }
}

__attribute__((noinline)) static long step(long n) {
  return memory[n & 63] + 1;
}

static void call_functions(void) {
  long n = 0;
  while (runs)
    n += step(n);
}

static void write_memory(void) {
  for (long n = 0; runs; n++)
    memory[n & 63] = n;
}

__attribute__((disable_sanitizer_instrumentation, noinline)) static void be_unseen(void) {
  while (runs) {
  }
}

static void *poll_in_thread(void *signals) {
  if (signals)
    pthread_sigmask(SIG_UNBLOCK, signals, NULL);
  poll_flag();
  return NULL;
}

// The process gets the signal in the only thread that does not block it.
static void use_thread(void) {
  pthread_t thread;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  start_timer();
  pthread_create(&thread, NULL, poll_in_thread, &signals);
  pthread_join(thread, NULL);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

static int race(void) {
  pthread_t thread;
  runs = 1;
  pthread_create(&thread, NULL, poll_in_thread, NULL);
  pthread_kill(thread, SIGALRM);
  while (runs) {
  }
  printf("data %d\n", data);
  return pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
  void (*const loops[])(void) = {poll_flag, call_functions, write_memory, be_unseen};
  int count = 0;
  (void)argv;
  signal(SIGALRM, stop);
  if (argc > 1)
    return race();
  for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++, count++) {
    start_timer();
    loops[i]();
  }
  use_thread();
  count++;
  signal(SIGURG, note_urgent);
  raise(SIGURG);
  start_timer();
  poll_flag();
  count += urgent;
  signal(SIGURG, SIG_IGN);
  start_timer();
  poll_flag();
  count++;
  printf("%d loops ended\n", count);
  return 0;
}
