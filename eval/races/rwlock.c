// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reader-writer lock in C atomics around a table. Each of three threads looks entries up and now
// and then updates its own.
//   correct    a writer's unlock is a release store
//   weakened   it is a relaxed store: nothing orders the update and whoever has the lock next.
//              Whether two threads meet at an entry without another, ordered step between them is
//              the scheduler's affair. A reader's unlock still releases, and to TSan the relaxed
//              store leaves what it released in place.
#include "rounds.h"

enum { ENTRIES = 64, STEPS = 2000, UPDATE_EVERY = 64, YIELD_EVERY = 8, WRITING = -1 };

struct objects {
  int state;           // number of readers, or WRITING
  long table[ENTRIES]; // a word each
};

static int unlock_order = __ATOMIC_RELEASE;

static void lock(struct objects *o, int writing) {
  for (;;) {
    int state = LOAD(o->state);
    int wanted = writing ? WRITING : state + 1;
    if ((writing ? state == 0 : state >= 0) &&
        __atomic_compare_exchange_n(&o->state, &state, wanted, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      return;
    sched_yield();
  }
}

static void unlock(struct objects *o, int writing) {
  if (writing)
    __atomic_store_n(&o->state, 0, unlock_order);
  else
    __atomic_fetch_sub(&o->state, 1, __ATOMIC_RELEASE);
}

static void update(struct objects *o, int entry) {
  lock(o, 1);
  o->table[entry]++;
  unlock(o, 1);
}

static void look_up(struct objects *o, int entry) {
  lock(o, 0);
  __asm__ volatile("" ::"r"(o->table[entry])); // read for something
  unlock(o, 0);
}

// Mostly looks up, as such a lock is for. A busy machine must not run the threads one by one.
static void use(struct objects *o, int me) {
  for (int step = 0; step < STEPS; step++) {
    if (step % UPDATE_EVERY == me)
      update(o, me);
    else
      look_up(o, (me + step * 5) % ENTRIES);
    if (step % YIELD_EVERY == 0)
      sched_yield();
  }
}

static void first(void *objects) {
  use(objects, 0);
}

static void second(void *objects) {
  use(objects, 1);
}

static void third(void *objects) {
  use(objects, 2);
}

int main(int argc, char **argv) {
  enum { CORRECT, WEAKENED, VARIANTS };
  static const char *const variants[VARIANTS] = {"correct", "weakened"};
  void (*const acts[])(void *) = {first, second, third};
  int rounds, variant = choose(argc, argv, VARIANTS, variants, &rounds);
  if (variant == WEAKENED)
    unlock_order = __ATOMIC_RELAXED;
  return run_rounds(rounds, 3, acts, sizeof(struct objects), TOGETHER);
}
