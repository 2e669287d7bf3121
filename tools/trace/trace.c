// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  const char *arguments;
  unsigned orders;
} op_table[TRACE_OP_COUNT] = {
#define X(op, name, arguments, orders) {name, arguments, orders},
    TRACE_OPS(X)
#undef X
};

static const char *const order_names[TRACE_ORDER_COUNT] = {"rlx", "acq", "rel", "ar", "sc"};

const char *trace_op_name(enum trace_op op) {
  return op_table[op].name;
}

const char *trace_op_arguments(enum trace_op op) {
  return op_table[op].arguments;
}

unsigned trace_op_orders(enum trace_op op) {
  return op_table[op].orders;
}

const char *trace_order_name(enum trace_order order) {
  return order_names[order];
}

bool trace_op_is_access(enum trace_op op) {
  return op <= TRACE_BCAS;
}

bool trace_op_is_checked(enum trace_op op) {
  return op <= TRACE_BCAS_BLOCKED;
}

bool trace_op_is_plain(enum trace_op op) {
  return op == TRACE_PLAIN_READ || op == TRACE_PLAIN_WRITE;
}

static _Noreturn void end_without_memory(void) {
  fprintf(stderr, "out of memory\n");
  abort();
}

void *trace_allocate(size_t size) {
  void *bytes = calloc(1, size);
  if (!bytes)
    end_without_memory();
  return bytes;
}

void *trace_grow(void *array, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity)
    return array;
  size_t grown = *capacity < 8 ? 16 : *capacity * 2;
  if (grown < needed)
    grown = needed;
  char *bytes = grown <= SIZE_MAX / size ? realloc(array, grown * size) : NULL;
  if (!bytes)
    end_without_memory();
  memset(bytes + *capacity * size, 0, (grown - *capacity) * size);
  *capacity = grown;
  return bytes;
}

void trace_free(struct trace *trace) {
  free(trace->id);
  free(trace->source);
  free(trace->events);
  free(trace->flags.at);
  free(trace->races.at);
  memset(trace, 0, sizeof *trace);
}

void trace_clear(struct trace *trace) {
  free(trace->id);
  free(trace->source);
  trace->id = NULL;
  trace->source = NULL;
  trace->threads = 0;
  trace->count = 0;
  trace->has_verdict = false;
  trace->flags.count = 0;
  trace->races.count = 0;
}

void trace_append(struct trace *trace, const struct trace_event *event) {
  trace->events =
      trace_grow(trace->events, &trace->capacity, trace->count + 1, sizeof *trace->events);
  trace->events[trace->count++] = *event;
}

void trace_set_id(struct trace *trace, const char *id) {
  size_t length = strlen(id) + 1;
  size_t capacity = 0;
  char *copy = trace_grow(NULL, &capacity, length, 1);
  memcpy(copy, id, length);
  free(trace->id);
  trace->id = copy;
}

void trace_indices_append(struct trace_indices *indices, size_t index) {
  indices->at =
      trace_grow(indices->at, &indices->capacity, indices->count + 1, sizeof *indices->at);
  indices->at[indices->count++] = index;
}

bool trace_indices_equal(const struct trace_indices *a, const struct trace_indices *b) {
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->at[i] != b->at[i])
      return false;
  return true;
}
