// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a machine may show of a program, by definition: axiomatic models over the standard mapping
// of C11's atomics, for execution graphs and for runs. Independent of the engine.
//
// A violation is one of a target's if an execution that the target's model allows, and that is not
// SC on the program's own accesses, begins like the run. The check of an access has the same form
// as C11's: some version above K, which the access must not miss or overwrite, is before it by
// hbSC. K is the newest version that the model puts before the access. (Seq_cst fences of C11's own
// treatment of seq_cst accesses take no part: a target has the fences of its mapping.)
//
// How to read the signatures: the model first, results last. A zeroed struct target is ready for
// use; target_free returns its memory.
#ifndef RSAN_TESTS_ORACLE_TARGET_H
#define RSAN_TESTS_ORACLE_TARGET_H

#include "enumerate.h"
#include "graph.h"
#include "oracle.h"

enum target_model {
  TARGET_X86, // TSO: loads and stores are MOV, seq_cst stores XCHG, SC fences MFENCE
  // ARMv8 without dependencies; DEFINITE: every read before all that follows it. Acquire loads are
  // LDAPR, or LDAR; read-modify-writes exclusives, or LSE's.
  TARGET_ARM,
  TARGET_ARM_DEFINITE,
  TARGET_ARM_LDAR,
  TARGET_ARM_LDAR_DEFINITE,
  TARGET_ARM_LSE,
  TARGET_ARM_LSE_DEFINITE,
  TARGET_MODEL_COUNT,
};

extern const char *const target_model_names[TARGET_MODEL_COUNT];

struct target {
  struct relation order;  // what the model puts in one order for all: closed
  struct relation before; // row e: what precedes the start of e by it
  struct relation scratch[3];
};

void target_free(struct target *target);

// Does the model allow the graph? `trace` has the events of its nodes. Derived relations.
bool target_consistent(enum target_model model, struct target *target, const struct graph *graph,
                       const struct trace *trace, struct graph_relations *relations);

// A compare-exchange that is called weak, on a machine whose own cannot fail without a reason: the
// program as the machine has it.
void target_map_program(enum target_model model, const struct program *program,
                        struct program *out);

// Brute force: is every execution of the mapped program that the model allows SC? *graphs, if
// given, counts them.
bool target_robust(enum target_model model, const struct program *program, uint64_t *graphs);

// The events of a run whose check fails. The oracle has derived the trace's relations
// (oracle_derive). Replaces what was in *flags.
void target_flags(enum target_model model, struct target *target, const struct oracle *oracle,
                  struct trace_indices *flags);

// K of an access or blocked arrival, after target_flags, taken as a mere read or, if `writes`, as a
// write.
int64_t target_known(enum target_model model, const struct target *target,
                     const struct oracle *oracle, uint32_t node, bool writes);

// target_machine.c: TSO by store buffers. The executions that end, each a text of what every
// operation read and of the modification orders, sorted; and the same by the axioms.
struct target_outcomes {
  char **at;
  size_t count, capacity;
};
void target_outcomes_machine(const struct program *program, struct target_outcomes *out);
void target_outcomes_axioms(const struct program *program, struct target_outcomes *out);
void target_outcomes_free(struct target_outcomes *outcomes);

#endif
