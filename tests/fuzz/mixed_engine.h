// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine's view of a run with accesses of several sizes.
#ifndef RSAN_TESTS_FUZZ_MIXED_ENGINE_H
#define RSAN_TESTS_FUZZ_MIXED_ENGINE_H

#include "engine.h"
#include "mixed_program.h"

// The locations that a host would have: none overlaps another one.
struct mixed_block {
  uint32_t address, size;
  struct rsan_location *location;
};

struct mixed_engine {
  struct rsan_engine *engine;
  struct rsan_thread *threads[MIXED_THREADS];
  struct mixed_block blocks[2 * MIXED_EVENTS];
  uint32_t block_count;
  struct mixed_memory memory;
  bool twin; // each access is said to have all bytes of its location
};

// `proves`: it says, too, what keeps a run from being part of a proof.
void mixed_engine_begin(struct mixed_engine *run, const struct rsan_options *options, bool twin,
                        bool proves);
void mixed_engine_end(struct mixed_engine *run);

// Makes the step, in memory and in the engine. Returns whether the engine flags it.
bool mixed_engine_step(struct mixed_engine *run, struct mixed_event *event);

#endif
