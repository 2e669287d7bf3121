// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread asks another process, which answers to another thread: by memory that they share, by
// pipes, by its end. The receiver of the answer knows what was done before the question; a thread
// that has seen only an order of threads which the sanitizer does not see does not.
//
// RUN: %build %s -o %t && %t memory pipes end 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %build -O0 %s -o %t.O0 && %t.O0 memory pipes end 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=races=0 %t memory pipes end 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=io_sync=0 %t memory pipes end 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: done
//
// RUN: %exits 66 %t memory-unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t pipes-unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t end-unasked 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 look
// CHECK: may miss
// CHECK-NEXT: #0 work
#include "access.h"
#include "turns.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int x, y, asks;
static struct shared {
  int question, answer;
} *shared;
static int to[2], from[2];
static pid_t child;

static void work(void) {
  STORE(x, 1);
  STORE(y, 1);
}

static void look(void) {
  if (LOAD(y) != 1 || LOAD(x) != 1)
    abort();
}

static void echo_memory(void) {
  while (__atomic_load_n(&shared->question, __ATOMIC_ACQUIRE) == 0)
    ;
  __atomic_store_n(&shared->answer, 1, __ATOMIC_RELEASE);
}

static void ask_memory(void) {
  work();
  __atomic_store_n(&shared->question, 1, __ATOMIC_RELEASE);
}

static void hear_memory(void) {
  while (asks && __atomic_load_n(&shared->answer, __ATOMIC_ACQUIRE) == 0)
    ;
  look();
}

static void echo_pipes(void) {
  char c;
  if (read(to[0], &c, 1) != 1 || write(from[1], &c, 1) != 1)
    abort();
}

static void ask_pipes(void) {
  work();
  if (write(to[1], "1", 1) != 1)
    abort();
}

static void hear_pipes(void) {
  char c;
  if (asks && read(from[0], &c, 1) != 1)
    abort();
  look();
}

static void fork_child(void (*echo)(void)) {
  child = fork();
  if (child < 0)
    abort();
  if (child > 0)
    return;
  echo();
  _exit(0);
}

static void nothing(void) {}

static void ask_end(void) {
  work();
  fork_child(nothing);
}

static void hear_end(void) {
  if (asks && waitpid(child, 0, 0) != child)
    abort();
  look();
}

int main(int argc, char **argv) {
  shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || pipe(to) != 0 || pipe(from) != 0)
    abort();
  for (int i = 1; i < argc; i++) {
    const char *way = argv[i];
    asks = !strstr(way, "unasked");
    x = y = shared->question = shared->answer = 0;
    if (strncmp(way, "memory", 6) == 0) {
      fork_child(echo_memory);
      one_then_other(ask_memory, hear_memory);
    } else if (strncmp(way, "pipes", 5) == 0) {
      fork_child(echo_pipes);
      one_then_other(ask_pipes, hear_pipes);
    } else {
      one_then_other(ask_end, hear_end);
    }
    while (waitpid(-1, 0, WNOHANG) > 0)
      ;
  }
  fputs("done\n", stderr);
}
