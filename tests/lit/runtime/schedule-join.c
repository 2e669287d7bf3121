// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that has ended for the schedule still exists for a while, longer than two looks of the
// watchdog: the thread that joins it keeps the token (schedule_taken is 0).
//
// The end is long here because a destructor of thread-specific data gives itself work again, until
// the last round of destructors, which is that of the runtime's as well.
//
// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=stats=1:schedule=random:seed=1:yield_ms=1 %t 2>&1 | FileCheck %s
// CHECK: rounds 4
// CHECK: schedule_taken 0
//
// The twin: an ordinary wait that nobody sees, for as long.
// RUN: %build -DUNSEEN %s -o %t.unseen
// RUN: env RSAN_OPTIONS=stats=1:schedule=random:seed=1:yield_ms=1 %t.unseen 2>&1 | FileCheck %s --check-prefix=UNSEEN
// UNSEEN: schedule_taken {{ *[1-9]}}

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_key_t key;
static int rounds;

// By the kernel itself, as the runtime knows nothing of the thread any more.
__attribute__((disable_sanitizer_instrumentation)) static void sleep_unseen(void) {
  const struct timespec time = {0, 50000000};
  long result = SYS_nanosleep;
#if defined(__x86_64__)
  __asm__ volatile("syscall" : "+a"(result) : "D"(&time), "S"(0) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long number __asm__("x8") = result;
  register long first __asm__("x0") = (long)&time;
  register long second __asm__("x1") = 0;
  __asm__ volatile("svc 0" : "+r"(first) : "r"(number), "r"(second) : "memory");
#endif
}

__attribute__((disable_sanitizer_instrumentation)) static void destroy(void *value) {
  if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific(key, value);
  else
    sleep_unseen();
}

static void *run(void *unused) {
  pthread_setspecific(key, &key);
#ifdef UNSEEN
  sleep_unseen();
#endif
  return unused;
}

// Somebody else who could have the token.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_mutex(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread, other;
  pthread_mutex_lock(&mutex);
  pthread_create(&other, NULL, wait_for_mutex, NULL);
  pthread_key_create(&key, destroy);
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&mutex);
  pthread_join(other, NULL);
  fprintf(stderr, "rounds %d\n", rounds);
}
