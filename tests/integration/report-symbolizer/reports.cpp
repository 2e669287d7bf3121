// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of several kinds, the same in each run: a violation in a shared library, a data race in
// functions that are inlined, and the misuse of a mutex. What they are about is on the heap.

#include <pthread.h>

#include <thread>

#include "part.h"
#include "stage.h"

struct State {
  std::atomic<int> first{0}, second{0};
  int plain = 0;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

static inline __attribute__((always_inline)) void bump(int *counter) {
  ++*counter;
}

static inline __attribute__((always_inline)) void bump_plain(State *state) {
  bump(&state->plain);
}

// Both run until the end: a thread's state is part of a report.
static void one(State *state) {
  enter(state->first, state->second);
  bump_plain(state);
  stage_reach(1);
  stage_await(2);
}

static void other(State *state) {
  stage_await(1);
  enter(state->second, state->first);
  bump_plain(state);
  stage_reach(2);
}

int main() {
  State *state = new State;
  std::thread first(one, state), second(other, state);
  first.join();
  second.join();
  pthread_mutex_lock(&state->mutex);
  pthread_mutex_destroy(&state->mutex);
  delete state;
}
