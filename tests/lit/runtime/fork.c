// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Children of fork. That of a process without other threads is analysed like its parent, and goes
// on with its history; that of a process with threads is left alone, as ThreadSanitizer does, and
// neither reports nor hangs.
//
// RUN: %build %s -o %t
// RUN: %t child 2>&1 | FileCheck %s --check-prefix=CHILD
// CHILD-DAG: parent [[PID:[0-9]+]]
// CHILD-DAG: child [[CPID:[0-9]+]]
// CHILD: WARNING: ThreadSanitizer: robustness violation (pid=[[CPID]])
// CHILD: Atomic read of size 4 at {{.*}} by thread T2
// CHILD: reported 1 warnings
// CHILD-NEXT: child's status 66
// CHILD-NOT: {{.}}
//
// RUN: %exits 66 %t parent 2>&1 | FileCheck %s --check-prefix=PARENT
// PARENT: child's status 0
// PARENT-NEXT: parent [[PID:[0-9]+]]
// PARENT: WARNING: ThreadSanitizer: robustness violation (pid=[[PID]])
// PARENT: reported 1 warnings
//
// The same two in which all is well.
// RUN: %t robust-child 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t robust-parent 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: child's status 0
// NONE-NOT: WARNING
//
// Threads, some of them within an atomic operation or a report at the time of the fork.
// RUN: %t threads 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS-NOT: (pid={{[0-9]+}})
// THREADS: 100 children
// RUN: env RSAN_OPTIONS=suppress_equal_stacks=0:symbolize=0 %exits 66 %t threads-report >%t.out 2>&1
// RUN: grep -v '^$' %t.out | FileCheck %s --check-prefix=REPORTS
// REPORTS: robustness violation
// REPORTS: 20 children
// RUN: env RSAN_OPTIONS=clocks=explicit %t threads 2>&1 | FileCheck %s --check-prefix=THREADS
#include "access.h"
#include "turns.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned long __rsan_violation_count(void);

static const char *what;
static int x, y, hot, stop, pairs[2];

static int is(const char *word) {
  return strstr(what, word) != NULL;
}

static void fence(void) {
  if (is("robust"))
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void one(void) {
  STORE(x, 1);
  fence();
  LOAD(y);
}

static void other(void) {
  STORE(y, 1);
  fence();
  LOAD(x);
}

static void await_child(pid_t child) {
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child)
    exit(3);
  fprintf(stderr, "child's status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

// What the process had seen before the fork stays with it.
static void without_threads(void) {
  STORE(x, 1);
  STORE(x, 0);
  ADD(hot, 1);
  if (is("child"))
    fprintf(stderr, "parent %d\n", getpid());
  pid_t child = fork();
  if (child == 0) {
    if (is("child")) {
      fprintf(stderr, "child %d\n", getpid());
      one_then_other(one, other);
    }
    exit(LOAD(hot) == 1 ? 0 : 4);
  }
  await_child(child);
  if (is("parent")) {
    fprintf(stderr, "parent %d\n", getpid());
    one_then_other(one, other);
  }
}

static void *be_busy(void *arg) {
  for (int i = 0; !LOAD(stop); i++) {
    ADD(hot, 1);
    if (is("report")) {
      STORE(pairs[arg != NULL], i);
      LOAD(pairs[arg == NULL]);
    } else {
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
  }
  return NULL;
}

static void with_threads(int children) {
  pthread_t threads[2] = {start(be_busy, NULL), start(be_busy, &hot)};
  while (is("report") && __rsan_violation_count() == 0)
    sched_yield();
  for (int i = 0; i < children; i++) {
    pid_t child = fork();
    if (child == 0) {
      for (int j = 0; j < 100; j++) {
        ADD(hot, 1);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        STORE(pairs[0], j);
      }
      one();
      other();
      _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
      exit(3);
  }
  STORE(stop, 1);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  fprintf(stderr, "%d children\n", children);
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  if (is("threads"))
    with_threads(is("report") ? 20 : 100);
  else
    without_threads();
}
