// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// membarrier(2): a full fence of every thread, whichever command it is. One side of the store
// buffering has a compiler barrier alone. Its accesses come before the call, or after it; which of
// the two is told by a relaxed flag, which orders nothing but the run.
//
// RUN: %build -O1 %s -o %t
// RUN: %build -O0 %s -o %t.O0
// RUN: %buildxx -O2 -x c++ -std=c++20 %s -o %t.cpp
// RUN: sh %S/Inputs/each-call quiet stats=0 '%t %t.O0 %t.cpp' 'before after' 'global global_expedited private sync_core rseq'
//
// The twins: no call, a call that fails, or one that is no fence. GLOBAL_EXPEDITED fences those who
// have registered for it.
// RUN: sh %S/Inputs/each-call 'robustness violation' stats=0 '%t %t.O0 %t.cpp' 'before after' 'none query register bad private_unregistered global_expedited_unregistered'
//
// What a thread has done is published by its part of the fence.
// RUN: sh %S/Inputs/each-call quiet 'robustness=0 robustness=1' %t message private
// RUN: sh %S/Inputs/each-call 'data race' 'robustness=0 robustness=1' %t message none
//
// Without data races, by explicit clocks, and by machines, for which all begins anew. (x86 keeps
// the flag in order.)
// RUN: sh %S/Inputs/each-call quiet 'races=0 clocks=explicit target=x86 target=armv8 seq_cst=fence history=exact' %t 'before after' private
// RUN: sh %S/Inputs/each-call 'robustness violation' 'races=0 clocks=explicit target=armv8 seq_cst=fence history=exact' %t 'before after' none
//
// Chosen schedules.
// RUN: sh %S/Inputs/each-call quiet 'schedule=mix:seed=1 schedule=mix:seed=2 schedule=random:seed=3 schedule=pct:seed=4 schedule=pos:seed=5 schedule=delay:seed=6 schedule=mix:target=x86 schedule=mix:clocks=explicit' %t 'before after free' 'private global'
// RUN: sh %S/Inputs/each-call 'robustness violation' 'schedule=mix:seed=1 schedule=mix:seed=2 schedule=random:seed=3 schedule=pct:seed=4 schedule=pos:seed=5 schedule=delay:seed=6 schedule=mix:target=armv8 schedule=mix:clocks=explicit' %t 'before after' none
//
// mprotect and munmap, if that is asked for.
// RUN: sh %S/Inputs/each-call quiet 'mapping_fences=1 mapping_fences=1:schedule=mix' %t 'before after' 'mprotect munmap'
// RUN: sh %S/Inputs/each-call 'robustness violation' 'mapping_fences=0 schedule=mix' %t 'before after' 'mprotect munmap'
//
// The count of those that met threads that ran.
// RUN: env RSAN_OPTIONS=stats=1 %t before private 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: membarriers 1

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __cplusplus
#include <atomic>
using namespace std;
#else
#include <stdatomic.h>
#endif
#define RELAXED memory_order_relaxed

static const struct {
  const char *name;
  int command, registers; // -1: none
} calls[] = {{"none", -1, -1},
             {"query", 0, -1},
             {"register", 1 << 4, -1},
             {"bad", 1 << 20, -1},
             {"global", 1 << 0, -1},
             {"global_expedited", 1 << 1, 1 << 2},
             {"global_expedited_unregistered", 1 << 1, -1},
             {"private", 1 << 3, 1 << 4},
             {"private_unregistered", 1 << 3, -1},
             {"sync_core", 1 << 5, 1 << 6},
             {"rseq", 1 << 7, 1 << 8}};

static atomic_int x, y, z, turn;
int letter; // (others might read it, so the writes stay)
static int command = -1, is_mapping;
static void *page;

static void fence_all(void) {
  if (command >= 0)
    syscall(SYS_membarrier, command, 0, 0);
  if (is_mapping == 1)
    mprotect(page, 4096, PROT_READ);
  if (is_mapping == 2)
    munmap(page, 4096);
}

static void await_turn(void) {
  while (!atomic_load_explicit(&turn, RELAXED))
    ;
}

static void fast_accesses(void) {
  atomic_store_explicit(&x, 1, RELAXED);
  atomic_signal_fence(memory_order_seq_cst);
  atomic_load_explicit(&y, RELAXED);
}

static void slow_accesses(void) {
  atomic_store_explicit(&y, 1, RELAXED);
  fence_all();
  atomic_load_explicit(&x, RELAXED);
}

static void give_turn(void) {
  atomic_store_explicit(&turn, 1, RELAXED);
}

static void *first(void *accesses) {
  ((void (*)(void))accesses)();
  give_turn();
  return NULL;
}

static void *second(void *accesses) {
  await_turn();
  ((void (*)(void))accesses)();
  return NULL;
}

static void *only(void *accesses) {
  ((void (*)(void))accesses)();
  return NULL;
}

// The writer's part of the fence is a release fence for the flag after it.
static void write_message(void) {
  letter = 1;
  give_turn();
  while (atomic_load_explicit(&turn, RELAXED) != 2)
    ;
  atomic_store_explicit(&z, 1, RELAXED);
}

static void read_message(void) {
  await_turn();
  fence_all();
  atomic_store_explicit(&turn, 2, RELAXED);
  while (!atomic_load_explicit(&z, memory_order_acquire))
    ;
  letter = 2;
}

static void run(void *(*one)(void *), void (*with)(void), void *(*other)(void *),
                void (*what)(void)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, (void *)with);
  pthread_create(&threads[1], NULL, other, (void *)what);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const char *side = argv[1], *call = argv[2];
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  is_mapping = strcmp(call, "mprotect") == 0 ? 1 : strcmp(call, "munmap") == 0 ? 2 : 0;
  for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
    if (strcmp(call, calls[i].name) == 0) {
      command = calls[i].command;
      if (calls[i].registers >= 0)
        syscall(SYS_membarrier, calls[i].registers, 0, 0);
      // Skips what the kernel does not have.
      if (calls[i].registers >= 0 && syscall(SYS_membarrier, command, 0, 0))
        return 0;
    }
  if (strcmp(side, "before") == 0)
    run(first, fast_accesses, second, slow_accesses);
  else if (strcmp(side, "after") == 0)
    run(first, slow_accesses, second, fast_accesses);
  else if (strcmp(side, "free") == 0)
    run(only, slow_accesses, only, fast_accesses);
  else
    run(only, write_message, only, read_message);
  return 0;
}
