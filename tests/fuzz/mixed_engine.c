// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mixed_engine.h"

#include <stdlib.h>

static bool covers(const struct mixed_block *block, uint32_t address, uint32_t size) {
  return block->address <= address && address + size <= block->address + block->size;
}

// The aligned block that has all of both.
static void grow(struct mixed_block *block, uint32_t address, uint32_t size) {
  while (!covers(block, address, size)) {
    block->size *= 2;
    block->address &= ~(block->size - 1);
  }
}

static struct rsan_location *mix(struct mixed_engine *run, struct rsan_thread *thread,
                                 uint32_t address, uint32_t size) {
  struct mixed_block whole = {address, size, rsan_location_new(run->engine, NULL, size)};
  struct rsan_part parts[2 * MIXED_EVENTS];
  uint32_t count = 0, kept = 0;
  for (uint32_t i = 0; i < run->block_count; i++)
    if (covers(&whole, run->blocks[i].address, 1) || covers(&run->blocks[i], address, 1))
      grow(&whole, run->blocks[i].address, run->blocks[i].size);
  struct mixed_block old[2 * MIXED_EVENTS];
  for (uint32_t i = 0; i < run->block_count; i++) {
    struct mixed_block *block = &run->blocks[i];
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

static struct mixed_block *find(struct mixed_engine *run, uint32_t address, uint32_t size) {
  for (uint32_t i = 0; i < run->block_count; i++)
    if (covers(&run->blocks[i], address, 1) ||
        (address <= run->blocks[i].address && run->blocks[i].address < address + size))
      return &run->blocks[i];
  return NULL;
}

static struct rsan_location *locate(struct mixed_engine *run, struct rsan_thread *thread,
                                    uint32_t address, uint32_t size) {
  struct mixed_block *block = find(run, address, size);
  if (!block) {
    block = &run->blocks[run->block_count++];
    *block = (struct mixed_block){address, size, rsan_location_new(run->engine, NULL, size)};
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

bool mixed_engine_step(struct mixed_engine *run, struct mixed_event *event) {
  struct rsan_thread *thread = run->threads[event->thread];
  if (event->kind == MIXED_FENCE) {
    rsan_fence(thread, order_of(event));
    return false;
  }
  struct rsan_location *location = locate(run, thread, event->address, event->size);
  struct rsan_access access = {.kind = RSAN_RMW,
                               .check = RSAN_CHECK_WRITE,
                               .order = order_of(event),
                               .size = event->size,
                               .address = event->address,
                               .seen = {mixed_step(&run->memory, event), 0}};
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
  if (access.kind != RSAN_READ)
    access.written = (struct rsan_value){event->left, 0};
  const struct mixed_block *block = find(run, event->address, event->size);
  if (run->twin) {
    access.address = block->address;
    access.size = block->size;
    access.seen = (struct rsan_value){0, 0};
    access.written = access.seen;
  }
  struct rsan_violation violation;
  return rsan_atomic_access(thread, location, &access, &violation);
}

void mixed_engine_begin(struct mixed_engine *run, const struct rsan_options *options, bool twin,
                        bool proves) {
  *run = (struct mixed_engine){.engine = rsan_engine_new(options), .twin = twin};
  if (proves)
    rsan_engine_begin_cxx20(run->engine);
  for (uint32_t t = 0; t < MIXED_THREADS; t++)
    run->threads[t] = rsan_thread_create(run->engine, NULL, t);
}

void mixed_engine_end(struct mixed_engine *run) {
  for (uint32_t t = 0; t < MIXED_THREADS; t++)
    rsan_thread_free(run->threads[t]);
  for (uint32_t i = 0; i < run->block_count; i++)
    rsan_location_free(run->engine, run->blocks[i].location);
  rsan_engine_free(run->engine);
}
