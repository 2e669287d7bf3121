// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread has ended, and is not joined yet, when its process forks. It is no leak of the child's.
// It is one of its own process, if that does not join it.
//
// RUN: %build %s -o %t
// RUN: %t joined 2>&1 | FileCheck %s --check-prefix=JOINED
// JOINED-NOT: WARNING
// JOINED: child's status 0
// JOINED-NOT: WARNING
//
// RUN: %exits 66 %t leaked 2>&1 | FileCheck %s --check-prefix=LEAKED
// LEAKED-NOT: WARNING
// LEAKED: child's status 0
// LEAKED: WARNING: ThreadSanitizer: thread leak

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int number;

static void *run(void *unused) {
  __atomic_store_n(&number, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t thread;
  int thread_number, status;
  pthread_create(&thread, NULL, run, NULL);
  while (!(thread_number = __atomic_load_n(&number, __ATOMIC_SEQ_CST)))
    sched_yield();
  while (syscall(SYS_tgkill, getpid(), thread_number, 0) == 0)
    sched_yield();
  if (fork() == 0)
    _exit(0);
  wait(&status);
  printf("child's status %d\n", WEXITSTATUS(status));
  fflush(stdout);
  if (strcmp(argv[argc - 1], "joined") == 0)
    pthread_join(thread, NULL);
  return 0;
}
