// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TSO as a machine: each thread has a buffer of stores, first in, first out. A load takes the
// newest buffered store of its location, else memory; a locked operation and a fence wait until the
// buffer is empty. An execution is what each operation read and the order in which the stores of
// each location reached memory. Every way through is taken; the axioms must allow the same ones.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

enum { INITIAL = 0 };

// Name of an operation: 1 + thread * PROGRAM_MAX_OPS + index. The initial value is by 0.
typedef uint8_t name;

struct buffered {
  name by;
  uint32_t location;
  uint64_t value;
};

struct machine {
  const struct program *program;
  struct target_outcomes *out;
  uint32_t done[PROGRAM_MAX_THREADS];
  struct buffered buffer[PROGRAM_MAX_THREADS][PROGRAM_MAX_OPS];
  uint32_t buffered[PROGRAM_MAX_THREADS];
  struct {
    name by;
    uint64_t value;
  } memory[PROGRAM_MAX_LOCATIONS];
  name mo[PROGRAM_MAX_LOCATIONS][PROGRAM_MAX_THREADS * PROGRAM_MAX_OPS];
  uint32_t mo_count[PROGRAM_MAX_LOCATIONS];
  name read[1 + PROGRAM_MAX_THREADS * PROGRAM_MAX_OPS];
};

enum { TEXT = 512 };

static void add_outcome(struct target_outcomes *out, const char *text) {
  out->at = trace_grow(out->at, &out->capacity, out->count + 1, sizeof *out->at);
  size_t capacity = 0;
  char *copy = trace_grow(NULL, &capacity, strlen(text) + 1, 1);
  strcpy(copy, text);
  out->at[out->count++] = copy;
}

static int compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_outcomes(struct target_outcomes *out) {
  if (!out->count)
    return;
  qsort(out->at, out->count, sizeof *out->at, compare);
  size_t kept = 1;
  for (size_t i = 1; i < out->count; i++) {
    if (strcmp(out->at[i], out->at[kept - 1]) == 0)
      free(out->at[i]);
    else
      out->at[kept++] = out->at[i];
  }
  out->count = kept;
}

void target_outcomes_free(struct target_outcomes *outcomes) {
  for (size_t i = 0; i < outcomes->count; i++)
    free(outcomes->at[i]);
  free(outcomes->at);
  memset(outcomes, 0, sizeof *outcomes);
}

static name name_of(uint32_t thread, uint32_t index) {
  return (name)(1 + thread * PROGRAM_MAX_OPS + index);
}

static void write_outcome(const struct machine *m) {
  char text[TEXT];
  int at = 0;
  for (uint32_t t = 0; t < m->program->threads; t++)
    for (uint32_t i = 0; i < m->program->length[t]; i++)
      at += snprintf(text + at, TEXT - (size_t)at, "%d ", m->read[name_of(t, i)]);
  for (uint32_t x = 0; x < PROGRAM_MAX_LOCATIONS; x++) {
    at += snprintf(text + at, TEXT - (size_t)at, "| ");
    for (uint32_t i = 0; i < m->mo_count[x]; i++)
      at += snprintf(text + at, TEXT - (size_t)at, "%d ", m->mo[x][i]);
  }
  add_outcome(m->out, text);
}

static void reach_memory(struct machine *m, uint32_t location, name by, uint64_t value) {
  m->memory[location].by = by;
  m->memory[location].value = value;
  m->mo[location][m->mo_count[location]++] = by;
}

static bool is_cas(enum trace_op op) {
  return op == TRACE_WEAK_CAS || op == TRACE_STRONG_CAS || op == TRACE_BCAS;
}

