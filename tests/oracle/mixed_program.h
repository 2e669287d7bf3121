// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of accesses of several sizes: their runs, and by brute force what processors show of
// them. Independent of the engine.
//
// A processor shows that a program is not sequentially consistent if an execution of it has an
// outcome with a circle in po | rf | mo | fr, all by byte. (mo is between writes with a common byte
// alone.)
#ifndef RSAN_TESTS_ORACLE_MIXED_PROGRAM_H
#define RSAN_TESTS_ORACLE_MIXED_PROGRAM_H

#include "mixed.h"
#include "rng.h"

enum { MIXED_THREADS = 3, MIXED_ACCESSES = 7 };

// The operations of each thread in its program's order.
struct mixed_program {
  struct mixed_event ops[MIXED_EVENTS];
  uint32_t count;
};

// Most accesses are relaxed loads and stores of two threads: others have few violations. A program
// has up to MIXED_ACCESSES of them, and fences.
void mixed_draw_event(struct rng *rng, uint32_t threads, struct mixed_event *event);
void mixed_draw_program(uint64_t seed, struct mixed_program *program);

void mixed_print(const struct mixed_event *events, uint32_t count);

// The memory of a run, byte by byte.
struct mixed_memory {
  uint8_t at[MIXED_ADDRESSES];
};

static inline bool mixed_is_access(const struct mixed_event *event) {
  return event->kind != MIXED_FENCE;
}
static inline bool mixed_has_byte(const struct mixed_event *event, uint32_t address) {
  return mixed_is_access(event) && address - event->address < event->size;
}
static inline bool mixed_overlap(const struct mixed_event *a, const struct mixed_event *b) {
  return mixed_is_access(a) && mixed_is_access(b) && a->address < b->address + b->size &&
         b->address < a->address + a->size;
}

// The next step of a run: makes the access in memory, and fills in `left` and `fails`. Returns what
// was in memory before.
uint64_t mixed_step(struct mixed_memory *memory, struct mixed_event *event);

// Returns whether the last event of the run violates robustness in some order of the run's events.
// The order keeps program order, and the order of two accesses with a common byte if one of them is
// a write. Other writes may change places, because no value shows their order.
bool mixed_violates_in_some_order(const struct mixed_event *run, uint32_t count);

// Makes all runs of a program, which are sequentially consistent. `end` is called with each, and
// with the events that violate robustness by definition. Stops if it returns false.
typedef bool mixed_end(void *context, const struct mixed_event *run, const bool *violates);
bool mixed_all_runs(const struct mixed_program *program, mixed_end *end, void *context);

enum mixed_processor {
  // x86-TSO: loads and stores are MOV, seq_cst stores XCHG, seq_cst fences MFENCE. If one store in
  // the thread's buffer has all bytes of a load, the load takes them from the buffer. If a store
  // has
  // only some of them, the load waits until that store is in memory.
  MIXED_X86,
  // ARMv8, multi-copy atomic, without dependencies. Acquire loads are LDAPR, seq_cst ones LDAR,
  // releasing stores STLR, read-modify-writes exclusives. Bytes of an earlier store are forwarded
  // to a load whose other bytes come from memory.
  MIXED_ARM,
  MIXED_PROCESSORS,
};

extern const char *const mixed_processor_names[MIXED_PROCESSORS];

// Returns whether some execution of the processor has an outcome that is not sequentially
// consistent.
bool mixed_processor_shows(enum mixed_processor processor, const struct mixed_program *program);

#endif
