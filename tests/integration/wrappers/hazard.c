// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hazard pointers: a reader publishes what it is about to use and looks whether it is still there,
// who reclaims takes it out and looks at what is published.

#include "atomic.h"

#include "algorithms.h"

static uint32_t node;
static void *current = &node, *hazard;

static void *protect(void) {
  void *seen = pointer_load(&current);
  pointer_store(&hazard, seen);
  missing_fence();
  return pointer_load(&current) == seen ? seen : 0;
}

static bool reclaim(void) {
  pointer_store(&current, 0);
  missing_fence();
  return pointer_load(&hazard) != &node;
}

void hazard_reader(void) {
  protect();
}

void hazard_reclaimer(void) {
  reclaim();
}
