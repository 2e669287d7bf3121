// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that start others: exec, vfork, posix_spawn, system, popen. What is started is a program
// of its own, built with the sanitizer or not; options and descriptors are handed on; nothing is
// reported for it.
//
// RUN: %build %s -o %t
// RUN: %t exec %t        2>&1 | FileCheck %s
// RUN: %t fork-exec %t   2>&1 | FileCheck %s --check-prefixes=CHECK,PARENT
// RUN: %t vfork-exec %t  2>&1 | FileCheck %s --check-prefixes=CHECK,PARENT
// RUN: %t spawn %t       2>&1 | FileCheck %s --check-prefixes=CHECK,PARENT
// RUN: %t system %t      2>&1 | FileCheck %s --check-prefixes=CHECK,PARENT
// RUN: %t popen %t       2>&1 | FileCheck %s --check-prefixes=CHECK,PARENT
// RUN: %t system /bin/echo 2>&1 | FileCheck %s --check-prefixes=UNINSTRUMENTED,PARENT
// CHECK-NOT: WARNING
// CHECK: child of {{[0-9]+}}: 1
// UNINSTRUMENTED-NOT: WARNING
// UNINSTRUMENTED: {{^}}child
// PARENT-NOT: WARNING
// PARENT: end
// CHECK-NOT: WARNING
//
// A child that is not robust says so itself, and its exit status is its own.
// RUN: %t system "%t violation" >%t.out 2>&1
// RUN: FileCheck %s --check-prefix=VIOLATION <%t.out
// VIOLATION: WARNING: ThreadSanitizer: robustness violation
// VIOLATION: reported 1 warnings
// VIOLATION: child's status 66
// VIOLATION: end
// RUN: env RSAN_OPTIONS=exitcode=9 %t system "%t violation" 2>&1 | FileCheck %s --check-prefix=NINE
// NINE: child's status 9
#include "access.h"
#include "turns.h"

#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int x, y, busy, stop;

static void one(void) {
  STORE(x, 1);
  LOAD(y);
}

static void other(void) {
  STORE(y, 1);
  LOAD(x);
}

static void report(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    fprintf(stderr, "child's status %d\n", WEXITSTATUS(status));
}

static void await(pid_t child) {
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child)
    exit(3);
  report(status);
}

static void *be_busy(void *arg) {
  while (!LOAD(stop))
    ADD(busy, 1);
  return arg;
}

static void read_from(const char *command) {
  char line[100] = "";
  FILE *pipe = popen(command, "r");
  if (!pipe)
    exit(3);
  while (fgets(line, sizeof line, pipe))
    fputs(line, stderr);
  report(pclose(pipe));
}

static void run(const char *how, char *program) {
  char *arguments[] = {program, (char *)"child", NULL}, command[4096];
  snprintf(command, sizeof command, "%s child", program);
  pid_t child;
  if (strcmp(how, "exec") == 0) {
    execv(program, arguments);
  } else if (strcmp(how, "fork-exec") == 0) {
    child = fork();
    if (child == 0)
      _exit(execv(program, arguments));
    await(child);
  } else if (strcmp(how, "vfork-exec") == 0) {
    child = vfork();
    if (child == 0)
      _exit(execv(program, arguments));
    await(child);
  } else if (strcmp(how, "spawn") == 0) {
    if (posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0)
      exit(3);
    await(child);
  } else if (strcmp(how, "system") == 0) {
    report(system(command));
  } else if (strcmp(how, "popen") == 0) {
    read_from(command);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "violation") == 0) {
    one_then_other(one, other);
    return 0;
  }
  if (argc < 3) {
    ADD(x, 1);
    printf("child of %d: %d\n", getppid(), LOAD(x));
    return 0;
  }
  pthread_t thread = start(be_busy, NULL);
  while (LOAD(busy) == 0)
    sched_yield();
  run(argv[1], argv[2]);
  STORE(stop, 1);
  pthread_join(thread, NULL);
  fprintf(stderr, "end\n");
}
