// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of synchronisation of the C library orders what it has to: the store-buffering shape,
// one half of it after the other, is not reported when the halves are synchronised. It is when they
// are not, or not by the same object.
//
// RUN: %build %s -o %t
// RUN: %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=clocks=explicit %t 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: end
//
// RUN: %exits 66 %t nothing 2>&1 | FileCheck %s
// RUN: %exits 66 %t two-mutexes 2>&1 | FileCheck %s
// RUN: %exits 66 %t two-readers 2>&1 | FileCheck %s
// RUN: %exits 66 %t mutex-in-one 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 second_half
// CHECK: may miss
// CHECK-NEXT: #0 first_half
// CHECK: end
#include "access.h"
#include "turns.h"

#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int x, y, signalled;
static pthread_mutex_t mutex, other_mutex, recursive;
static pthread_rwlock_t rwlock;
static pthread_spinlock_t spin;
static pthread_cond_t cond;
static pthread_barrier_t barrier;
static pthread_once_t once;
static sem_t semaphore;
static int pipe_fds[2], socket_fds[2], event_fd;

static const struct timespec long_from_now = {4000000000, 0};

static void first_half(void) {
  STORE(x, 1);
  LOAD(y);
}

static void second_half(void) {
  STORE(y, 1);
  LOAD(x);
}

// Two halves within a lock each.
#define LOCKED(name, lock, unlock, lock_other, unlock_other)                                       \
  static void name##_one(void) {                                                                   \
    if (lock != 0)                                                                                 \
      abort();                                                                                     \
    first_half();                                                                                  \
    unlock;                                                                                        \
  }                                                                                                \
  static void name##_other(void) {                                                                 \
    if (lock_other != 0)                                                                           \
      abort();                                                                                     \
    second_half();                                                                                 \
    unlock_other;                                                                                  \
  }

// A first half that is handed on and a second half that awaits it.
#define HANDED(name, hand, await)                                                                  \
  static void name##_one(void) {                                                                   \
    first_half();                                                                                  \
    hand;                                                                                          \
  }                                                                                                \
  static void name##_other(void) {                                                                 \
    await;                                                                                         \
    second_half();                                                                                 \
  }

#define UNLOCK   pthread_mutex_unlock(&mutex)
#define UNLOCKRW pthread_rwlock_unlock(&rwlock)

LOCKED(nothing, 0, (void)0, 0, (void)0)
LOCKED(mutex, pthread_mutex_lock(&mutex), UNLOCK, pthread_mutex_lock(&mutex), UNLOCK)
LOCKED(trylock, pthread_mutex_trylock(&mutex), UNLOCK, pthread_mutex_trylock(&mutex), UNLOCK)
LOCKED(timedlock, pthread_mutex_timedlock(&mutex, &long_from_now), UNLOCK,
       pthread_mutex_timedlock(&mutex, &long_from_now), UNLOCK)
LOCKED(clocklock, pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &long_from_now), UNLOCK,
       pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &long_from_now), UNLOCK)
LOCKED(recursive, pthread_mutex_lock(&recursive) || pthread_mutex_lock(&recursive),
       pthread_mutex_unlock(&recursive) || pthread_mutex_unlock(&recursive),
       pthread_mutex_lock(&recursive) || pthread_mutex_lock(&recursive),
       pthread_mutex_unlock(&recursive) || pthread_mutex_unlock(&recursive))
LOCKED(spin, pthread_spin_lock(&spin), pthread_spin_unlock(&spin), pthread_spin_trylock(&spin),
       pthread_spin_unlock(&spin))
LOCKED(writers, pthread_rwlock_wrlock(&rwlock), UNLOCKRW, pthread_rwlock_wrlock(&rwlock), UNLOCKRW)
LOCKED(then_reader, pthread_rwlock_wrlock(&rwlock), UNLOCKRW, pthread_rwlock_rdlock(&rwlock),
       UNLOCKRW)
