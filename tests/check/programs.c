// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs for `rsan check`, by name: how each ends is in check-cases.

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rsan.h"

static atomic_int x, y, turn;
static int plain;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t posted;

static void *store_x(void *unused) {
  atomic_store(&x, 1);
  return unused;
}

static void *store_y(void *unused) {
  atomic_store(&y, 1);
  return unused;
}

static void *load_both(void *unused) {
  if (atomic_load(&x) && !atomic_load(&y))
    abort();
  return unused;
}

static void *exit_if_x(void *unused) {
  if (atomic_load(&x))
    exit(3);
  return unused;
}

static void *fail_if_x(void *unused) {
  if (atomic_load(&x))
    _exit(0);
  return unused;
}

static void *lock_both(void *reversed) {
  pthread_mutex_t *one = reversed ? &second : &first, *other = reversed ? &first : &second;
  pthread_mutex_lock(one);
  pthread_mutex_lock(other);
  plain++;
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(one);
  return NULL;
}

static void *add_plain(void *unused) {
  pthread_mutex_lock(&first);
  plain++;
  pthread_mutex_unlock(&first);
  return unused;
}

static void *add_plain_unlocked(void *unused) {
  plain++;
  return unused;
}

static void *wait_for_change(void *unused) {
  pthread_mutex_lock(&first);
  while (!plain)
    pthread_cond_wait(&changed, &first);
  pthread_mutex_unlock(&first);
  return unused;
}

static void *change(void *unused) {
  pthread_mutex_lock(&first);
  plain = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&first);
  return unused;
}

// (Nobody wakes who waits after the signal.)
static void *wait_once(void *unused) {
  pthread_mutex_lock(&first);
  pthread_cond_wait(&changed, &first);
  pthread_mutex_unlock(&first);
  return unused;
}

static void *wait_in_time(void *unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  pthread_mutex_lock(&first);
  pthread_cond_timedwait(&changed, &first, &until);
  pthread_mutex_unlock(&first);
  return unused;
}

static void *post(void *unused) {
  sem_post(&posted);
  return unused;
}

static void *wait_for_post(void *unused) {
  sem_wait(&posted);
  return unused;
}

static void *wait_for_turn(void *unused) {
  while (!atomic_load(&turn)) {
  }
  return unused;
}

static void *give_turn(void *unused) {
  atomic_store(&turn, 1);
  return unused;
}

static void *wait_unseen(void *unused) {
  volatile int *flag = &plain;
  while (!*flag) {
  }
  return unused;
}

// Asks for two things in turn, so that no wait is recognised.
static void *wait_for_either(void *unused) {
  while (!atomic_load(&x) && !atomic_load(&y)) {
  }
  return unused;
}

// The same, and lets others go on.
static void *wait_politely(void *unused) {
  while (!atomic_load(&x) && !atomic_load(&y))
    sched_yield();
  return unused;
}

// Finds the same at the same place four times, while others end, and goes on.
static void *look_four_times(void *unused) {
  for (volatile int i = 0; i < 4; i++) {
    atomic_load(&y);
    sched_yield();
  }
  return unused;
}

// Has the token for long while another thread is at its end.
static void *compute(void *unused) {
  sched_yield();
  atomic_load(&y);
  for (volatile long i = 0; i < 30000000; i++) {
  }
  return unused;
}

static void *store_y_and_yield(void *unused) {
  atomic_store(&y, 1);
  sched_yield();
  return unused;
}

static void *print_much(void *unused) {
  static char line[1024];
  memset(line, 'x', sizeof line - 1);
  for (int i = 0; i < 10 * 1024; i++)
    puts(line);
  return store_x(unused);
}

static void *fork_child(void *unused) {
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  waitpid(child, NULL, 0);
  return store_x(unused);
}

static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The order in which two readers come says nothing about what they do outside.
static void *store_then_read(void *unused) {
  atomic_store(&x, 1);
  pthread_rwlock_rdlock(&shared);
  pthread_rwlock_unlock(&shared);
  return unused;
}

static void *read_then_load(void *unused) {
  pthread_rwlock_rdlock(&shared);
  pthread_rwlock_unlock(&shared);
  if (!atomic_load(&x))
    abort();
  return unused;
}

static void begin(void) {
  atomic_store(&y, 1);
}

static void *begin_once(void *unused) {
  pthread_once(&once, begin);
  return unused;
}

static void *store_chosen(void *unused) {
  atomic_store(&x, (int)rsan_choose(3));
  return unused;
}

static void *abort_if_two(void *unused) {
  if (atomic_load(&x) == 2)
    abort();
  return unused;
}

