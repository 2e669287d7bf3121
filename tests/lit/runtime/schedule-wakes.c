// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No thread of the schedule can proceed, and what is no step lets one go on: cancellation, a
// signal, a thread of the C library's own. None of these is a deadlock. Each has a twin without it,
// in which all wait for ever: that is one.
//
// RUN: %build %s -o %t -lrt
// RUN: sh %S/Inputs/each-wake %t >%t.all && FileCheck %s <%t.all
// CHECK-NOT: FAILS
// CHECK-NOT: MISSES
// CHECK: end
//
// That it went on is counted.
// RUN: env RSAN_OPTIONS=stats=1:schedule=random %t foreign 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: schedule_woken {{ *}}1 times that nobody could proceed

#include <aio.h>
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t posted, begun;
static pthread_t waits_for;
static int twin, is_changed;
// The C library's own, for a thread that the runtime knows nothing of.
static int (*real_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static int (*real_post)(sem_t *), (*real_wait)(sem_t *), (*real_sleep)(useconds_t);
static int ends[2];

#define UNSEEN __attribute__((disable_sanitizer_instrumentation))

static void unlock(void *unused) {
  (void)unused;
  pthread_mutex_unlock(&mutex);
}

static void *wait_on_cond(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  sem_post(&begun);
  for (;;)
    pthread_cond_wait(&changed, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

static void *wait_on_sem(void *unused) {
  sem_post(&begun);
  for (;;)
    sem_wait(&posted);
  return unused;
}

static void *wait_once(void *unused) {
  while (sem_wait(&posted) != 0) {
  }
  return unused;
}

static void *wait_for_end(void *unused) {
  sem_post(&begun);
  pthread_join(waits_for, NULL);
  return unused;
}

static void *wait_late(void *unused) {
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  sem_post(&begun);
  sem_wait(&posted);
  pthread_setcancelstate(old, &old);
  sem_wait(&posted);
  return unused;
}

static void wait_for_more(void *unused) {
  (void)unused;
  sem_wait(&posted);
}

static void *wait_in_clean_up(void *unused) {
  pthread_cleanup_push(wait_for_more, NULL);
  wait_on_sem(NULL);
  pthread_cleanup_pop(1);
  return unused;
}

static void *wait_for_lock(void *unused) {
  int old;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  sem_post(&begun);
  pthread_mutex_lock(&mutex);
  return unused;
}

static void *cancel(void *thread) {
  sem_wait(&begun);
  if (!twin)
    pthread_cancel(*(pthread_t *)thread);
  return NULL;
}

// Cancels the function's thread: when it has begun, or at once.
static void cancel_one(void *(*function)(void *), int early) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  if (!early)
    sem_wait(&begun);
  if (!twin)
    pthread_cancel(thread);
  if (function == wait_late || (function == wait_in_clean_up && !twin))
    sem_post(&posted);
  pthread_join(thread, NULL);
}

static void leave(void *unused) {
  (void)unused;
  _exit(0);
}

static void cancel_main(void) {
  pthread_t thread, self = pthread_self();
  pthread_create(&thread, NULL, cancel, &self);
  sem_post(&begun);
  pthread_cleanup_push(leave, NULL);
  sem_wait(&posted);
  pthread_cleanup_pop(0);
}

static void post_at_end(void *unused) {
  (void)unused;
  sem_post(&posted);
}

static void *wait_and_post(void *unused) {
  pthread_cleanup_push(post_at_end, NULL);
  wait_on_cond(unused);
  pthread_cleanup_pop(1);
  return unused;
}

static void cancel_detached(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_and_post, NULL);
  sem_wait(&begun);
  pthread_detach(thread);
  if (!twin)
    pthread_cancel(thread);
  sem_wait(&posted);
}

static UNSEEN void post(union sigval unused) {
  (void)unused;
  if (!twin)
    real_post(&posted);
}

static UNSEEN void *be_foreign(void *unused) {
  if (twin)
    real_wait(&begun);
  real_sleep(50000);
  real_post(&posted);
  return unused;
}

static void begin_foreign(void) {
  pthread_t thread;
  if (real_create(&thread, NULL, be_foreign, NULL) != 0)
    exit(2);
}

static struct sigevent by_thread(void) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = post;
  return event;
}

static void start_timer(struct sigevent event) {
  const struct itimerspec time = {.it_value = {.tv_nsec = 100000000}};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
      timer_settime(timer, 0, &time, NULL) != 0)
    exit(2);
}

static void *wait_for_change(void *unused) {
  pthread_mutex_lock(&mutex);
  while (!is_changed)
    pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

// A thread waits for another one that a timer wakes.
static void wait_for_chain(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_change, NULL);
  sem_wait(&posted);
  pthread_mutex_lock(&mutex);
  is_changed = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}

