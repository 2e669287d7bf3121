// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread writes plain data and publishes it by a release store, another stores to the same flag
// by a relaxed store, a third reads the flag by an acquire load and then the data: in this order.
//   overwritten   the third thread reads the second one's value: a data race
//   kept          without the second one's store: none
#include "rounds.h"

struct objects {
  int flag;
  APART int data;
};

static int overwrites;

static void publish(void *objects) {
  struct objects *o = objects;
  o->data = 1;
  __atomic_store_n(&o->flag, 1, __ATOMIC_RELEASE);
}

static void overwrite(void *objects) {
  struct objects *o = objects;
  if (overwrites)
    STORE(o->flag, 2);
}

static void consume(void *objects) {
  struct objects *o = objects;
  if (__atomic_load_n(&o->flag, __ATOMIC_ACQUIRE))
    __asm__ volatile("" ::"r"(o->data)); // read for something
}

int main(int argc, char **argv) {
  enum { KEPT, OVERWRITTEN, VARIANTS };
  static const char *const variants[VARIANTS] = {"kept", "overwritten"};
  void (*const acts[])(void *) = {publish, overwrite, consume};
  int rounds, variant = choose(argc, argv, VARIANTS, variants, &rounds);
  overwrites = variant == OVERWRITTEN;
  return run_rounds(rounds, 3, acts, sizeof(struct objects), IN_ORDER);
}
