// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ring of one producer and one consumer that sleeps when it is empty: each says what it does and
// then looks at the other, which needs a fence in between.

#include "atomic.h"

#include "algorithms.h"

enum { SLOTS = 8 };

static struct {
  atomic_word head, tail, sleeping;
  uint32_t slots[SLOTS];
} ring;

static bool push(uint32_t value) {
  uint32_t tail = word_load(&ring.tail);
  ring.slots[tail % SLOTS] = value;
  word_store(&ring.tail, tail + 1);
  missing_fence();
  return word_load(&ring.sleeping) != 0;
}

static bool may_sleep(void) {
  word_store(&ring.sleeping, 1);
  missing_fence();
  return word_load(&ring.tail) == word_load(&ring.head);
}

void ring_producer(void) {
  push(7);
}

void ring_consumer(void) {
  may_sleep();
}
