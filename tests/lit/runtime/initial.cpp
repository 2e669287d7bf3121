// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An atomic object that is constructed while the program runs, and whose first atomic access finds
// a value of code that is not instrumented: it is not the constructor's, so who acquires it knows
// what was done before. Where it is the constructor's, or instrumented code wrote it, not.
//
// RUN: %buildxx -O0 %s -o %t.O0
// RUN: %buildxx -O2 %s -o %t
// RUN: %t.O0 quiet 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t quiet 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=races=0 %t quiet 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=clocks=explicit %t quiet 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: 4 ways
//
// RUN: %exits 66 %t heap seen 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O0 heap seen 2>&1 | FileCheck %s
// RUN: %exits 66 %t field seen 2>&1 | FileCheck %s
// RUN: %exits 66 %t cleared seen 2>&1 | FileCheck %s
// RUN: %exits 66 %t own 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O0 own 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 {{.*}}look
// CHECK: may miss
// CHECK-NEXT: #0 {{.*}}work
#include "access.h"
#include "turns.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

struct node {
  int data;
  int ready;
};

int x, y;
bool seen;
std::atomic<int> *flag;
node *last;

UNSEEN void set(int *object, int value) {
  __atomic_store_n(object, value, __ATOMIC_RELEASE);
}

void work() {
  STORE(x, 1);
  STORE(y, 1);
}

void look() {
  if (LOAD(y) != 1 || LOAD(x) != 1)
    abort();
}

int *bits(std::atomic<int> *object) {
  return reinterpret_cast<int *>(object);
}

void write(int *object, int value) {
  work();
  if (seen)
    __atomic_store_n(object, value, __ATOMIC_RELAXED);
  else
    set(object, value);
  pass_turn(2); // while this thread lives on
  await_turn(3);
}

void make_heap() {
  flag = new std::atomic<int>(3);
}
void write_heap() {
  write(bits(flag), 5);
}
void read_heap() {
  flag->load(std::memory_order_acquire);
  look();
}

// In a place that had another object.
void make_again() {
  make_heap();
  flag->store(4, std::memory_order_relaxed);
  flag->~atomic();
  new (flag) std::atomic<int>(3);
}

void make_set() {
  flag = new std::atomic<int>(1);
}
void write_cleared() {
  write(bits(flag), 0);
}
void lock_cleared() {
  int expected = 0;
  if (!flag->compare_exchange_strong(expected, 1, std::memory_order_acquire))
    abort();
  look();
}

void make_field() {
  last = static_cast<node *>(malloc(sizeof *last));
  last->data = 1;
  last->ready = 2;
}
void write_field() {
  write(&last->ready, 3);
}
void read_field() {
  __atomic_load_n(&last->ready, __ATOMIC_ACQUIRE);
  look();
}

const struct way {
  const char *name;
  void (*make)();    // before there are other threads
  void (*acts[2])(); // in turn, each in a thread of its own
} ways[] = {
    {"heap", make_heap, {write_heap, read_heap}},
    {"again", make_again, {write_heap, read_heap}},
    {"cleared", make_set, {write_cleared, lock_cleared}},
    {"field", make_field, {write_field, read_field}},
    {"own", make_heap, {work, read_heap}}, // a violation
};
const int quiet_ways = 4;

} // namespace

int main(int argc, char **argv) {
  bool quiet = strcmp(argv[1], "quiet") == 0;
  int run = 0;
  seen = argc > 2;
  for (int i = 0; i < static_cast<int>(sizeof ways / sizeof *ways); i++) {
    if (quiet ? i >= quiet_ways : strcmp(argv[1], ways[i].name) != 0)
      continue;
    x = y = 0;
    ways[i].make();
    in_turn(2, ways[i].acts);
    run++;
  }
  fprintf(stderr, "%d ways\n", run);
}
