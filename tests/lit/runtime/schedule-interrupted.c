// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signal handler ends a wait for a semaphore or a futex with EINTR, in scheduled runs as without
// a schedule; with SA_RESTART the wait goes on, unless it has a time limit.
//
// RUN: %build %s -o %t
// RUN: %t
// RUN: sh %S/Inputs/seeds 4 schedule=mix %t | FileCheck %s
// RUN: sh %S/Inputs/seeds 4 schedule=random %t | FileCheck %s
// CHECK: reports with 0 of 4 seeds

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sem_t semaphore;
static atomic_int word;
static atomic_int handled, ended;
static struct timespec later;

static void on_signal(int signal) {
  (void)signal;
  atomic_fetch_add(&handled, 1);
}

static int wait_for_semaphore(void) {
  return sem_wait(&semaphore);
}

static int wait_until(void) {
  return sem_timedwait(&semaphore, &later);
}

static int wait_for_word(void) {
  return atomic_load(&word) ? 0
                            : (int)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static int (*const waits[])(void) = {wait_for_semaphore, wait_until, wait_for_word};

// Returns null if the wait was not interrupted.
static void *wait_once(void *wait) {
  int (*const own)(void) = *(int (*const *)(void))wait;
  int error = own() == 0 ? 0 : errno;
  atomic_store(&ended, 1);
  return error == EINTR ? wait : NULL;
}

// Is the wait interrupted? If it should be, sends signals until it ends: some may come before it.
static int is_interrupted(int flags, int (*const *wait)(void), int should) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
  pthread_t thread;
  void *interrupted;
  sem_init(&semaphore, 0, 0);
  atomic_store(&word, 0);
  atomic_store(&handled, 0);
  atomic_store(&ended, 0);
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, wait_once, (void *)wait);
  while (!atomic_load(&ended) && (should || atomic_load(&handled) < 3)) {
    pthread_kill(thread, SIGUSR1);
    usleep(1000);
  }
  atomic_store(&word, 1);
  sem_post(&semaphore);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  pthread_join(thread, &interrupted);
  return interrupted != NULL;
}

int main(void) {
  clock_gettime(CLOCK_REALTIME, &later);
  later.tv_sec += 100;
  for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++) {
    const int should = waits[i] == wait_until;
    if (!is_interrupted(0, &waits[i], 1) || is_interrupted(SA_RESTART, &waits[i], should) != should)
      return 1;
  }
  return 0;
}
