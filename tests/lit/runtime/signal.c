// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signal handlers that use atomics: violations in them are reported like any other, robust ones are
// not, and however often one interrupts atomic operations, and reports, on the very objects that it
// uses itself, nothing hangs or is lost.
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t raised 2>&1 | FileCheck %s
// RUN: %exits 66 %t sent 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: Atomic read of size 4 at {{.*}} by thread T2 (memory_order_relaxed):
// CHECK-NEXT: #0 handle {{.*}}signal.c:
// CHECK: may miss the atomic write of size 4 by thread T1 (memory_order_relaxed):
// CHECK-NEXT: #0 handle {{.*}}signal.c:
// CHECK: reported 1 warnings
//
// RUN: %t robust-raised 2>&1 | count 0
// RUN: %t robust-sent 2>&1 | count 0
//
// The interrupted program and the handler count together.
// RUN: %t flood 2>&1 | FileCheck %s --check-prefix=FLOOD
// RUN: env RSAN_OPTIONS=clocks=explicit %t flood 2>&1 | FileCheck %s --check-prefix=FLOOD
// FLOOD-NOT: WARNING
// FLOOD: {{^}}all counted
// FLOOD-NOT: WARNING
// RUN: env RSAN_OPTIONS=suppress_equal_stacks=0:symbolize=0 %exits 66 %t flood-report >%t.out 2>&1
// RUN: FileCheck %s --check-prefix=REPORT <%t.out
// REPORT: robustness violation
// REPORT: {{^}}all counted
//
// A handler that saves errno finds it kept; the code that it interrupted, too.
// RUN: %t errno 2>&1 | count 0
#include "access.h"
#include "turns.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

enum { SIGNALS = 200 };

static const char *what;
static int flags[2], counter, handled, stop;
static _Thread_local int who;

static int is(const char *word) {
  return strstr(what, word) != NULL;
}

static void handle(int signal) {
  (void)signal;
  STORE(flags[who], 1);
  if (is("robust"))
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  LOAD(flags[1 - who]);
}

static void install(int signal, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  if (sigaction(signal, &action, NULL) != 0)
    exit(3);
}

static void one(void) {
  raise(SIGUSR1);
}

static void other(void) {
  who = 1;
  raise(SIGUSR1);
}

static void *await_signal(void *arg) {
  sigset_t usr1;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  who = arg != NULL;
  await_turn(who ? 3 : 1);
  pass_turn(who ? 4 : 2);
  sigsuspend(&usr1);
  pass_turn(who ? 5 : 3);
  return NULL;
}

// The signal is blocked everywhere but in sigsuspend, so that it comes there.
static void send_to_each(void) {
  sigset_t usr2;
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &usr2, NULL);
  pthread_t threads[2] = {start(await_signal, NULL), start(await_signal, &flags)};
  pass_turn(1);
  for (int i = 0; i < 2; i++) {
    await_turn(2 * i + 2);
    pthread_kill(threads[i], SIGUSR2);
  }
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

static void count(int signal) {
  (void)signal;
  int saved = errno;
  __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&handled, 1,
                     __ATOMIC_SEQ_CST); // not relaxed: who sees it looks at the counter next
  if (is("report")) {
    STORE(flags[0], LOAD(handled));
    LOAD(flags[1]);
  }
  errno = saved;
}

static void *count_too(void *arg) {
  long *times = arg;
  while (!LOAD(stop)) {
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
    ++*times;
    if (is("report")) {
      STORE(flags[1], (int)*times);
      LOAD(flags[0]);
    }
  }
  return NULL;
}

static void flood(void) {
  install(SIGALRM, count);
  struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  long times[2] = {0, 0};
  pthread_t threads[2] = {start(count_too, &times[0]), start(count_too, &times[1])};
  setitimer(ITIMER_REAL, &often, NULL);
  while (__atomic_load_n(&handled, __ATOMIC_SEQ_CST) < SIGNALS)
    __atomic_load_n(&counter, __ATOMIC_ACQUIRE);
  setitimer(ITIMER_REAL, &never, NULL);
  install(SIGALRM, SIG_IGN);
  STORE(stop, 1);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  long counted = __atomic_load_n(&counter, __ATOMIC_SEQ_CST);
  fprintf(stderr, counted == times[0] + times[1] + LOAD(handled) ? "all counted\n" : "some lost\n");
}

static void change_errno(int signal) {
  (void)signal;
  int saved = errno;
  errno = 77;
  ADD(counter, 1);
  if (errno != 77)
    abort();
  errno = saved;
}

static void check_errno(void) {
  install(SIGUSR1, change_errno);
  errno = 55;
  raise(SIGUSR1);
  if (errno != 55)
    abort();
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  install(SIGUSR1, handle);
  install(SIGUSR2, handle);
  if (is("flood"))
    flood();
  else if (is("errno"))
    check_errno();
  else if (is("raised"))
    one_then_other(one, other);
  else
    send_to_each();
}
