// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before all else: DPDK's waits spin on a processor of their own and never give way. With
// fewer processors than threads a run would take minutes.

#include <immintrin.h>
#include <sched.h>

static inline void give_way() {
  sched_yield();
}
#define _mm_pause give_way
