// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads that a call of the kernel or the C library orders. Each program that includes this
// has a table of such calls, and is run as PROGRAM NAME [broken]. Without arguments it prints the
// names.
//
// If the call sends something, one thread writes data and sends, and the other one receives and
// reads the data. The broken twin writes the data again after it has sent: a data race. If the call
// locks, each thread writes its flag, locks, unlocks, and reads the other flag. The broken twin
// does not lock, so both threads may read 0: the program is not robust.

#ifndef PAIR_H
#define PAIR_H

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "must.h"

struct carrier {
  const char *name; // NULL ends the table
  void (*make)(void), (*send)(void), (*receive)(void), (*lock)(int thread);
};

extern const struct carrier carriers[]; // the program's table

static int fd[2], other[2], set, queue;
static char byte = 1;
static bool broken;
static char name[] = "/tmp/carriers-XXXXXX", inside[sizeof name + 8], beside[sizeof name + 8];

// -- what is made, and done with it --

static inline void make_pipe(void) {
  MUST(pipe(fd));
  MUST(pipe(other));
}

static inline void make_set(void) {
  MUST(set = semget(IPC_PRIVATE, 2, 0600));
}

static inline void make_folder(void) {
  if (!mkdtemp(name))
    fail("mkdtemp");
  snprintf(inside, sizeof inside, "%s/lock", name);
  snprintf(beside, sizeof beside, "%s/file", name);
  MUST(close(open(beside, O_CREAT | O_WRONLY, 0600)));
}

static inline void block_signal(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

static inline void remove_all(void) {
  if (set)
    semctl(set, 0, IPC_RMID);
  if (queue)
    msgctl(queue, IPC_RMID, NULL);
  if (*beside) {
    unlink(beside);
    remove(inside);
    rmdir(name);
  }
}

static inline void write_pipe(void) {
  MUST(write(fd[1], &byte, 1));
}

static inline void do_semop(int change) {
  struct sembuf operation = {1, (short)change, 0};
  MUST(semop(set, &operation, 1));
}

static inline void raise_semaphore(void) {
  do_semop(1);
}

static inline void lower_semaphore(void) {
  do_semop(-1);
}

static inline void make_raised(void) {
  make_set();
  do_semop(1);
}

static inline void raw_read(void) {
  unsigned long long got;
  MUST(syscall(SYS_read, fd[0], &got, sizeof got));
}

static inline void do_poll(void) {
  struct pollfd polled = {fd[0], POLLIN, 0};
  MUST(poll(&polled, 1, -1));
}

static inline void wait_epoll(void) {
  struct epoll_event event;
  MUST(epoll_wait(queue, &event, 1, -1));
  queue = 0;
}

static inline void send_kill(void) {
  MUST(kill(getpid(), SIGUSR1));
}

static inline void send_raw_kill(void) {
  MUST(syscall(SYS_kill, getpid(), SIGUSR1));
}

// -- the two threads --

static const struct carrier *carrier;
static int data, seen[2];
static atomic_int flag[2];

static void *send_data(void *unused) {
  data = 1;
  carrier->send();
  if (broken)
    data = 2;
  return unused;
}

static void *contend(void *which) {
  int thread = *(int *)which;
  atomic_store_explicit(&flag[thread], 1, memory_order_relaxed);
  if (!broken)
    carrier->lock(thread);
  seen[thread] = atomic_load_explicit(&flag[!thread], memory_order_relaxed);
  return NULL;
}

static void contend_for_it(void) {
  static int numbers[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, contend, &numbers[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

static void pass_data(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, send_data, NULL);
  carrier->receive();
  int got = data;
  pthread_join(thread, NULL);
  data = got;
}

int main(int argc, char **argv) {
  for (carrier = carriers; carrier->name; carrier++) {
    if (argc < 2)
      puts(carrier->name);
    else if (strcmp(carrier->name, argv[1]) == 0)
      break;
  }
  if (!carrier->name)
    return argc < 2 ? 0 : 9;
  broken = argc > 2;
  if (carrier->make)
    carrier->make();
  if (carrier->lock)
    contend_for_it();
  else
    pass_data();
  remove_all();
  return 0;
}

#endif