LOCKED(then_writer, pthread_rwlock_rdlock(&rwlock), UNLOCKRW, pthread_rwlock_wrlock(&rwlock),
       UNLOCKRW)
LOCKED(tryrw, pthread_rwlock_tryrdlock(&rwlock), UNLOCKRW, pthread_rwlock_trywrlock(&rwlock),
       UNLOCKRW)
LOCKED(timedrw, pthread_rwlock_timedrdlock(&rwlock, &long_from_now), UNLOCKRW,
       pthread_rwlock_timedwrlock(&rwlock, &long_from_now), UNLOCKRW)

LOCKED(two_mutexes, pthread_mutex_lock(&mutex), UNLOCK, pthread_mutex_lock(&other_mutex),
       pthread_mutex_unlock(&other_mutex))
LOCKED(two_readers, pthread_rwlock_rdlock(&rwlock), UNLOCKRW, pthread_rwlock_rdlock(&rwlock),
       UNLOCKRW)
LOCKED(mutex_in_one, pthread_mutex_lock(&mutex), UNLOCK, 0, (void)0)

HANDED(semaphore, sem_post(&semaphore), sem_wait(&semaphore))
HANDED(semaphore_try, sem_post(&semaphore), while (sem_trywait(&semaphore)))
HANDED(semaphore_timed, sem_post(&semaphore), sem_timedwait(&semaphore, &long_from_now))

static void send_byte(int fd) {
  if (write(fd, "12345678", 8) != 8)
    abort();
}

static void receive_byte(int fd) {
  char bytes[8];
  if (read(fd, bytes, 8) != 8)
    abort();
}

HANDED(pipe, send_byte(pipe_fds[1]), receive_byte(pipe_fds[0]))
HANDED(socket, send_byte(socket_fds[1]), receive_byte(socket_fds[0]))
HANDED(event, send_byte(event_fd), receive_byte(event_fd))
HANDED(once, pthread_once(&once, first_half), pthread_once(&once, abort))

static void signal_one(int all) {
  pthread_mutex_lock(&mutex);
  signalled = 1;
  if (all)
    pthread_cond_broadcast(&cond);
  else
    pthread_cond_signal(&cond);
  pthread_mutex_unlock(&mutex);
}

static void await_signal(int timed) {
  pthread_mutex_lock(&mutex);
  while (!signalled)
    if (timed)
      pthread_cond_timedwait(&cond, &mutex, &long_from_now);
    else
      pthread_cond_wait(&cond, &mutex);
  pthread_mutex_unlock(&mutex);
}

HANDED(cond, signal_one(0), await_signal(0))
HANDED(cond_timed, signal_one(1), await_signal(1))
HANDED(cond_clock, signal_one(0), pthread_mutex_lock(&mutex);
       while (!signalled) pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &long_from_now);
       pthread_mutex_unlock(&mutex))

static void barrier_one(void) {
  STORE(x, 1);
  pthread_barrier_wait(&barrier);
  LOAD(y);
}

static void barrier_other(void) {
  STORE(y, 1);
  pthread_barrier_wait(&barrier);
  LOAD(x);
}

