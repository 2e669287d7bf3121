// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Well-formedness: could this have been a sequentially consistent run?
//   R1  a created thread has no event before its creation and is created once,
//       not by itself; a thread that was joined is not created
//   R2  a thread is joined at most once, not by itself; no event after that
//   R3  a mutex is locked when free and unlocked by its holder
//   R4  a value read (that waited for, in a wait or blocking compare-exchange)
//       is the value last written to the location; 0 at first and after "al"
//   R5  a compare-exchange that succeeded read the expected value; a strong
//       one that failed did not
//   R6  a blocked arrival finds another value than the one it waits for
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "trace.h"

struct thread_state {
  bool started; // has an event, or was created
  bool joined;
};

struct check_state {
  const struct trace *trace;
  struct trace_error *error;
  size_t index;
  struct thread_state *threads;
  uint64_t *values; // by atomic location
  uint32_t *owners; // by mutex: holder + 1, 0 if free
};

__attribute__((format(printf, 2, 3))) static bool fail(struct check_state *state,
                                                       const char *format, ...) {
  char text[160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(state->error->reason, sizeof state->error->reason, "event %zu: %s", state->index, text);
  return false;
}

static bool check_create(struct check_state *state, const struct trace_event *event) {
  struct thread_state *child = &state->threads[event->object];
  if (child->joined)
    return fail(state, "thread %" PRIu32 " was joined", event->object);
  if (child->started)
    return fail(state, "thread %" PRIu32 " has already started", event->object);
  child->started = true;
  return true;
}

static bool check_join(struct check_state *state, const struct trace_event *event) {
  struct thread_state *child = &state->threads[event->object];
  if (event->object == event->thread)
    return fail(state, "a thread joins itself");
  if (child->joined)
    return fail(state, "thread %" PRIu32 " was already joined", event->object);
  child->joined = true;
  return true;
}

static bool check_lock(struct check_state *state, const struct trace_event *event) {
  uint32_t *owner = &state->owners[event->object];
  if (event->op == TRACE_LOCK) {
    if (*owner)
      return fail(state, "mutex %" PRIu32 " is locked", event->object);
    *owner = event->thread + 1;
    return true;
  }
  if (*owner != event->thread + 1)
    return fail(state, "mutex %" PRIu32 " is not held by the thread", event->object);
  *owner = 0;
  return true;
}

static bool check_cas(struct check_state *state, const struct trace_event *event) {
  if (event->ok && event->read != event->expected)
    return fail(state, "a compare-exchange succeeds on another value");
  if (!event->ok && event->op == TRACE_STRONG_CAS && event->read == event->expected)
    return fail(state, "a strong compare-exchange fails on the value");
  return true;
}

static bool check_access(struct check_state *state, const struct trace_event *event) {
  uint64_t *value = &state->values[event->object];
  if (event->op != TRACE_STORE && event->read != *value)
    return fail(state, "reads %" PRIu64 ", but the last write is %" PRIu64, event->read, *value);
  bool cas = event->op == TRACE_WEAK_CAS || event->op == TRACE_STRONG_CAS;
  if (cas && !check_cas(state, event))
    return false;
  bool writes = cas ? event->ok : event->op != TRACE_LOAD && event->op != TRACE_WAIT;
  if (writes)
    *value = event->written;
  return true;
}

static bool check_event(struct check_state *state, const struct trace_event *event) {
  struct thread_state *thread = &state->threads[event->thread];
  if (thread->joined)
    return fail(state, "thread %" PRIu32 " was joined", event->thread);
  thread->started = true;
  switch (event->op) {
  case TRACE_CREATE:
    return check_create(state, event);
  case TRACE_JOIN:
    return check_join(state, event);
  case TRACE_LOCK:
  case TRACE_UNLOCK:
    return check_lock(state, event);
  case TRACE_WAIT_BLOCKED:
  case TRACE_BCAS_BLOCKED:
    return state->values[event->object] != event->expected ||
           fail(state, "blocked although the value is there");
  case TRACE_ALLOC:
    state->values[event->object] = 0;
    return true;
  default:
    return !trace_op_is_access(event->op) || check_access(state, event);
  }
}

bool trace_check(const struct trace *trace, struct trace_error *error) {
  uint32_t objects = 0;
  for (size_t i = 0; i < trace->count; i++)
    if (trace->events[i].object >= objects)
      objects = trace->events[i].object + 1;
  struct check_state state = {.trace = trace, .error = error};
  size_t capacity = 0;
  state.threads = trace_grow(NULL, &capacity, trace->threads, sizeof *state.threads);
  capacity = 0;
  state.values = trace_grow(NULL, &capacity, objects, sizeof *state.values);
  capacity = 0;
  state.owners = trace_grow(NULL, &capacity, objects, sizeof *state.owners);
  bool ok = true;
  for (; ok && state.index < trace->count; state.index++)
    ok = check_event(&state, &trace->events[state.index]);
  free(state.threads);
  free(state.values);
  free(state.owners);
  return ok;
}
