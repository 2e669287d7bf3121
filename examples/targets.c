// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three violations of C11 that not every machine can show (docs/guide/TARGETS.md):
//
//   RSAN_OPTIONS=target=c11+x86 ./targets iriw|dekker|mp

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "stage.h"

static atomic_int x, y;

// Two writers, and two readers that may see the writes in opposite orders.
static void iriw_write_x(void) {
  atomic_store_explicit(&x, 1, memory_order_release);
}
static void iriw_read_x_y(void) {
  atomic_load_explicit(&x, memory_order_acquire);
  atomic_load_explicit(&y, memory_order_acquire);
}
static void iriw_write_y(void) {
  atomic_store_explicit(&y, 1, memory_order_release);
}
static void iriw_read_y_x(void) {
  atomic_load_explicit(&y, memory_order_acquire);
  atomic_load_explicit(&x, memory_order_acquire);
}

// Dekker's entry: seq_cst stores, and loads that someone found too dear.
static void dekker_first(void) {
  atomic_store_explicit(&x, 1, memory_order_seq_cst);
  atomic_load_explicit(&y, memory_order_relaxed);
}
static void dekker_second(void) {
  atomic_store_explicit(&y, 1, memory_order_seq_cst);
  atomic_load_explicit(&x, memory_order_relaxed);
}

// A message, and a flag that says it is there: the release is forgotten.
static void mp_send(void) {
  atomic_store_explicit(&x, 42, memory_order_relaxed);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
}
static void mp_receive(void) {
  if (atomic_load_explicit(&y, memory_order_acquire))
    atomic_load_explicit(&x, memory_order_relaxed);
}

static const struct scene {
  const char *name;
  void (*acts[4])(void); // each in a thread of its own
} scenes[] = {
    {"iriw", {iriw_write_x, iriw_read_x_y, iriw_write_y, iriw_read_y_x}},
    {"dekker", {dekker_first, dekker_second}},
    {"mp", {mp_send, mp_receive}},
};

struct actor {
  int turn;
  void (*act)(void);
};

static void *run(void *arg) {
  struct actor *actor = arg;
  stage_await(actor->turn);
  actor->act();
  stage_reach(actor->turn + 1);
  return NULL;
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 2 && i < sizeof scenes / sizeof *scenes; i++) {
    const struct scene *scene = &scenes[i];
    struct actor actors[4];
    pthread_t threads[4];
    int count = 0;
    if (strcmp(scene->name, argv[1]) != 0)
      continue;
    for (; count < 4 && scene->acts[count]; count++) {
      actors[count] = (struct actor){count + 1, scene->acts[count]};
      if (pthread_create(&threads[count], NULL, run, &actors[count]))
        return 2;
    }
    stage_reach(1); // all threads exist
    for (int t = 0; t < count; t++)
      pthread_join(threads[t], NULL);
    return 0;
  }
  fprintf(stderr, "usage: targets iriw|dekker|mp\n");
  return 2;
}
