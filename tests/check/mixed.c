// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mixed random COUNT SEED: programs of accesses of several sizes (mixed_draw_event of
// tests/oracle), each as a test of rsan_check().
//
// mixed shapes: litmus tests whose two objects, x and y, are accessed whole and in a part. The
// first test of each pair is relaxed; the second one, its twin, has a seq_cst fence between the
// accesses of each thread.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixed_program.h"
#include "numbered_thread.h"
#include "rsan.h"

static _Alignas(16) unsigned char memory[MIXED_ADDRESSES];
static const struct mixed_program *program;

static int order_of(const struct mixed_event *event) {
  return event->sc                          ? __ATOMIC_SEQ_CST
         : event->acquire && event->release ? __ATOMIC_ACQ_REL
         : event->acquire                   ? __ATOMIC_ACQUIRE
         : event->release                   ? __ATOMIC_RELEASE
                                            : __ATOMIC_RELAXED;
}

// A failing compare-exchange of order `order` loads so.
static int failure_of(const struct mixed_event *event) {
  return event->sc ? __ATOMIC_SEQ_CST : event->acquire ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;
}

#define ACCESS(type)                                                                               \
  case sizeof(type): {                                                                             \
    type *object = (type *)(void *)(memory + event->address);                                      \
    type expected = (type)event->expected;                                                         \
    if (event->kind == MIXED_LOAD)                                                                 \
      __atomic_load_n(object, order);                                                              \
    else if (event->kind == MIXED_STORE)                                                           \
      __atomic_store_n(object, (type)event->value, order);                                         \
    else if (event->kind == MIXED_ADD)                                                             \
      __atomic_fetch_add(object, (type)event->value, order);                                       \
    else                                                                                           \
      __atomic_compare_exchange_n(object, &expected, (type)event->value, false, order,             \
                                  failure_of(event));                                              \
    break;                                                                                         \
  }

static void make(const struct mixed_event *event) {
  const int order = order_of(event);
  if (event->kind == MIXED_FENCE) {
    __atomic_thread_fence(order);
    return;
  }
  switch (event->size) {
    ACCESS(uint8_t)
    ACCESS(uint16_t)
    ACCESS(uint32_t)
    ACCESS(uint64_t)
  }
}

static void set_up(void *unused) {
  (void)unused;
  memset(memory, 0, sizeof memory);
}

static bool holds(void *unused) {
  (void)unused;
  return true;
}

static void run(uint32_t thread) {
  for (uint32_t e = 0; e < program->count; e++)
    if (program->ops[e].thread == thread)
      make(&program->ops[e]);
}

NUMBERED_THREAD(0)
NUMBERED_THREAD(1)
NUMBERED_THREAD(2)

static void check(const char *name, const struct mixed_program *of) {
  static void (*const threads[MIXED_THREADS])(void *) = {run_0, run_1, run_2};
  program = of;
  fprintf(stderr, "program %s\n", name);
  rsan_check(set_up, MIXED_THREADS, threads, holds, NULL);
}

// Each thread's accesses: s stores, r loads, a adds; X, Y the whole of an object, x, y its part.
static const struct shape {
  const char *name, *threads[MIXED_THREADS];
} shapes[] = {
    {"SB", {"sx rY", "sy rX"}}, {"SB+rmw", {"ax rY", "ay rX"}}, {"MP", {"sX sy", "rY rx"}},
    {"R", {"sx sY", "sy rX"}},  {"S", {"sX sy", "rY sx"}},      {"WRC", {"sx", "rX sy", "rY rx"}},
};

static const struct pair {
  uint32_t whole, part, offset;
} pairs[] = {{2, 1, 0}, {4, 2, 2}, {4, 1, 3}, {8, 4, 4}, {8, 2, 0}};

static void add(struct mixed_program *to, struct mixed_event event) {
  to->ops[to->count++] = event;
}

static void add_thread(struct mixed_program *to, uint32_t thread, const char *text,
                       const struct pair *pair, bool fenced) {
  for (const char *at = text; at && *at; at += at[2] ? 3 : 2) {
    bool whole = at[1] == 'X' || at[1] == 'Y', y = at[1] == 'Y' || at[1] == 'y';
    if (fenced && at != text)
      add(to, (struct mixed_event){.kind = MIXED_FENCE, .thread = thread, .sc = true});
    add(to, (struct mixed_event){.kind = at[0] == 's'   ? MIXED_STORE
                                         : at[0] == 'r' ? MIXED_LOAD
                                                        : MIXED_ADD,
                                 .thread = thread,
                                 .address = 16 * y + (whole ? 0 : pair->offset),
                                 .size = whole ? pair->whole : pair->part,
                                 .value = 0x0101010101010101});
  }
}

static void check_shapes(void) {
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
      for (int fenced = 0; fenced < 2; fenced++) {
        struct mixed_program of = {.count = 0};
        char name[64];
        for (uint32_t t = 0; t < MIXED_THREADS; t++)
          add_thread(&of, t, shapes[s].threads[t], &pairs[p], fenced);
        snprintf(name, sizeof name, "%s %u+%u of %u%s", shapes[s].name, pairs[p].offset,
                 pairs[p].part, pairs[p].whole, fenced ? " fenced" : "");
        check(name, &of);
      }
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "shapes") == 0) {
    check_shapes();
    return 0;
  }
  if (argc != 4 || strcmp(argv[1], "random") != 0) {
    fputs("usage: mixed random COUNT SEED | mixed shapes\n", stderr);
    return 2;
  }
  for (uint64_t i = 0; i < strtoull(argv[2], NULL, 10); i++) {
    static struct mixed_program drawn;
    char name[24];
    mixed_draw_program(rng_derive(strtoull(argv[3], NULL, 10), i), &drawn);
    snprintf(name, sizeof name, "%llu", (unsigned long long)i);
    check(name, &drawn);
  }
  return 0;
}
