// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is an explanation true of the run that it explains? By the recorded events alone: no engine, no
// clocks, no logs.

#ifndef RSAN_TESTS_EXPLAIN_CHECK_H
#define RSAN_TESTS_EXPLAIN_CHECK_H

#include "explanation.h"
#include "trace.h"
#include "violation.h"

// NULL, or what is wrong with the steps or the repairs. `flagged`: the event's index.
const char *check_explanation(const struct trace *trace, size_t flagged,
                              const struct rsan_violation *violation,
                              const struct rsan_explanation *explanation);

// The run up to the flagged event with the repairs in it; `without`: leaves that one out (or none:
// repair_count). The flagged event is the last one.
void check_repaired(const struct trace *trace, size_t flagged,
                    const struct rsan_explanation *explanation, uint32_t without,
                    struct trace *repaired);

#endif
