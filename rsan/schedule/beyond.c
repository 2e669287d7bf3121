// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "beyond.h"

#include "../host.h"
#include "threads.h"

enum { FIRST_QUOTA = 16, TIMES = 16 };

void rsan_beyond_begin(struct rsan_beyond *b, uint64_t threads) {
  rsan_host_memset(b, 0, sizeof *b);
  b->began = true;
  b->threads = threads;
  b->quota = FIRST_QUOTA;
}

static bool goes_beyond(const struct rsan_beyond *b, uint32_t number) {
  return b->threads >> number & 1;
}

static bool turns_for_ever(const struct rsan_beyond *b, uint32_t number) {
  return rsan_turns_most(&b->thread[number].turns) > RSAN_BEYOND_TURNS;
}

uint32_t rsan_beyond_next(struct rsan_beyond *b, uint64_t ready) {
  b->left |= (b->threads & ~ready) != 0; // it waits for somebody now
  while (!b->left && b->quota <= RSAN_BEYOND_STEPS) {
    for (; b->number < RSAN_DPOR_THREADS; b->number++)
      if (goes_beyond(b, b->number) && b->thread[b->number].steps < b->quota &&
          !turns_for_ever(b, b->number))
        return b->number;
    b->number = 0;
    b->quota *= TIMES;
  }
  return RSAN_NO_THREAD;
}

bool rsan_beyond_make(struct rsan_beyond *b, const struct rsan_op *op) {
  b->left |= rsan_turns_ends(op);
  if (b->left)
    return false;
  rsan_turns_make(&b->thread[b->number].turns, op);
  b->thread[b->number].steps++;
  return true;
}

bool rsan_beyond_is_livelock(const struct rsan_beyond *b) {
  for (uint32_t i = 0; i < RSAN_DPOR_THREADS; i++)
    if (goes_beyond(b, i) && !turns_for_ever(b, i))
      return false;
  return !b->left;
}
