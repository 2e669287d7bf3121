// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ticket lock, and what it protects. The weak one's unlock releases nothing.

#include "atomic.h"

#include "algorithms.h"

static struct {
  atomic_word next, serving;
} lock;
static atomic_word inside, rounds;

static void ticket_lock(void) {
  uint32_t ticket = word_add(&lock.next, 1);
  while (word_load(&lock.serving) != ticket) {
  }
}

static void ticket_unlock(void) {
  uint32_t now = word_load(&lock.serving);
#ifdef REPAIRED
  word_store(&lock.serving, now + 1);
#else
  word_store_relaxed(&lock.serving, now + 1);
#endif
}

static uint32_t count(void) {
  uint32_t none = 0;
  word_compare_exchange(&inside, &none, 1);
  uint32_t seen = word_load(&rounds);
  word_store_relaxed(&rounds, seen + 1);
  return seen;
}

void ticket_first(void) {
  ticket_lock();
  word_store_relaxed(&rounds, 1);
  ticket_unlock();
}

void ticket_second(void) {
  ticket_lock();
  count();
  ticket_unlock();
}
