// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier of two threads that spin on a step number. One writes a plain variable before it, the
// other one reads it after it.
//
// -DWEAKENED: arriving is relaxed.

#include "threads.h"

enum { PARTIES = 2 };
#ifdef WEAKENED
#define ARRIVE relaxed
#else
#define ARRIVE acq_rel
#endif
#define ADD_AS(x, v, order) ADD(x, v, order)

static atomic_uint arrived, step;
static int variable;

static void barrier(void) {
  const unsigned now = LOAD(step, relaxed);
  if (ADD_AS(arrived, 1, ARRIVE) == PARTIES - 1) {
    STORE(arrived, 0, relaxed);
    ADD(step, 1, release);
    return;
  }
  while (LOAD(step, acquire) == now) {
  }
}

static void *write_before(void *unused) {
  variable = 1;
  barrier();
  return unused;
}

static void *read_after(void *unused) {
  barrier();
  require(variable == 1);
  return unused;
}

int main(void) {
  run_all((function *[]){write_before, read_after}, 2);
  return 0;
}
