// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws random programs with accesses of several sizes. tests/fuzz and tests/check both compile
// this file.
#include <inttypes.h>
#include <stdio.h>

#include "mixed_program.h"

enum { OBJECTS = 2, STRIDE = 16 };

void mixed_draw_event(struct rng *rng, uint32_t threads, struct mixed_event *event) {
  static const enum mixed_kind kinds[] = {MIXED_LOAD,  MIXED_LOAD,       MIXED_LOAD,  MIXED_LOAD,
                                          MIXED_STORE, MIXED_STORE,      MIXED_STORE, MIXED_STORE,
                                          MIXED_ADD,   MIXED_EXCHANGE_IF};
  *event = (struct mixed_event){.thread = rng_below(rng, threads)};
  event->kind = rng_percent(rng, 10) ? MIXED_FENCE : kinds[rng_below(rng, 10)];
  uint32_t order = rng_below(rng, 10);
  bool fence = event->kind == MIXED_FENCE;
  event->sc = fence ? rng_percent(rng, 40) : rng_percent(rng, 10);
  bool loads = event->kind != MIXED_STORE, stores = event->kind != MIXED_LOAD;
  event->acquire = loads && (event->sc || order == 1 || order == 3);
  event->release = stores && (event->sc || order == 2 || order == 3);
  if (fence) {
    event->acquire |= !event->release;
    return;
  }
  event->size = 1u << rng_below(rng, 4);
  event->address =
      STRIDE * rng_below(rng, OBJECTS) + event->size * rng_below(rng, event->size == 8 ? 1 : 2);
  event->value = (1 + rng_below(rng, 2)) * 0x0101010101010101u;
  event->expected = rng_below(rng, 2) * 0x0101010101010101u;
  if (event->size < 8) {
    event->value &= ((uint64_t)1 << 8 * event->size) - 1;
    event->expected &= ((uint64_t)1 << 8 * event->size) - 1;
  }
}

void mixed_draw_program(uint64_t seed, struct mixed_program *program) {
  struct rng rng = {seed};
  uint32_t accesses = rng_between(&rng, 4, MIXED_ACCESSES), threads = rng_percent(&rng, 70) ? 2 : 3;
  *program = (struct mixed_program){.count = 0};
  while (accesses && program->count < MIXED_EVENTS) {
    struct mixed_event *event = &program->ops[program->count++];
    mixed_draw_event(&rng, threads, event);
    accesses -= mixed_is_access(event);
  }
}

void mixed_print(const struct mixed_event *events, uint32_t count) {
  static const char *const kinds[] = {"load", "store", "add", "exchange-if", "fence"};
  for (uint32_t i = 0; i < count; i++) {
    const struct mixed_event *event = &events[i];
    printf("  T%" PRIu32 " %s %" PRIu32 "+%" PRIu32 "%s%s%s value %" PRIx64 " expected %" PRIx64
           "\n",
           event->thread, kinds[event->kind], event->address, event->size,
           event->acquire ? " acquire" : "", event->release ? " release" : "",
           event->sc ? " seq_cst" : "", event->value, event->expected);
  }
}