static UNSEEN void read_later(void) {
  static struct aiocb block;
  static char byte;
  block.aio_fildes = ends[0];
  block.aio_buf = &byte;
  block.aio_nbytes = 1;
  block.aio_sigevent = by_thread();
  if (aio_read(&block) != 0)
    exit(2);
  if (fork() == 0) {
    usleep(30000);
    _exit(write(ends[1], "x", 1) != 1);
  }
}

static void resolve(void) {
  static struct gaicb request = {.ar_name = "127.0.0.1"};
  static struct gaicb *requests[] = {&request};
  struct sigevent event = by_thread();
  if (getaddrinfo_a(GAI_NOWAIT, requests, 1, &event) != 0)
    exit(2);
}

static void handle(int unused) {
  (void)unused;
  sem_post(&posted);
}

static void handle_signal(void) {
  // A handler of faults cannot run while all wait.
  signal(twin ? SIGSEGV : SIGUSR1, handle);
  if (twin)
    signal(SIGUSR1, SIG_IGN);
}

static void kill_later(void) {
  const pid_t parent = getpid();
  handle_signal();
  if (fork() == 0) {
    usleep(30000);
    kill(parent, SIGUSR1);
    _exit(0);
  }
}

static void cancel_join(int early) {
  waits_for = pthread_self();
  pthread_create(&waits_for, NULL, wait_on_sem, NULL);
  sem_wait(&begun);
  cancel_one(wait_for_end, early);
}

// A thread that waits for a mutex is not cancelled, but goes on when the mutex is given back.
static void cancel_at_mutex(void) {
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, wait_on_cond, NULL);
  if (!twin)
    pthread_mutex_unlock(&mutex);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
}

static void run_cancelled(const char *way) {
  if (!strcmp(way, "cancel-cond"))
    cancel_one(wait_on_cond, 0);
  else if (!strcmp(way, "cancel-early"))
    cancel_one(wait_on_cond, 1);
  else if (!strcmp(way, "cancel-sem"))
    cancel_one(wait_on_sem, 0);
  else if (!strcmp(way, "cancel-enabled-late"))
    cancel_one(wait_late, 0);
  else if (!strcmp(way, "cancel-clean-up"))
    cancel_one(wait_in_clean_up, 0);
  else if (!strcmp(way, "cancel-main"))
    cancel_main();
  else if (!strcmp(way, "cancel-detached"))
    cancel_detached();
  else if (!strncmp(way, "cancel-join", 11))
    cancel_join(!strcmp(way, "cancel-join-early"));
  else if (!strcmp(way, "cancel-mutex"))
    cancel_at_mutex();
  else if (!pthread_mutex_lock(&mutex)) // cancel-async
    cancel_one(wait_for_lock, 0);
}

static void start(const char *way) {
  const struct sigevent by_signal = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  if (!strncmp(way, "foreign", 7))
    begin_foreign();
  else if (!strncmp(way, "timer", 5))
    start_timer(by_thread());
  else if (!strcmp(way, "aio"))
    read_later();
  else if (!strcmp(way, "resolver"))
    resolve();
  else if (!strcmp(way, "signal-of-child"))
    kill_later();
  else
    handle_signal();
  if (!strcmp(way, "signal-of-timer") || !strcmp(way, "signal-of-many"))
    start_timer(by_signal);
  if (!strcmp(way, "signal") && !twin)
    raise(SIGUSR1);
}

static void run(const char *way) {
  pthread_t thread;
  if (!strncmp(way, "cancel", 6))
    return run_cancelled(way);
  start(way);
  if (strstr(way, "-chain"))
    return wait_for_chain();
  if (!strcmp(way, "signal-of-many")) {
    pthread_create(&thread, NULL, wait_once, NULL);
    pthread_join(thread, NULL);
  } else {
    wait_once(NULL);
  }
}

static int find_real(void) {
  *(void **)&real_create = dlsym(RTLD_NEXT, "pthread_create");
  *(void **)&real_post = dlsym(RTLD_NEXT, "sem_post");
  *(void **)&real_wait = dlsym(RTLD_NEXT, "sem_wait");
  *(void **)&real_sleep = dlsym(RTLD_NEXT, "usleep");
  return real_create && real_post && real_wait && real_sleep;
}

int main(int argc, char **argv) {
  twin = argc > 2;
  sem_init(&posted, 0, 0);
  sem_init(&begun, 0, 0);
  if (!find_real() || pipe(ends) != 0)
    return 2;
  run(argv[1]);
}