static const struct kind {
  const char *name;
  void (*one)(void), (*other)(void);
  enum { RIGHT, WRONG } verdict;
  enum { IN_TURN, AT_ONCE, JOIN, TRY_JOIN, TIMED_JOIN } how;
} kinds[] = {
    {"mutex", mutex_one, mutex_other, RIGHT, IN_TURN},
    {"trylock", trylock_one, trylock_other, RIGHT, IN_TURN},
    {"timedlock", timedlock_one, timedlock_other, RIGHT, IN_TURN},
    {"clocklock", clocklock_one, clocklock_other, RIGHT, IN_TURN},
    {"recursive", recursive_one, recursive_other, RIGHT, IN_TURN},
    {"spin", spin_one, spin_other, RIGHT, IN_TURN},
    {"writers", writers_one, writers_other, RIGHT, IN_TURN},
    {"then-reader", then_reader_one, then_reader_other, RIGHT, IN_TURN},
    {"then-writer", then_writer_one, then_writer_other, RIGHT, IN_TURN},
    {"tryrw", tryrw_one, tryrw_other, RIGHT, IN_TURN},
    {"timedrw", timedrw_one, timedrw_other, RIGHT, IN_TURN},
    {"semaphore", semaphore_one, semaphore_other, RIGHT, AT_ONCE},
    {"semaphore-try", semaphore_try_one, semaphore_try_other, RIGHT, AT_ONCE},
    {"semaphore-timed", semaphore_timed_one, semaphore_timed_other, RIGHT, AT_ONCE},
    {"pipe", pipe_one, pipe_other, RIGHT, AT_ONCE},
    {"socket", socket_one, socket_other, RIGHT, AT_ONCE},
    {"event", event_one, event_other, RIGHT, AT_ONCE},
    {"once", once_one, once_other, RIGHT, IN_TURN},
    {"cond", cond_one, cond_other, RIGHT, AT_ONCE},
    {"cond-timed", cond_timed_one, cond_timed_other, RIGHT, AT_ONCE},
    {"cond-clock", cond_clock_one, cond_clock_other, RIGHT, AT_ONCE},
    {"barrier", barrier_one, barrier_other, RIGHT, AT_ONCE},
    {"join", first_half, second_half, RIGHT, JOIN},
    {"join-try", first_half, second_half, RIGHT, TRY_JOIN},
    {"join-timed", first_half, second_half, RIGHT, TIMED_JOIN},
    {"nothing", nothing_one, nothing_other, WRONG, IN_TURN},
    {"two-mutexes", two_mutexes_one, two_mutexes_other, WRONG, IN_TURN},
    {"two-readers", two_readers_one, two_readers_other, WRONG, IN_TURN},
    {"mutex-in-one", mutex_in_one_one, mutex_in_one_other, WRONG, IN_TURN},
};

static void *run_freely(void *arg) {
  ((const struct actor *)arg)->act();
  return NULL;
}

static void set_up(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  pthread_mutex_init(&mutex, NULL);
  pthread_mutex_init(&other_mutex, NULL);
  pthread_rwlock_init(&rwlock, NULL);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_cond_init(&cond, NULL);
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&semaphore, 0, 0);
  event_fd = eventfd(0, 0);
  if (event_fd < 0 || pipe(pipe_fds) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fds) != 0)
    abort();
}

static void join(pthread_t thread, int how) {
  if (how == TIMED_JOIN)
    pthread_timedjoin_np(thread, NULL, &long_from_now);
  else if (how == TRY_JOIN)
    while (pthread_tryjoin_np(thread, NULL) != 0)
      sched_yield();
  else
    pthread_join(thread, NULL);
}

static void run_kind(const struct kind *kind) {
  x = y = signalled = 0;
  once = PTHREAD_ONCE_INIT;
  if (kind->how == IN_TURN) {
    one_then_other(kind->one, kind->other);
    return;
  }
  struct actor one = {0, kind->one}, other = {0, kind->other};
  pthread_t thread = start(run_freely, &one);
  if (kind->how == AT_ONCE) {
    pthread_join(start(run_freely, &other), NULL);
    pthread_join(thread, NULL);
    return;
  }
  join(thread, kind->how);
  join(start(run_freely, &other), kind->how);
}

int main(int argc, char **argv) {
  set_up();
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const struct kind *kind = &kinds[i];
    int chosen = argc > 1 ? strcmp(argv[1], kind->name) == 0 : kind->verdict == RIGHT;
    for (int round = 0; chosen && round < 50; round++)
      run_kind(kind);
    if (chosen)
      fprintf(stderr, "%s done\n", kind->name);
  }
  fputs("end\n", stderr);
}
