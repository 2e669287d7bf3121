// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions that are not instrumented: an object file and a shared library of the stock
// compiler's, which hold all that orders the threads. A thread that has called one, or is called
// back, knows all that was done before. What is called may as well be the C library's, or
// instrumented: that says nothing, nor does a call before the write or after the read.
//
// RUN: %stock_clang -O1 -DLIBRARY -c %s -o %t.o
// RUN: %stock_clang -O1 -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build -O0 %s %t.o -o %t.O0
// RUN: %build -O2 %s %t.o -o %t.O2
// RUN: %build -O2 %s %t.so -o %t.dynamic
// RUN: %build -O2 -no-pie %s %t.so -o %t.no-pie
// RUN: %build -O2 -shared-libsan %s %t.so -Wl,-rpath,%resource_dir/lib/linux -o %t.shared
//
// RUN: sh %S/Inputs/each-way 0 "call pointer lock back nested worker assembly" %t.O0 %t.O2 %t.dynamic %t.no-pie %t.shared \
// RUN:   | FileCheck %s --check-prefix=QUIET --implicit-check-not="status" --implicit-check-not=": {{reported|something}}"
// QUIET-COUNT-35: : quiet
// RUN: env RSAN_OPTIONS=unseen_calls=0 \
// RUN:   sh %S/Inputs/each-way 66 "call pointer lock back nested worker" %t.O0 %t.O2 %t.dynamic %t.no-pie %t.shared \
// RUN:   | FileCheck %s --check-prefix=REPORTED --implicit-check-not="status" --implicit-check-not=": {{quiet|something}}"
// RUN: sh %S/Inputs/each-way 66 "none libc instrumented page before after" %t.O0 %t.O2 %t.dynamic %t.no-pie %t.shared \
// RUN:   | FileCheck %s --check-prefix=REPORTED --implicit-check-not="status" --implicit-check-not=": {{quiet|something}}"
// REPORTED-COUNT-30: : reported
// RUN: env RSAN_OPTIONS=clocks=explicit %t.O2 call 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=target=x86+armv8 %t.O2 call 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: done
//
// A data race is one, as for ThreadSanitizer, unless it is asked for otherwise.
// RUN: %exits 66 %t.O2 race 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: env RSAN_OPTIONS=unseen_calls=2 %t.O2 race 2>&1 | FileCheck %s --check-prefix=NONE
// RACE: WARNING: ThreadSanitizer: data race
//
// RUN: env RSAN_OPTIONS=stats=1 %t.O2 call 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: env RSAN_OPTIONS=stats=1 not %t.O2 none 2>&1 | FileCheck %s --check-prefix=ZERO
// STATS: unseen_calls 1
// ZERO: unseen_calls 0
// RUN: env RSAN_OPTIONS=stats=1 %t.O2 deep 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: unseen_nested 36

// RUN: env RSAN_OPTIONS=unseen_calls=3 not %t.O2 none 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: ThreadSanitizer: unseen_calls=3 in RSAN_OPTIONS: must be 0 to 2

#ifdef LIBRARY

#include <pthread.h>

static int word;

void library_lock(void) {
  while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE))
    ;
}

void library_unlock(void) {
  __atomic_store_n(&word, 0, __ATOMIC_RELEASE);
}

void library_touch(void) {
  __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

void library_call(void (*back)(void)) {
  back();
}

void library_call_both(void (*back)(void), void (*then)(void)) {
  back();
  then();
}

static void *run(void *back) {
  ((void (*)(void))back)();
  return 0;
}

void library_worker(void (*back)(void)) {
  pthread_t thread;
  pthread_create(&thread, 0, run, (void *)back);
  pthread_join(thread, 0);
}

#else

#include "access.h"
#include "turns.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void library_lock(void);
void library_unlock(void);
void library_touch(void);
void library_call(void (*back)(void));
void library_call_both(void (*back)(void), void (*then)(void));
void library_worker(void (*back)(void));

static int x, y, plain, depth;

static void work(void) {
  STORE(x, 1);
  STORE(y, 1);
}

static void look(void) {
  if (LOAD(y) != 1 || LOAD(x) != 1)
    abort();
}

static void call(void) {
  library_touch();
  look();
}

static void pointer(void) {
  void (*volatile touch)(void) = library_touch;
  touch();
  look();
}

static void lock(void) {
  library_lock();
  look();
  library_unlock();
}

static void back(void) {
  library_call(look);
}

// The second call back comes after a call of the first one's, and after the other thread's turn.
static void first(void) {
  library_touch();
  pass_turn(2);
  await_turn(3);
}

static void nested(void) {
  library_call_both(first, look);
}

static void again(void) {
  if (depth++ < 100)
    library_call(again);
}

static void deep(void) {
  library_call(again);
}

// The thread that looks is the library's.
static void worker(void) {
  library_worker(look);
}

static void libc(void) {
  pid_t (*volatile parent)(void) = getppid;
  parent();
  getppid();
  look();
}

__attribute__((noinline)) void instrumented_function(void) {
  STORE(plain, 1);
}

__attribute__((noinline, aligned(4096))) void at_page(void) {
  STORE(plain, 2);
}

static void instrumented(void) {
  void (*volatile function)(void) = instrumented_function;
  function();
  instrumented_function();
  look();
}

static void page(void) {
  void (*volatile function)(void) = at_page;
  function();
  look();
}

static void assembly(void) {
  __asm__ volatile("mfence" ::: "memory");
  look();
}

static void after(void) {
  look();
  library_touch();
}

static void before(void) {
  library_touch();
  work();
}

static void write_plain(void) {
  plain = 1;
}

static void read_plain(void) {
  library_touch();
  if (plain != 1)
    abort();
}

static const struct way {
  const char *name;
  void (*acts[2])(void);
} ways[] = {
    {"call", {work, call}},
    {"pointer", {work, pointer}},
    {"lock", {work, lock}},
    {"back", {work, back}},
    {"nested", {nested, work}},
    {"worker", {work, worker}},
    {"deep", {work, deep}},
    {"none", {work, look}},
    {"assembly", {work, assembly}},
    {"libc", {work, libc}},
    {"instrumented", {work, instrumented}},
    {"page", {work, page}},
    {"before", {before, look}},
    {"after", {work, after}},
    {"race", {write_plain, read_plain}},
};

int main(int argc, char **argv) {
  for (int i = 0; argc == 2 && i < (int)(sizeof ways / sizeof *ways); i++)
    if (strcmp(argv[1], ways[i].name) == 0) {
      one_then_other(ways[i].acts[0], ways[i].acts[1]);
      fprintf(stderr, "done\n");
    }
}

#endif
