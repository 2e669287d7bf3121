// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue lock of Mellor-Crummey and Scott; two threads take it twice each and write a plain
// variable.
//
// -DWEAKENED: the lock is handed over by a relaxed store.

#include "threads.h"

#ifdef WEAKENED
#define HAND_OVER relaxed
#else
#define HAND_OVER release
#endif
#define STORE_AS(x, v, order) STORE(x, v, order)

enum { TURNS = 2 };

struct node {
  _Atomic(struct node *) next;
  atomic_int waits;
};

static _Atomic(struct node *) tail;
static struct node node[2][TURNS];
static int visits;

static void lock(struct node *mine) {
  STORE(mine->next, NULL, relaxed);
  STORE(mine->waits, 1, relaxed);
  struct node *before = SWAP(tail, mine, acq_rel);
  if (!before)
    return;
  STORE(before->next, mine, release);
  while (LOAD(mine->waits, acquire)) {
  }
}

static void unlock(struct node *mine) {
  struct node *next = LOAD(mine->next, acquire), *last = mine;
  if (!next) {
    if (CAS(tail, last, NULL, release))
      return;
    while (!(next = LOAD(mine->next, acquire))) {
    }
  }
  STORE_AS(next->waits, 0, HAND_OVER);
}

static void *visit(void *number) {
  for (int turn = 0; turn < TURNS; turn++) {
    struct node *mine = &node[number_of(number)][turn];
    lock(mine);
    visits++;
    unlock(mine);
  }
  return NULL;
}

int main(void) {
  run_all((function *[]){visit, visit}, 2);
  require(visits == 2 * TURNS);
  return 0;
}
