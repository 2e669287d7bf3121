// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chase and Lev's work-stealing deque, of a fixed size: the owner pushes and takes at the bottom, a
// thief steals at the top. Too weak: push stores the bottom relaxed, without the release fence
// before it.

#include "weak.h"

enum { ITEMS = 10, ROOM = 16 };

static atomic_long top, bottom;
static _Atomic(int *) slots[ROOM];
static int items[ITEMS + 1], taken[ITEMS + 1];

static void push(int *item) {
  const long b = LOAD(bottom, relaxed);
  STORE(slots[b % ROOM], item, relaxed);
  STORE(bottom, b + 1, relaxed);
}

static int *take(void) {
  const long b = LOAD(bottom, relaxed) - 1;
  STORE(bottom, b, relaxed);
  SC_FENCE();
  long t = LOAD(top, relaxed);
  int *item = NULL;
  if (t <= b)
    item = LOAD(slots[b % ROOM], relaxed);
  if (t < b)
    return item;
  if (t == b && !CAS(top, &t, t + 1, seq_cst, relaxed))
    item = NULL;
  STORE(bottom, b + 1, relaxed);
  return item;
}

static int *steal(void) {
  long t = LOAD(top, acquire);
  SC_FENCE();
  const long b = LOAD(bottom, acquire);
  if (t >= b)
    return NULL;
  int *item = LOAD(slots[t % ROOM], relaxed);
  return CAS(top, &t, t + 1, seq_cst, relaxed) ? item : NULL;
}

static void use(const int *item) {
  if (item)
    taken[*item]++;
}

static void *thread(void *self) {
  for (int i = 1; i <= ITEMS; i++) {
    if (self) {
      use(steal());
      continue;
    }
    items[i] = i;
    push(&items[i]);
    if (i % 2 == 0)
      use(take());
  }
  return NULL;
}

int main(void) {
  run_threads(2, thread);
  for (int i = 1; i <= ITEMS; i++)
    if (taken[i] > 1)
      abort();
  return 0;
}
