// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings of one producer and one consumer whose slots say themselves whether they are full, in a
// row: 2 to 16 threads, each passes on what the one before has sent.
//
// Robust: a slot is filled with release and emptied after an acquire, and each side waits for the
// only value that the other can have left.
// Weakened: a slot is filled relaxed; what it names may be stale.

#include "synthetic.h"

#ifdef WEAKENED
#define FILL(x, v) STORE(x, v, relaxed)
#else
#define FILL(x, v) STORE(x, v, release)
#endif

enum { SLOTS = 4 };

static atomic_int ring[MAX_THREADS][SLOTS]; // 0: empty; else the number of a message, from 1
static atomic_int message[MAX_ROUNDS + 1];

static void send(int to, int number) {
  atomic_int *slot = &ring[to][number % SLOTS];
  AWAIT(*slot, 0, acquire);
  FILL(*slot, number);
}

static int receive(int self, int number) {
  atomic_int *slot = &ring[self][number % SLOTS];
  int found;
  AWAIT_OTHER(found, *slot, 0, acquire);
  STORE(*slot, 0, release);
  return found;
}

static void thread(int self) {
  for (int i = 1; i <= rounds; i++) {
    if (self != 0) {
      const int number = receive(self, i);
      if (LOAD(message[number], relaxed) != self)
        own[self].wrong++;
    }
    STORE(message[i], self + 1, relaxed);
    if (self < threads - 1)
      send(self + 1, i);
  }
}

int main(int argc, char **argv) {
  return run(&(struct program){2, MAX_THREADS, thread, none_wrong}, argc, argv);
}
