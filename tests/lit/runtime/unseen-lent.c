// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock whose operations are inlined in instrumented code and are called in a library that is not
// instrumented. The library leaves the value that it found, 0. That value says nothing about who
// wrote it if the library may have had the lock's address: as an argument, as a part of an object
// or of a block of the heap that was passed, or kept from an earlier call. If it was given another
// lock, or none, what the threads do is reported.
//
// RUN: %stock_clang -O1 -DLIBRARY -c %s -o %t.o
// RUN: %stock_clang -O1 -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build -O0 %s %t.o -o %t.O0
// RUN: %build -O2 %s %t.o -o %t.O2
// RUN: %build -O2 %s %t.so -o %t.dynamic
// RUN: %build -O2 -no-pie %s %t.so -o %t.no-pie
// RUN: sh %S/Inputs/each-way 0 "global field heap kept pointer twice" %t.O0 %t.O2 %t.dynamic %t.no-pie \
// RUN:   | FileCheck %s --check-prefix=QUIET --implicit-check-not="status" --implicit-check-not=": {{reported|something}}"
// QUIET-COUNT-24: : quiet
// RUN: sh %S/Inputs/each-way 66 "other other-heap none" %t.O0 %t.O2 %t.dynamic %t.no-pie \
// RUN:   | FileCheck %s --check-prefix=REPORTED --implicit-check-not="status" --implicit-check-not=": {{quiet|something}}"
// REPORTED-COUNT-12: : reported
//
// RUN: %t.O2 twice 2>&1 | FileCheck %s --check-prefix=LINE
// LINE: ThreadSanitizer: [[#]] access{{(es)?}} could not be checked: [[#]] to objects whose addresses code that is not instrumented was given, and which it may have changed

#ifdef LIBRARY

static int *kept;

void library_keep(int *lock) {
  kept = lock;
}

void library_touch(int *lock) {
  if (!lock)
    lock = kept;
  while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
    ;
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

void library_touch_in(char *object, int offset) {
  library_touch((int *)(object + offset));
}

#else

#include "turns.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

void library_keep(int *lock);
void library_touch(int *lock);
void library_touch_in(void *object, int offset);

struct account {
  long sum[4];
  int lock;
};

// Both lie in the same eight bytes.
static int other_lock __attribute__((section("pair"), aligned(8))) = 0;
static int x __attribute__((section("pair"))) = 0;
static int lock, y;
static struct account account, *heap, *other_heap;
static const char *way;

static int is(const char *name) {
  return strcmp(way, name) == 0;
}

static int *lock_of_way(void) {
  if (is("field"))
    return &account.lock;
  if (is("heap") || is("other-heap"))
    return &heap->lock;
  return &lock;
}

__attribute__((noinline)) static void call_library(void) {
  void (*volatile touch)(int *) = library_touch;
  if (is("global") || is("twice"))
    library_touch(&lock);
  else if (is("field"))
    library_touch_in(&account, offsetof(struct account, lock));
  else if (is("heap"))
    library_touch_in(heap, offsetof(struct account, lock));
  else if (is("other-heap"))
    library_touch_in(other_heap, offsetof(struct account, lock));
  else if (is("pointer"))
    touch(&lock);
  else if (is("kept"))
    library_touch(NULL);
  else if (is("other"))
    library_touch(&other_lock);
}

static void use_lock(void) {
  while (__atomic_exchange_n(lock_of_way(), 1, __ATOMIC_ACQUIRE))
    ;
  __atomic_store_n(lock_of_way(), 0, __ATOMIC_RELEASE);
}

static void work(void) {
  __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
  call_library();
  __atomic_load_n(&y, __ATOMIC_RELAXED);
}

static void look(void) {
  __atomic_store_n(&y, 1, __ATOMIC_RELAXED);
  use_lock();
  __atomic_load_n(&x, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  (void)argc;
  way = argv[1];
  heap = calloc(1, sizeof(*heap));
  other_heap = calloc(1, sizeof(*heap));
  if (is("kept"))
    library_keep(&lock);
  if (is("twice"))
    one_then_other(call_library, use_lock); // the lock has a history when the library has it next
  one_then_other(work, look);
  free(heap);
  free(other_heap);
  return 0;
}

#endif
