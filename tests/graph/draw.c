// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "draw.h"

#include "rng.h"

void draw_program(uint64_t seed, uint64_t i, uint32_t operations, struct program *program) {
  struct rng rng = {rng_derive(seed, i)};
  struct program_params params;
  program_params_default(&params);
  params.max_ops = rng_between(&rng, 3, operations);
  params.locations = rng_between(&rng, 1, 3);
  params.blocking_percent = rng_below(&rng, 2) * 30;
  params.sc_percent = rng_below(&rng, 2) * rng_below(&rng, 101);
  program_random(&params, rng_next(&rng), program);
  for (uint32_t t = 0; rng_below(&rng, 2) && t < program->threads; t++) {
    struct trace_event *op = &program->ops[t][rng_below(&rng, program->length[t])];
    bool writes = rng_percent(&rng, 60);
    *op = (struct trace_event){.op = writes ? TRACE_PLAIN_WRITE : TRACE_PLAIN_READ};
  }
}
