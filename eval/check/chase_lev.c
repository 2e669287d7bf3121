// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chase and Lev's deque as Lê, Pop, Cohen and Zappella Nardelli wrote it for C11, with an array
// that grows. The owner pushes three values and takes two, a thief steals one.
//
// -DWEAKENED: the grown array is published relaxed, as it was printed.

#include "threads.h"

#ifdef WEAKENED
#define PUBLISH relaxed
#else
#define PUBLISH release
#endif
#define STORE_AS(x, v, order) STORE(x, v, order)

enum { EMPTY = -1, LOST = -2, FIRST_SIZE = 2, MOST = 4 };

struct array {
  long size;
  atomic_int item[MOST];
};

static struct array small = {.size = FIRST_SIZE}, large = {.size = MOST};
static _Atomic(struct array *) array;
static atomic_long top, bottom;

static void grow(struct array *old, long t, long b) {
  for (long i = t; i < b; i++)
    STORE(large.item[i % large.size], LOAD(old->item[i % old->size], relaxed), relaxed);
  STORE_AS(array, &large, PUBLISH);
}

static void push(int value) {
  const long b = LOAD(bottom, relaxed), t = LOAD(top, acquire);
  struct array *a = LOAD(array, relaxed);
  if (b - t > a->size - 1) {
    grow(a, t, b);
    a = LOAD(array, relaxed);
  }
  STORE(a->item[b % a->size], value, relaxed);
  FENCE(release);
  STORE(bottom, b + 1, relaxed);
}

static int take(void) {
  const long b = LOAD(bottom, relaxed) - 1;
  struct array *a = LOAD(array, relaxed);
  STORE(bottom, b, relaxed);
  FENCE(seq_cst);
  long t = LOAD(top, relaxed);
  int value = EMPTY;
  if (t <= b) {
    value = LOAD(a->item[b % a->size], relaxed);
    if (t < b)
      return value;
    if (!CAS(top, t, t + 1, seq_cst))
      value = EMPTY;
  }
  STORE(bottom, b + 1, relaxed);
  return value;
}

static int steal(void) {
  long t = LOAD(top, acquire);
  FENCE(seq_cst);
  if (t >= LOAD(bottom, acquire))
    return EMPTY;
  struct array *a = LOAD(array, acquire);
  const int value = LOAD(a->item[t % a->size], relaxed);
  return CAS(top, t, t + 1, seq_cst) ? value : LOST;
}

static int stolen;

static void *steal_one(void *unused) {
  stolen = steal();
  return unused;
}

int main(void) {
  pthread_t thief;
  STORE(array, &small, relaxed);
  start(&thief, steal_one, 0);
  push(1);
  push(2);
  push(4);
  const int one = take(), other = take();
  pthread_join(thief, NULL);
  require(stolen == EMPTY || stolen == LOST || stolen + one + other == 7);
  return 0;
}
