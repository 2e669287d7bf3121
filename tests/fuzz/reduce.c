// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reduce.h"

#include "legal.h"

// `from` without events [begin, end), made possible again.
static void without(const struct trace *from, size_t begin, size_t end, struct trace *out) {
  struct legal state = {0};
  trace_clear(out);
  out->threads = from->threads;
  for (size_t i = 0; i < from->count; i++) {
    struct trace_event event = from->events[i];
    if ((i < begin || i >= end) && legal_step(&state, &event))
      trace_append(out, &event);
  }
  legal_clear(&state);
}

static void take_events(struct trace *trace, const struct trace *from) {
  trace->count = 0;
  for (size_t i = 0; i < from->count; i++)
    trace_append(trace, &from->events[i]);
}

// One pass over all chunks of that size. True: something went.
static bool pass(struct trace *trace, size_t chunk, struct trace *smaller, reduce_test *still,
                 void *context) {
  bool any = false;
  for (size_t at = 0; at < trace->count;) {
    without(trace, at, at + chunk, smaller);
    if (smaller->count < trace->count && still(context, smaller)) {
      take_events(trace, smaller);
      any = true;
    } else {
      at += chunk;
    }
  }
  return any;
}

void reduce(struct trace *trace, reduce_test *still, void *context) {
  struct trace smaller = {0};
  size_t chunk = trace->count;
  while (chunk > 0)
    if (!pass(trace, chunk, &smaller, still, context) || chunk > 1)
      chunk /= 2;
  trace_free(&smaller);
}
