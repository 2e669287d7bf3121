// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock for reading and writing that Linux had: a word from which a reader takes one and a
// writer all. Two threads, each reads a plain variable under the lock and then writes it.
//
// -DWEAKENED: the writer gives the lock back by a relaxed operation.

#include "threads.h"

#ifdef WEAKENED
#define GIVE_BACK relaxed
#else
#define GIVE_BACK release
#endif
#define ADD_AS(x, v, order) ADD(x, v, order)

enum { ALL = 0x00100000 };

static atomic_int word = ALL;
static int variable;

static void lock_for_reading(void) {
  while (ADD(word, -1, acquire) <= 0) {
    ADD(word, 1, relaxed);
    while (LOAD(word, relaxed) <= 0) {
    }
  }
}

static void lock_for_writing(void) {
  while (ADD(word, -ALL, acquire) != ALL) {
    ADD(word, ALL, relaxed);
    while (LOAD(word, relaxed) != ALL) {
    }
  }
}

static void *read_and_write(void *number) {
  lock_for_reading();
  const int seen = variable;
  ADD(word, 1, release);
  require(seen >= 0);
  lock_for_writing();
  variable = number_of(number);
  ADD_AS(word, ALL, GIVE_BACK);
  return NULL;
}

int main(void) {
  run_all((function *[]){read_and_write, read_and_write}, 2);
  return 0;
}
