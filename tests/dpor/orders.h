// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that the core has something to say about: random ones (program_draw) with memory orders,
// fences that are not seq_cst, and accesses that are not atomic; and the oracle's own.

#ifndef RSAN_TESTS_DPOR_ORDERS_H
#define RSAN_TESTS_DPOR_ORDERS_H

#include "program.h"
#include "programs.h"

// A thread is joined once at most from then on. At most `sc_percent` of the accesses are seq_cst.
void program_draw_orders(struct dpor_program *p, uint64_t seed, uint32_t sc_percent);

// All threads run from the beginning. A compare-exchange is a strong one.
void program_of_oracle(const struct program *program, struct dpor_program *out);

#endif