// False: the operation cannot be done now.
static bool execute(struct machine *m, uint32_t thread) {
  uint32_t index = m->done[thread];
  const struct trace_event *op = &m->program->ops[thread][index];
  name self = name_of(thread, index), from = INITIAL;
  uint64_t value = 0;
  bool plain_load = op->op == TRACE_LOAD || op->op == TRACE_WAIT;
  bool plain_store = op->op == TRACE_STORE && op->order != TRACE_SC;
  bool fence = op->op == TRACE_FENCE;
  if (!plain_load && !plain_store && !(fence && op->order != TRACE_SC) && m->buffered[thread])
    return false; // waits for the buffer
  if (!fence) {
    from = m->memory[op->object].by;
    value = m->memory[op->object].value;
    for (uint32_t i = 0; i < m->buffered[thread]; i++)
      if (m->buffer[thread][i].location == op->object) {
        from = m->buffer[thread][i].by;
        value = m->buffer[thread][i].value;
      }
  }
  if ((op->op == TRACE_WAIT || op->op == TRACE_BCAS) && value != op->expected)
    return false;
  bool fails = is_cas(op->op) && value != op->expected;
  if (plain_store)
    m->buffer[thread][m->buffered[thread]++] = (struct buffered){self, op->object, op->written};
  else if (op->op == TRACE_FETCH_OP)
    reach_memory(m, op->object, self, value + op->written);
  else if (!plain_load && !fence && !fails)
    reach_memory(m, op->object, self, op->written);
  m->read[self] = op->op == TRACE_STORE ? INITIAL : from;
  m->done[thread]++;
  return true;
}

static void drain(struct machine *m, uint32_t thread) {
  struct buffered first = m->buffer[thread][0];
  m->buffered[thread]--;
  for (uint32_t i = 0; i < m->buffered[thread]; i++)
    m->buffer[thread][i] = m->buffer[thread][i + 1];
  reach_memory(m, first.location, first.by, first.value);
}

static void explore(const struct machine *m) {
  bool ended = true;
  for (uint32_t t = 0; t < m->program->threads; t++) {
    if (m->buffered[t]) {
      struct machine next = *m;
      drain(&next, t);
      explore(&next);
    }
    ended = ended && !m->buffered[t] && m->done[t] == m->program->length[t];
    if (m->done[t] == m->program->length[t])
      continue;
    struct machine next = *m;
    if (execute(&next, t))
      explore(&next);
  }
  if (ended)
    write_outcome(m);
}

void target_outcomes_machine(const struct program *program, struct target_outcomes *out) {
  struct machine machine = {.program = program, .out = out};
  explore(&machine);
  sort_outcomes(out);
}

struct axioms {
  struct target target;
  struct target_outcomes *out;
};

static bool allowed(void *context, struct enumerate_state *state) {
  struct axioms *axioms = context;
  return target_consistent(TARGET_X86, &axioms->target, &state->graph, &state->trace,
                           &state->relations);
}

static bool collect(void *context, struct enumerate_state *state) {
  struct axioms *axioms = context;
  struct machine m = {.program = state->program, .out = axioms->out};
  name names[PROGRAM_MAX_THREADS * PROGRAM_MAX_OPS];
  for (uint32_t e = 0; e < state->graph.count; e++) {
    uint32_t thread = state->graph.nodes[e].thread;
    names[e] = name_of(thread, m.done[thread]++);
  }
  for (uint32_t t = 0; t < state->program->threads; t++)
    if (m.done[t] != state->program->length[t])
      return true;
  for (uint32_t e = 0; e < state->graph.count; e++)
    if (graph_reads(state->graph.nodes[e].kind) && state->graph.nodes[e].rf != GRAPH_INITIAL)
      m.read[names[e]] = names[state->graph.nodes[e].rf];
  for (uint32_t x = 0; x < PROGRAM_MAX_LOCATIONS; x++) {
    m.mo_count[x] = (uint32_t)state->graph.mo[x].count;
    for (uint32_t i = 0; i < m.mo_count[x]; i++)
      m.mo[x][i] = names[state->graph.mo[x].at[i]];
  }
  write_outcome(&m);
  return true;
}

void target_outcomes_axioms(const struct program *program, struct target_outcomes *out) {
  struct axioms axioms = {.out = out};
  enumerate_allowed(program, allowed, collect, &axioms, NULL);
  target_free(&axioms.target);
  sort_outcomes(out);
}
