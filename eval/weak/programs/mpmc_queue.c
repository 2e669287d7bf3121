// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bounded queue of many producers and consumers, a number in each slot (Vyukov's). Too weak: a
// producer stores the number of a full slot relaxed.

#include "weak.h"

enum { ROOM = 2, ITEMS = 10 };

static struct slot {
  atomic_long number;
  int item;
} slots[ROOM];
static atomic_long head, tail;

static int put(int item) {
  for (;;) {
    long at = LOAD(tail, relaxed);
    struct slot *slot = &slots[at % ROOM];
    const long number = LOAD(slot->number, acquire);
    if (number < at)
      return 0;
    if (number != at || !CAS(tail, &at, at + 1, relaxed, relaxed))
      continue;
    slot->item = item;
    STORE(slot->number, at + 1, relaxed);
    return 1;
  }
}

static int get(void) {
  for (;;) {
    long at = LOAD(head, relaxed);
    struct slot *slot = &slots[at % ROOM];
    const long number = LOAD(slot->number, acquire);
    if (number < at + 1)
      return 0;
    if (number != at + 1 || !CAS(head, &at, at + 1, relaxed, relaxed))
      continue;
    const int item = slot->item;
    STORE(slot->number, at + ROOM, release);
    return item;
  }
}

static void *thread(void *self) {
  intptr_t sum = 0;
  for (int i = 1; i <= ITEMS; i++)
    sum += (intptr_t)self ? get() : put(i);
  return (void *)sum;
}

int main(void) {
  for (int i = 0; i < ROOM; i++)
    STORE(slots[i].number, i, relaxed);
  run_threads(3, thread);
  return 0;
}
