// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes random runs with accesses of several sizes, and compares the engine with the definition
// (mixed.h of tests/oracle): each violation that the engine finds must be one. Missed ones are
// counted.
//
// usage: rsan-mixed --count N [--seed N] [--exact] [--twin]
//   --exact  history=exact
//   --twin   the engine is told that each access has all bytes of its location: it must not pass

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "mixed.h"
#include "rng.h"

enum { THREADS = 3, OBJECTS = 2, STRIDE = 16, ACCESSES = 7 };

// The locations that a host would have: none overlaps another one.
struct block {
  uint32_t address, size;
  struct rsan_location *location;
};

struct run {
  struct rsan_engine *engine;
  struct rsan_thread *threads[THREADS];
  struct block blocks[2 * MIXED_EVENTS];
  uint32_t block_count;
  uint8_t memory[MIXED_ADDRESSES];
  struct mixed_event events[MIXED_EVENTS];
  uint32_t count;
};

static struct rsan_options options;
static bool twin;

static uint64_t value_at(const struct run *run, uint32_t address, uint32_t size) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < size; i++)
    value |= (uint64_t)run->memory[address + i] << 8 * i;
  return value;
}

static bool covers(const struct block *block, uint32_t address, uint32_t size) {
  return block->address <= address && address + size <= block->address + block->size;
}

// The aligned block that has all of both.
static void grow(struct block *block, uint32_t address, uint32_t size) {
  while (!covers(block, address, size)) {
    block->size *= 2;
    block->address &= ~(block->size - 1);
  }
}

static struct rsan_location *mix(struct run *run, struct rsan_thread *thread, uint32_t address,
                                 uint32_t size) {
  struct block whole = {address, size, rsan_location_new(run->engine, NULL, size)};
  struct rsan_part parts[2 * MIXED_EVENTS];
  uint32_t count = 0, kept = 0;
  for (uint32_t i = 0; i < run->block_count; i++)
    if (covers(&whole, run->blocks[i].address, 1) || covers(&run->blocks[i], address, 1))
      grow(&whole, run->blocks[i].address, run->blocks[i].size);
  struct block old[2 * MIXED_EVENTS];
  for (uint32_t i = 0; i < run->block_count; i++) {
    struct block *block = &run->blocks[i];
    if (covers(&whole, block->address, block->size)) {
      old[count] = *block;
      parts[count++] = (struct rsan_part){block->location, block->address - whole.address};
    } else {
      run->blocks[kept++] = *block;
    }
  }
  if (!rsan_location_mix(run->engine, thread, whole.location, whole.size, parts, count))
    abort();
  for (uint32_t i = 0; i < count; i++)
    rsan_location_free(run->engine, old[i].location);
  run->blocks[kept++] = whole;
  run->block_count = kept;
  return whole.location;
}

static struct block *find(struct run *run, uint32_t address, uint32_t size) {
  for (uint32_t i = 0; i < run->block_count; i++)
    if (covers(&run->blocks[i], address, 1) ||
        (address <= run->blocks[i].address && run->blocks[i].address < address + size))
      return &run->blocks[i];
  return NULL;
}

static struct rsan_location *locate(struct run *run, struct rsan_thread *thread, uint32_t address,
                                    uint32_t size) {
  struct block *block = find(run, address, size);
  if (!block) {
    block = &run->blocks[run->block_count++];
    *block = (struct block){address, size, rsan_location_new(run->engine, NULL, size)};
  }
  if ((block->address == address && block->size == size) ||
      (rsan_location_mixes(block->location) && covers(block, address, size)))
    return block->location;
  return mix(run, thread, address, size);
}

static enum rsan_order order_of(const struct mixed_event *event) {
  return event->sc                          ? RSAN_SEQ_CST
         : event->acquire && event->release ? RSAN_ACQ_REL
         : event->acquire                   ? RSAN_ACQUIRE
         : event->release                   ? RSAN_RELEASE
                                            : RSAN_RELAXED;
}