static void *abort_if_three(void *unused) {
  if (atomic_load(&x) == 3)
    abort();
  return unused;
}

// Before there are threads.
static unsigned chosen;
static void *abort_if_chosen(void *unused) {
  if (atomic_load(&x) && chosen == 4)
    abort();
  return unused;
}

static void *assume_x(void *unused) {
  rsan_assume(atomic_load(&x));
  if (!atomic_load(&x))
    abort();
  return unused;
}

static void *assume_x_and_abort(void *unused) {
  rsan_assume(atomic_load(&x));
  abort();
  return unused;
}

static void *assume_in_vain(void *unused) {
  rsan_assume(atomic_load(&x) == 2);
  atomic_store(&turn, 1);
  return unused;
}

static void *race_and_assume(void *unused) {
  plain++;
  rsan_assume(false);
  return unused;
}

// Another object in nearly every execution.
atomic_int many[10000];
static void *by_time(void *unused) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  atomic_store(&many[now.tv_nsec % 10000], 1);
  return store_x(unused);
}

// Sleeps where nobody sees it: in each execution, or in the first one alone.
static char *slept; // in memory that all executions share; null: each of them sleeps
static void *sleep_unseen(void *unused) {
  const struct timespec time = {0, 100000000};
  if (!slept || !*slept)
    syscall(SYS_nanosleep, &time, NULL);
  if (slept)
    *slept = 1;
  return store_x(unused);
}

static void handle(int signal) {
  (void)signal;
}

static const struct program {
  const char *name;
  void *(*one)(void *), *(*other)(void *);
} programs[] = {
    {"independent", store_x, store_y},
    {"ordered", store_x, exit_if_x},
    {"silent", store_x, fail_if_x},
    {"abort", store_x, load_both},
    {"mutexes", add_plain, add_plain},
    {"race", add_plain, add_plain_unlocked},
    {"deadlock", lock_both, lock_both},
    {"condition", wait_for_change, change},
    {"lost-signal", wait_once, change},
    {"timed", wait_in_time, change},
    {"semaphore", wait_for_post, post},
    {"no-post", wait_for_post, store_x},
    {"wait", wait_for_turn, give_turn},
    {"wait-for-nobody", wait_for_turn, store_x},
    {"wait-for-handler", wait_for_turn, store_x},
    {"post-by-handler", wait_for_post, store_x},
    {"either", wait_for_either, store_x},
    {"neither", wait_politely, give_turn},
    {"unseen", wait_unseen, store_x},
    {"output", print_much, store_x},
    {"fork", fork_child, store_x},
    {"time", by_time, store_x},
    {"signals", store_x, store_x},
    {"readers", store_then_read, read_then_load},
    {"once", begin_once, begin_once},
    {"last", store_x, store_y},
    {"sleeps", sleep_unseen, store_y},
    {"sleeps-once", sleep_unseen, store_y},
    {"looks", look_four_times, store_x},
    {"computes", compute, store_y_and_yield},
    {"choose", store_chosen, abort_if_two},
    {"choose-less", store_chosen, abort_if_three},
    {"choose-first", store_x, abort_if_chosen},
    {"choose-first-less", store_x, abort_if_chosen},
    {"assume", assume_x, store_x},
    {"assume-abort", assume_x_and_abort, store_x},
    {"assume-race", race_and_assume, add_plain_unlocked},
    {"assume-in-vain", wait_for_turn, assume_in_vain},
};

static int run(const struct program *program) {
  pthread_t threads[2];
  if (strcmp(program->name, "signals") == 0 || strstr(program->name, "-handler"))
    signal(SIGUSR1, handle);
  if (strcmp(program->name, "sleeps-once") == 0)
    slept = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (strcmp(program->name, "choose-first") == 0)
    chosen = rsan_choose(5);
  if (strcmp(program->name, "choose-first-less") == 0)
    chosen = rsan_choose(4) + rsan_choose(1);
  pthread_create(&threads[0], NULL, program->one, NULL);
  pthread_create(&threads[1], NULL, program->other,
                 strcmp(program->name, "deadlock") == 0 ? &plain : NULL);
  pthread_join(threads[0], NULL);
  // The other one may be the only one left, or not.
  if (strcmp(program->name, "last") == 0 && !atomic_load(&y))
    abort();
  pthread_join(threads[1], NULL);
  return 0;
}

int main(int argc, char **argv) {
  sem_init(&posted, 0, 0);
  for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, argv[1]) == 0)
      return run(&programs[i]);
  return argc > 1 ? 2 : 0; // without a name: no thread
}
