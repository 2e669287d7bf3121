// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "legal.h"

#include <stdlib.h>
#include <string.h>

static struct legal_thread *thread_of(struct legal *state, uint32_t thread) {
  state->threads = trace_grow(state->threads, &state->threads_capacity, (size_t)thread + 1,
                              sizeof *state->threads);
  return &state->threads[thread];
}

static struct legal_object *object_of(struct legal *state, uint32_t object) {
  state->objects = trace_grow(state->objects, &state->objects_capacity, (size_t)object + 1,
                              sizeof *state->objects);
  return &state->objects[object];
}

static bool legal_access(uint64_t *value, struct trace_event *event) {
  if (event->op == TRACE_STORE) {
    *value = event->written;
    return true;
  }
  event->read = *value;
  switch (event->op) {
  case TRACE_WAIT:
    event->expected = *value;
    return true;
  case TRACE_BCAS:
    event->expected = *value;
    break;
  case TRACE_WEAK_CAS:
    event->ok = event->ok && event->expected == *value;
    break;
  case TRACE_STRONG_CAS:
    event->ok = event->expected == *value;
    break;
  case TRACE_LOAD:
    return true;
  default:
    break;
  }
  bool cas = event->op == TRACE_WEAK_CAS || event->op == TRACE_STRONG_CAS;
  if (!cas || event->ok)
    *value = event->written;
  return true;
}

static bool legal_mutex(uint32_t *owner, const struct trace_event *event) {
  bool lock = event->op == TRACE_LOCK;
  if (*owner != (lock ? 0 : event->thread + 1))
    return false;
  *owner = lock ? event->thread + 1 : 0;
  return true;
}

static bool legal_child(struct legal *state, const struct trace_event *event) {
  struct legal_thread *child = thread_of(state, event->object);
  if (event->object == event->thread || child->joined)
    return false;
  if (event->op == TRACE_JOIN) {
    child->joined = true;
    return true;
  }
  bool fresh = !child->started;
  child->started = true;
  return fresh;
}

static bool legal_event(struct legal *state, struct trace_event *event) {
  switch (event->op) {
  case TRACE_FENCE:
  case TRACE_PLAIN_READ:
  case TRACE_PLAIN_WRITE:
  case TRACE_ALLOC_PLAIN:
    return true;
  case TRACE_CREATE:
  case TRACE_JOIN:
    return legal_child(state, event);
  case TRACE_LOCK:
  case TRACE_UNLOCK:
    return legal_mutex(&object_of(state, event->object)->owner, event);
  case TRACE_WAIT_BLOCKED:
  case TRACE_BCAS_BLOCKED:
    return object_of(state, event->object)->value != event->expected;
  case TRACE_ALLOC:
    object_of(state, event->object)->value = 0;
    return true;
  default:
    return legal_access(&object_of(state, event->object)->value, event);
  }
}

bool legal_step(struct legal *state, struct trace_event *event) {
  if (thread_of(state, event->thread)->joined || !legal_event(state, event))
    return false;
  thread_of(state, event->thread)->started = true;
  return true;
}

bool legal_exists(const struct legal *state, uint32_t thread, uint32_t roots) {
  return thread < roots || (thread < state->threads_capacity && state->threads[thread].started);
}

void legal_clear(struct legal *state) {
  free(state->threads);
  free(state->objects);
  memset(state, 0, sizeof *state);
}
