// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that the schedule cannot follow: in calls that block, in loops that it does not see, in
// signal handlers, cancelled, and in children. The program comes to its end; what was left to
// chance is counted.
//
// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=schedule=random:stats=1 %t pipe 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: env RSAN_OPTIONS=schedule=random:stats=1 %t full 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: end
// BLOCKS: schedule_taken {{ *}}0
// BLOCKS: schedule_outside {{ *[1-9]}}
//
// The runtime sees neither a system call that it does not know, nor a loop without atomic reads.
// RUN: env RSAN_OPTIONS=schedule=random:stats=1 %t sleep 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: env RSAN_OPTIONS=schedule=pct:races=0:stats=1 %t spin 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: end
// TAKEN: schedule_taken {{ *[1-9]}}
//
// RUN: env RSAN_OPTIONS=schedule=random:stats=1 %t signal 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=random:stats=1 %t futex 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=random:stats=1 %t kill 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=pos:stats=1 %t alone 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=random:stats=1 %t cancel 2>&1 | FileCheck %s
// A wait with a time limit ends although another thread polls all the time.
// RUN: env RSAN_OPTIONS=schedule=random:stats=1 %t poll 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=random:stats=1 %t jump 2>&1 | FileCheck %s
// A barrier that the program creates while a signal handler may run, and a barrier in shared
// memory.
// RUN: env RSAN_OPTIONS=schedule=random:stats=1 %t barrier 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=random:stats=1 %t shared-barrier 2>&1 | FileCheck %s
// CHECK-NOT: WARNING
// CHECK: end
//
// RUN: env RSAN_OPTIONS=schedule=random %t fork 2>&1 | FileCheck %s --check-prefix=FORK
// RUN: env RSAN_OPTIONS=schedule=random %t fork-alone 2>&1 | FileCheck %s --check-prefix=FORK
// FORK: child's status 0
// FORK-NEXT: end

#include <linux/futex.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "two-threads.h"

static int ends[2];
static sem_t posted;
static atomic_int counter, looks, word;
static volatile int flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t *barrier;

static void *count(void *unused) {
  for (int i = 0; i < 1000; i++)
    atomic_fetch_add(&counter, 1);
  return unused;
}

static void *read_all(void *left) {
  char text[4096];
  for (long size = (long)left; size > 0;) {
    long got = read(ends[0], text, sizeof text);
    if (got <= 0)
      exit(1);
    size -= got;
  }
  return NULL;
}

static void *write_all(void *size) {
  char text[4096] = "";
  for (long left = (long)size; left > 0; left -= 4096)
    if (syscall(SYS_write, ends[1], text, sizeof text) != sizeof text)
      exit(1);
  return NULL;
}

static void *write_later(void *size) {
  count(NULL);
  usleep(20000);
  return write_all(size);
}

static void *sleep_unseen(void *unused) {
  const struct timespec time = {.tv_nsec = 200000000};
  syscall(SYS_nanosleep, &time, NULL);
  return unused;
}

static void *wait_unseen(void *unused) {
  while (!flag) {
  }
  return unused;
}

static void *end_wait(void *unused) {
  count(NULL);
  flag = 1;
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

static void wake(int signal) {
  (void)signal;
  atomic_store(&word, 1);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *wait_for_wake(void *unused) {
  while (!atomic_load(&word))
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  return unused;
}

static void unlock(void *mutex) {
  pthread_mutex_unlock(mutex);
}

static void *wait_for_change(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  for (;;)
    pthread_cond_wait(&changed, &mutex);
  pthread_cleanup_pop(0);
  return unused;
}

static void *set_in_time(void *unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  pthread_mutex_lock(&mutex);
  while (pthread_cond_timedwait(&changed, &mutex, &until) == 0) {
  }
  pthread_mutex_unlock(&mutex);
  atomic_store(&counter, 1);
  return unused;
}

static void *poll_counter(void *unused) {
  while (!atomic_load(&counter))
    atomic_fetch_add(&looks, 1);
  return unused;
}

static void *meet(void *unused) {
  count(unused);
  pthread_barrier_wait(barrier);
  return unused;
}

static sigjmp_buf out;
static void jump(int signal) {
  (void)signal;
  siglongjmp(out, 1);
}

static void set_timer(void (*handler)(int), int again) {
  struct itimerval timer = {.it_value = {.tv_usec = 20000}, .it_interval = {.tv_usec = again}};
  signal(SIGALRM, handler);
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void fork_child(void) {
  pid_t child = fork();
  if (child == 0) {
    count(NULL);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  fprintf(stderr, "child's status %d\n", status);
}

static void *fork_and_count(void *unused) {
  fork_child();
  return count(unused);
}

static void cancel(void) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, wait_for_change, NULL);
  count(NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  pthread_mutex_lock(&mutex);
  if (result != PTHREAD_CANCELED)
    exit(1);
}

// The signal may come when the thread has seen that it is to wait, and does not wait yet.
static void kill_waiting(void) {
  signal(SIGALRM, wake);
  for (int round = 0; round < 300; round++) {
    pthread_t thread;
    atomic_store(&word, 0);
    pthread_create(&thread, NULL, wait_for_wake, NULL);
    for (int i = round % 10; i > 0; i--)
      atomic_fetch_add(&counter, 1);
    pthread_kill(thread, SIGALRM);
    pthread_join(thread, NULL);
  }
}

static void wait_alone(void) {
  set_timer(post, 0);
  wait_for_post(NULL);
  set_timer(jump, 0);
  if (!sigsetjmp(out, 1))
    for (;;)
      pause();
}

static void jump_out(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, count, NULL);
  set_timer(jump, 0);
  if (!sigsetjmp(out, 1))
    for (;;)
      wait_for_post(NULL);
  count(NULL);
  pthread_join(thread, NULL);
}

static void meet_at(pthread_barrier_t *made) {
  barrier = made;
  pthread_barrier_init(barrier, NULL, 2);
  run(meet, meet, NULL);
}

static void meet_in_shared_memory(void) {
  void *memory =
      mmap(NULL, sizeof *barrier, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    exit(1);
  meet_at(memory);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  sem_init(&posted, 0, 0);
  if (pipe(ends) != 0)
    return 1;
  if (!strcmp(what, "pipe")) {
    run(read_all, write_later, (void *)4096);
  } else if (!strcmp(what, "full")) {
    run(read_all, write_all, (void *)(1 << 20));
  } else if (!strcmp(what, "sleep")) {
    run(sleep_unseen, count, NULL);
  } else if (!strcmp(what, "spin")) {
    run(wait_unseen, end_wait, NULL);
  } else if (!strcmp(what, "poll")) {
    run(set_in_time, poll_counter, NULL);
  } else if (!strcmp(what, "signal")) {
    set_timer(post, 20000);
    run(wait_for_post, wait_for_post, NULL);
  } else if (!strcmp(what, "futex")) {
    set_timer(wake, 0);
    run(wait_for_wake, count, NULL);
  } else if (!strcmp(what, "kill")) {
    kill_waiting();
  } else if (!strcmp(what, "alone")) {
    wait_alone();
  } else if (!strcmp(what, "cancel")) {
    cancel();
  } else if (!strcmp(what, "jump")) {
    jump_out();
  } else if (!strcmp(what, "barrier")) {
    signal(SIGALRM, post);
    meet_at(&(pthread_barrier_t){0});
  } else if (!strcmp(what, "shared-barrier")) {
    meet_in_shared_memory();
  } else if (!strcmp(what, "fork")) {
    run(fork_and_count, count, NULL);
  } else {
    fork_child();
  }
  fprintf(stderr, "end\n");
}
