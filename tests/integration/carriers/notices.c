// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// notices NAME [broken]: the main thread asks for something that another thread tells of when it
// has come: a thread of the C library's, one that gets a signal, or one that clone(2) creates.
// Without arguments it prints the names of all requests.
//
// The main thread writes data and a flag, and asks; then it reads the other flag. The other thread
// writes its flag and reads the first one, which cannot be 0, because the request came before. It
// reads the data and writes an answer, for which the main thread waits. In the broken twin the
// other thread writes the answer again when the main thread may read it: a data race.

#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>

#include "must.h"

static int fd[2], data, answer;
static bool broken;
static atomic_int asked, told, number = 1;
static sem_t done;
static char byte = 1;
static pthread_t other;
static struct aiocb transfer;
static struct gaicb question = {.ar_name = "127.0.0.1"};
static struct gaicb *questions[] = {&question};
static const struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
static const struct timespec moment = {.tv_nsec = 10000000};

// -- what the other thread does --

static void tell(void) {
  atomic_store_explicit(&told, 1, memory_order_relaxed);
  if (!atomic_load_explicit(&asked, memory_order_relaxed))
    exit(8);
  answer = data;
}

static void tell_and_wake(void) {
  tell();
  sem_post(&done);
  if (broken)
    answer = 2;
}

static void notice(union sigval unused) {
  (void)unused;
  tell_and_wake();
}

static void on_signal(int unused) {
  (void)unused;
  tell_and_wake();
}

static struct sigevent by_thread(void) {
  return (struct sigevent){.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notice};
}

// -- timers --

static timer_t timer;

static void make_timer(void) {
  struct sigevent event = by_thread();
  MUST(timer_create(CLOCK_MONOTONIC, &event, &timer));
}

static void arm_timer(void) {
  MUST(timer_settime(timer, 0, &soon, NULL));
}

static void ask_timer(void) {
  make_timer();
  arm_timer();
}

static void *wait_for_signal(void *signals) {
  int got;
  sigwait(signals, &got);
  tell_and_wake();
  return NULL;
}

static void *sleep_for_signal(void *unused) {
  static const sigset_t none;
  while (!atomic_load(&told))
    sigsuspend(&none);
  return unused;
}

static void block_and(void *(*wait)(void *)) {
  static sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  if (wait == sleep_for_signal)
    signal(SIGALRM, on_signal);
  pthread_create(&other, NULL, wait, &signals);
}

static void make_waiter(void) {
  block_and(wait_for_signal);
}

static void make_sleeper(void) {
  block_and(sleep_for_signal);
}

static void ask_ualarm(void) {
  ualarm(1000, 0);
}

static void ask_interval(void) {
  const struct itimerval time = {.it_value = {.tv_usec = 1000}};
  MUST(setitimer(ITIMER_REAL, &time, NULL));
}

static void ask_signal_timer(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  MUST(timer_create(CLOCK_MONOTONIC, &event, &timer));
  arm_timer();
}

// -- queues and files --

static void ask_queue(void) {
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 1};
  struct sigevent event = by_thread();
  char name[32];
  snprintf(name, sizeof name, "/notices-%d", (int)getpid());
  const mqd_t queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
  MUST(queue);
  MUST(mq_unlink(name));
  MUST(mq_notify(queue, &event));
  MUST(mq_send(queue, &byte, 1, 0));
}

static void make_pipe(void) {
  MUST(pipe(fd));
}

static void ask_read_by(struct sigevent event) {
  static char into;
  transfer =
      (struct aiocb){.aio_fildes = fd[0], .aio_buf = &into, .aio_nbytes = 1, .aio_sigevent = event};
  MUST(aio_read(&transfer));
}

static void ask_read(void) {
  ask_read_by(by_thread());
  MUST(write(fd[1], &byte, 1));
}

static void *poll_transfer(void *unused) {
  while (aio_error(&transfer) == EINPROGRESS)
    nanosleep(&moment, NULL);
  tell_and_wake();
  return unused;
}

static void *suspend(void *unused) {
  const struct aiocb *const list[] = {&transfer};
  while (aio_suspend(list, 1, NULL) != 0) {
  }
  tell_and_wake();
  return unused;
}

// The other thread is created before the data is written, and learns of the operation by a flag.
static atomic_int begun;
static void *(*waits)(void *);

static void *wait_for_transfer(void *unused) {
  while (!atomic_load_explicit(&begun, memory_order_relaxed))
    sched_yield();
  return waits(unused);
}

static void make_reader(void *(*how)(void *)) {
  make_pipe();
  ask_read_by((struct sigevent){.sigev_notify = SIGEV_NONE});
  waits = how;
  pthread_create(&other, NULL, wait_for_transfer, NULL);
}

static void make_polled(void) {
  make_reader(poll_transfer);
}

static void make_suspended(void) {
  make_reader(suspend);
}

static void end_read(void) {
  atomic_store_explicit(&begun, 1, memory_order_relaxed);
  MUST(write(fd[1], &byte, 1));
}