// Makes the access, in memory and in the engine. Returns whether that flags it.
static bool make(struct run *run, struct mixed_event *event) {
  struct rsan_thread *thread = run->threads[event->thread];
  struct rsan_location *location = locate(run, thread, event->address, event->size);
  uint64_t seen = value_at(run, event->address, event->size);
  struct rsan_access access = {.kind = RSAN_RMW,
                               .check = RSAN_CHECK_WRITE,
                               .order = order_of(event),
                               .size = event->size,
                               .address = event->address,
                               .seen = {seen, 0}};
  event->left = event->kind == MIXED_ADD ? seen + event->value : event->value;
  event->fails = event->kind == MIXED_EXCHANGE_IF && seen != event->expected;
  if (event->kind == MIXED_EXCHANGE_IF) {
    access.check = RSAN_CHECK_STRONG_CAS;
    access.expected = rsan_equals((struct rsan_value){event->expected, 0});
    access.compares = true;
    access.success = access.failure = access.order;
  }
  if (event->kind == MIXED_STORE)
    access.kind = RSAN_WRITE;
  if (event->kind == MIXED_LOAD || event->fails)
    access.kind = RSAN_READ;
  if (event->kind == MIXED_LOAD)
    access.check = RSAN_CHECK_READ;
  if (access.kind != RSAN_READ) {
    if (event->size < 8)
      event->left &= ((uint64_t)1 << 8 * event->size) - 1;
    for (uint32_t i = 0; i < event->size; i++)
      run->memory[event->address + i] = (uint8_t)(event->left >> 8 * i);
    access.written = (struct rsan_value){event->left, 0};
  }
  const struct block *block = find(run, event->address, event->size);
  if (twin) {
    access.address = block->address;
    access.size = block->size;
    access.seen = (struct rsan_value){0, 0};
    access.written = access.seen;
  }
  struct rsan_violation violation;
  return rsan_atomic_access(thread, location, &access, &violation);
}

// Most accesses are relaxed loads and stores of two threads: others have few violations.
static void draw(struct rng *rng, uint32_t threads, struct mixed_event *event) {
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

static void print(const struct run *run) {
  static const char *const kinds[] = {"load", "store", "add", "exchange-if", "fence"};
  for (uint32_t i = 0; i < run->count; i++) {
    const struct mixed_event *event = &run->events[i];
    printf("  T%" PRIu32 " %s %" PRIu32 "+%" PRIu32 "%s%s%s value %" PRIx64 " expected %" PRIx64
           "\n",
           event->thread, kinds[event->kind], event->address, event->size,
           event->acquire ? " acquire" : "", event->release ? " release" : "",
           event->sc ? " seq_cst" : "", event->value, event->expected);
  }
}

static void begin(struct run *run) {
  *run = (struct run){.engine = rsan_engine_new(&options)};
  for (uint32_t t = 0; t < THREADS; t++)
    run->threads[t] = rsan_thread_create(run->engine, NULL, t);
}

static void end(struct run *run) {
  for (uint32_t t = 0; t < THREADS; t++)
    rsan_thread_free(run->threads[t]);
  for (uint32_t i = 0; i < run->block_count; i++)
    rsan_location_free(run->engine, run->blocks[i].location);
  rsan_engine_free(run->engine);
}

static struct {
  uint64_t runs, violations, found, missed, mixed;
} counts;

// Returns false, and prints the run, if the engine has flagged an access that is no violation.
static bool try_run(uint64_t seed) {
  struct rng rng = {seed};
  struct run run;
  bool right = true, violated = false, missed = false;
  begin(&run);
  uint32_t accesses = rng_between(&rng, 4, ACCESSES), threads = rng_percent(&rng, 70) ? 2 : 3;
  for (; accesses && run.count < MIXED_EVENTS && right; run.count++) {
    struct mixed_event *event = &run.events[run.count];
    draw(&rng, threads, event);
    if (event->kind == MIXED_FENCE) {
      rsan_fence(run.threads[event->thread], order_of(event));
      continue;
    }
    accesses--;
    bool flagged = make(&run, event);
    bool violates = mixed_violates(run.events, run.count + 1);
    right = !flagged || violates;
    violated |= violates;
    missed |= violates && !flagged;
  }
  counts.runs++;
  counts.mixed += rsan_engine_stat(run.engine, RSAN_STAT_mixed_locations) > 0;
  counts.violations += violated;
  counts.missed += missed;
  if (!right) {
    printf("seed %" PRIu64 ": the last access is no violation\n", seed);
    print(&run);
  }
  end(&run);
  return right;
}

int main(int argc, char **argv) {
  uint64_t count = 0, seed = 1;
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--exact"))
      options.history = RSAN_HISTORY_EXACT;
    else if (!strcmp(argv[i], "--twin"))
      twin = true;
    else if (!strcmp(argv[i], "--count") && i + 1 < argc)
      count = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
      seed = strtoull(argv[++i], NULL, 10);
  if (!count) {
    fprintf(stderr, "usage: rsan-mixed --count N [--seed N] [--exact] [--twin]\n");
    return 2;
  }
  for (uint64_t i = 0; i < count; i++)
    if (!try_run(rng_derive(seed, i)))
      return 1;
  printf("%" PRIu64 " runs, %" PRIu64 " with several sizes of a location; %" PRIu64
         " with a violation; %" PRIu64 " with a missed violation; no false alarm\n",
         counts.runs, counts.mixed, counts.violations, counts.missed);
  return 0;
}
