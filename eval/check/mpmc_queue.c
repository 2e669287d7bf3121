// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bounded queue of several producers and consumers, as Charles Bloom describes it: one word has
// the numbers of items that were taken up for reading and for writing; two counters say how far
// reading and writing have come. WRITERS threads put one item in, READERS take one out.
//
// -DWEAKENED: what was written is published relaxed.

#include "threads.h"

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifdef WEAKENED
#define PUBLISH relaxed
#else
#define PUBLISH release
#endif
#define ADD_AS(x, v, order) ADD(x, v, order)

enum { SLOTS = 2, HALF = 16, MASK = 0xffff };

static atomic_uint both; // taken up for reading in the upper half, for writing in the lower one
static atomic_uint been_read, been_written;
static int slot[SLOTS];

// The slot to write; NULL: the queue is full.
static int *begin_write(void) {
  unsigned now = LOAD(both, acquire), reading, writing;
  do {
    reading = now >> HALF & MASK;
    writing = now & MASK;
    if ((writing - reading & MASK) == SLOTS)
      return NULL;
  } while (!CAS(both, now, reading << HALF | (writing + 1 & MASK), acq_rel));
  while ((LOAD(been_read, acquire) & MASK) != reading) {
  }
  return &slot[writing % SLOTS];
}

static int *begin_read(void) {
  unsigned now = LOAD(both, acquire), reading, writing;
  do {
    reading = now >> HALF & MASK;
    writing = now & MASK;
    if (writing == reading)
      return NULL;
  } while (!CAS(both, now, (reading + 1 & MASK) << HALF | writing, acq_rel));
  while ((LOAD(been_written, acquire) & MASK) != writing) {
  }
  return &slot[reading % SLOTS];
}

static void *write_one(void *number) {
  int *where = begin_write();
  require(where != NULL);
  *where = 1 + number_of(number);
  ADD_AS(been_written, 1, PUBLISH);
  return NULL;
}

static void *read_one(void *unused) {
  const int *where = begin_read();
  if (where) {
    require(*where != 0);
    ADD(been_read, 1, release);
  }
  return unused;
}

int main(void) {
  function *all[WRITERS + READERS];
  for (int i = 0; i < WRITERS + READERS; i++)
    all[i] = i < WRITERS ? write_one : read_one;
  run_all(all, WRITERS + READERS);
  return 0;
}
