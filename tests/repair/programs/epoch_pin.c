// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Epoch-based reclamation: a reader pins the epoch and then takes the pointer; who has replaced
// the object frees the old one if it finds nobody pinned. The reclaimer may miss the pin, and the
// reader the replacement.
//
// Smallest repair: 2 fences, after the pin and before the look at the pins.

#include "rounds.h"

#include <stdatomic.h>

struct object {
  int value; // 0: freed
};

static struct object objects[ROUNDS + 1];
static _Atomic(struct object *) current;
static atomic_uint global_epoch, local_epoch; // of the reader; odd while pinned
static struct object *limbo[ROUNDS + 1];      // replaced, and perhaps in use
static int limbo_size;

static void pin(void) {
  unsigned now = atomic_load_explicit(&global_epoch, memory_order_relaxed);
  atomic_store_explicit(&local_epoch, now | 1, memory_order_release);
  FENCE();
}

static void unpin(void) {
  atomic_store_explicit(&local_epoch, 0, memory_order_release);
}

static void collect(void) {
  FENCE();
  if (atomic_load_explicit(&local_epoch, memory_order_acquire) & 1)
    return;
  while (limbo_size > 0)
    limbo[--limbo_size]->value = 0;
  atomic_fetch_add_explicit(&global_epoch, 2, memory_order_relaxed);
}

static void act(int thread, int round) {
  if (thread == 0) {
    pin();
    struct object *it = atomic_load_explicit(&current, memory_order_acquire);
    check(it->value != 0, "an object in use was freed", round);
    unpin();
  } else {
    struct object *fresh = &objects[round + 1];
    fresh->value = 1;
    limbo[limbo_size++] = atomic_exchange_explicit(&current, fresh, memory_order_acq_rel);
    collect();
  }
}

int main(void) {
  objects[0].value = 1;
  atomic_init(&current, &objects[0]);
  run_rounds(2, act);
}