static void *read_pipe(void *unused) {
  char got;
  MUST(read(fd[0], &got, 1));
  tell_and_wake();
  return unused;
}

static void make_written(void) {
  make_pipe();
  pthread_create(&other, NULL, read_pipe, NULL);
}

static void ask_write(void) {
  transfer = (struct aiocb){.aio_fildes = fd[1], .aio_buf = &byte, .aio_nbytes = 1};
  MUST(aio_write(&transfer));
}

static void ask_list(void) {
  static struct aiocb *list[] = {&transfer, NULL};
  struct sigevent event = by_thread();
  transfer = (struct aiocb){
      .aio_fildes = fd[1], .aio_buf = &byte, .aio_nbytes = 1, .aio_lio_opcode = LIO_WRITE};
  MUST(lio_listio(LIO_NOWAIT, list, 2, &event));
}

static void ask_name(void) {
  static struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST};
  struct sigevent event = by_thread();
  question.ar_request = &numeric;
  if (getaddrinfo_a(GAI_NOWAIT, questions, 1, &event) != 0)
    fail("getaddrinfo_a");
}

static void end_name(void) {
  while (gai_error(&question) == EAI_INPROGRESS)
    gai_suspend((const struct gaicb *const *)questions, 1, NULL);
  freeaddrinfo(question.ar_result);
}

// -- clone(2) --

static int end_by_return(void *unused) {
  (void)unused;
  tell();
  return 0;
}

static int end_by_call(void *unused) {
  (void)unused;
  tell();
  syscall(SYS_exit, 0);
  return 0;
}

static int end_by_assembly(void *unused) {
  (void)unused;
  tell();
#ifdef __x86_64__
  __asm__ volatile("syscall" ::"a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
#endif
  return 0;
}

static void clone_as(int (*function)(void *), int flags) {
  enum {
    ROOM = 1 << 17,
    SHARED = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM
  };
  char *stack = malloc(ROOM), *memory = calloc(1, 1 << 16);
  MUST(clone(function, stack + ROOM, SHARED | CLONE_CHILD_CLEARTID | flags, NULL, NULL,
             memory + (1 << 15), &number));
}

static void ask_clone(void) {
  clone_as(end_by_return, 0);
}

static void ask_exit(void) {
  clone_as(end_by_call, 0);
}

static void ask_assembly(void) {
  clone_as(end_by_assembly, 0);
}

static void ask_own_memory(void) {
  clone_as(end_by_call, CLONE_SETTLS);
}

static void wait_for_end(void) {
  int left;
  if (broken)
    answer = 2;
  while ((left = atomic_load_explicit(&number, memory_order_acquire)))
    syscall(SYS_futex, &number, FUTEX_WAIT, left, NULL, NULL, 0);
}

static const struct {
  const char *name;
  void (*make)(void), (*ask)(void), (*wait)(void);
} requests[] = {
    {"timer", NULL, ask_timer, NULL},
    {"timer-armed", make_timer, arm_timer, NULL},
    {"timer-sigwait", make_waiter, ask_signal_timer, NULL},
    {"timer-handler", make_sleeper, ask_signal_timer, NULL},
    {"setitimer-sigwait", make_waiter, ask_interval, NULL},
    {"setitimer-handler", make_sleeper, ask_interval, NULL},
    {"ualarm-sigwait", make_waiter, ask_ualarm, NULL},
    {"mq_notify", NULL, ask_queue, NULL},
    {"aio_read", make_pipe, ask_read, NULL},
    {"aio_error", make_polled, end_read, NULL},
    {"aio_suspend", make_suspended, end_read, NULL},
    {"aio_write", make_written, ask_write, NULL},
    {"lio_listio", make_pipe, ask_list, NULL},
    {"getaddrinfo_a", NULL, ask_name, NULL},
    {"clone", NULL, ask_clone, wait_for_end},
    {"clone-exit", NULL, ask_exit, wait_for_end},
    {"clone-assembly", NULL, ask_assembly, wait_for_end},
    {"clone-settls", NULL, ask_own_memory, wait_for_end},
};

int main(int argc, char **argv) {
  enum { COUNT = sizeof requests / sizeof *requests };
  size_t chosen = 0;
  for (size_t i = 0; argc < 2 && i < COUNT; i++)
    puts(requests[i].name);
  if (argc < 2)
    return 0;
  while (chosen < COUNT && strcmp(requests[chosen].name, argv[1]) != 0)
    chosen++;
  if (chosen == COUNT)
    return 9;
  broken = argc > 2;
  sem_init(&done, 0, 0);
  if (requests[chosen].make)
    requests[chosen].make();
  data = 1;
  atomic_store_explicit(&asked, 1, memory_order_relaxed);
  requests[chosen].ask();
  (void)atomic_load_explicit(&told, memory_order_relaxed);
  if (requests[chosen].wait)
    requests[chosen].wait();
  else
    sem_wait(&done);
  const int got = answer;
  if (other)
    pthread_join(other, NULL);
  if (questions[0]->ar_request)
    end_name();
  return got != 1 && !broken;
}
