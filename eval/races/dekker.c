// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dekker's mutual exclusion with relaxed accesses and fences, around a plain counter: free of data
// races, in every interleaving.
//   sc-fences     as it should be
//   late          the same, the second thread after the first
//   no-acquire    late, without the fence between the last look at the other's flag and the
//                 counter: nothing orders the two increments
#include "rounds.h"

struct objects {
  int flag[2], turn;
  APART int counter;
};

static int acquires;

static void enter(struct objects *o, int me) {
  STORE(o->flag[me], 1);
  FENCE(SEQ_CST);
  while (LOAD(o->flag[!me])) {
    if (LOAD(o->turn) == me)
      continue;
    STORE(o->flag[me], 0);
    while (LOAD(o->turn) != me)
      sched_yield();
    STORE(o->flag[me], 1);
    FENCE(SEQ_CST);
  }
  if (acquires)
    FENCE(ACQUIRE);
}

static void leave(struct objects *o, int me) {
  STORE(o->turn, !me);
  FENCE(RELEASE);
  STORE(o->flag[me], 0);
}

static void visit(struct objects *o, int me) {
  enter(o, me);
  o->counter++;
  leave(o, me);
}

static void first(void *objects) {
  visit(objects, 0);
}

static void second(void *objects) {
  visit(objects, 1);
}

int main(int argc, char **argv) {
  enum { SC_FENCES, LATE, NO_ACQUIRE, VARIANTS };
  static const char *const variants[VARIANTS] = {"sc-fences", "late", "no-acquire"};
  void (*const acts[])(void *) = {first, second};
  int rounds, variant = choose(argc, argv, VARIANTS, variants, &rounds);
  acquires = variant != NO_ACQUIRE;
  return run_rounds(rounds, 2, acts, sizeof(struct objects),
                    variant == SC_FENCES ? TOGETHER : IN_ORDER);
}
