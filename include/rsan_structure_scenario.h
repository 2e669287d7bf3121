/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A part of rsan_structure.h: one scenario, its text, its table, how its threads execute it, and
 * which orders of its calls explain their results.
 *
 * Names that end in an underscore are not for use.
 */

#ifndef RSAN_STRUCTURE_H
#error "include rsan_structure.h"
#endif
#ifndef RSAN_STRUCTURE_SCENARIO_H
#define RSAN_STRUCTURE_SCENARIO_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RSAN_UNUSED_ static inline __attribute__((unused))

enum { RSAN_CALLS_ = 8, RSAN_KINDS_ = 64, RSAN_OUTCOMES_ = 4096, RSAN_TEXT_ = 512 };

/* Bit (a, b): call a returns before call b begins. Orders are transitive, and have the order of
 * each thread. */
typedef uint64_t rsan_order_;
RSAN_UNUSED_ rsan_order_ rsan_before_(unsigned a, unsigned b) {
  return (rsan_order_)1 << (a * RSAN_CALLS_ + b);
}

struct rsan_call_ {
  const struct rsan_operation *operation;
  const struct rsan_operation *model;
  int64_t value;
  unsigned thread;
};

struct rsan_outcome_ {
  int64_t result[RSAN_CALLS_];
  bool asked; /* which orders it does not agree with */
};

/* One order of all calls, and what it gives. A call that may fail, and is left out, gives
 * RSAN_FAILS_. */
#define RSAN_FAILS_ (INT64_MIN + 4)
struct rsan_sequence_ {
  int64_t result[RSAN_CALLS_];
  rsan_order_ against; /* the pairs that it has the other way round */
};

struct rsan_scenario_ {
  const struct rsan_structure *structure;
  unsigned number; /* of the structure in the process */
  unsigned threads, count;
  struct rsan_call_ call[RSAN_CALLS_]; /* thread by thread */
  rsan_order_ order;                   /* of the client under way */
  unsigned waits_for[RSAN_CALLS_];     /* other threads' calls, as bits: not those that follow */
  unsigned announces;                  /* calls that others wait for */
  /* The execution under way. */
  void *object;
  unsigned returned; /* threads that have made all calls */
  bool has_ended[RSAN_CALLS_];
  int64_t result[RSAN_CALLS_];
  uint32_t flag[RSAN_CALLS_]; /* atomic */
  /* All executions. */
  struct rsan_sequence_ *sequence;
  size_t sequences, room;
  struct rsan_outcome_ *outcome; /* of RSAN_OUTCOMES_ */
  unsigned outcomes;
  bool explores;    /* the runtime does, which finds calls that do not return */
  const char *why;  /* a sequence could not be made */
  bool is_sequence; /* one thread makes all calls, as in_turn says */
  unsigned in_turn[RSAN_CALLS_], left_out;
  bool too_many, found_bad;
  int64_t bad[RSAN_CALLS_]; /* results that no order explains */
};

/* -- orders -- */

RSAN_UNUSED_ rsan_order_ rsan_close_(rsan_order_ order, unsigned count) {
  for (unsigned middle = 0; middle < count; middle++)
    for (unsigned a = 0; a < count; a++)
      if (order & rsan_before_(a, middle))
        order |= (order >> (middle * RSAN_CALLS_) & 0xff) << (a * RSAN_CALLS_);
  return order;
}

RSAN_UNUSED_ rsan_order_ rsan_order_of_threads_(const struct rsan_scenario_ *s) {
  rsan_order_ order = 0;
  for (unsigned b = 1; b < s->count; b++)
    for (unsigned a = 0; a < b; a++)
      if (s->call[a].thread == s->call[b].thread)
        order |= rsan_before_(a, b);
  return order;
}

/* Sets which calls wait for which: pairs of the order that do not follow from other ones. */
RSAN_UNUSED_ void rsan_set_order_(struct rsan_scenario_ *s, rsan_order_ order) {
  s->order = order;
  s->announces = 0;
  for (unsigned b = 0; b < s->count; b++) {
    s->waits_for[b] = 0;
    for (unsigned a = 0; a < s->count; a++) {
      bool follows = s->call[a].thread == s->call[b].thread || !(order & rsan_before_(a, b));
      for (unsigned c = 0; c < s->count && !follows; c++)
        follows = (order & rsan_before_(a, c)) && (order & rsan_before_(c, b));
      if (!follows)
        s->waits_for[b] |= 1u << a;
    }
    s->announces |= s->waits_for[b];
  }
}

RSAN_UNUSED_ bool rsan_same_results_(const int64_t *a, const int64_t *b, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (a[i] != b[i])
      return false;
  return true;
}

RSAN_UNUSED_ bool rsan_gives_(const struct rsan_sequence_ *sequence, const int64_t *result,
                              unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    const bool fails = result[i] == RSAN_RESULT_NONE || result[i] == RSAN_RESULT_FALSE;
    if (sequence->result[i] != result[i] && !(sequence->result[i] == RSAN_FAILS_ && fails))
      return false;
  }
  return true;
}

/* Is there an order of all calls that agrees with `order` and gives these results? */
RSAN_UNUSED_ bool rsan_is_explained_(const struct rsan_scenario_ *s, const int64_t *result,
                                     rsan_order_ order) {
  for (size_t i = 0; i < s->sequences; i++)
    if (!(s->sequence[i].against & order) && rsan_gives_(&s->sequence[i], result, s->count))
      return true;
  return false;
}

/* -- the calls one after the other -- */

RSAN_INLINE_ int64_t rsan_make_call_(const struct rsan_operation *operation, void *object,
                                     int64_t value) {
  return operation->call(object, value, operation->context);
}

/* Makes one sequence, whose calls are s->in_turn. False: they do not all return, or fail. */
RSAN_UNUSED_ bool rsan_explore_sequence_(struct rsan_scenario_ *s);

RSAN_UNUSED_ void rsan_call_in_turn_(struct rsan_scenario_ *s, const struct rsan_structure *made,
                                     void *object) {
  for (unsigned i = 0; i < s->count; i++) {
    const struct rsan_call_ *call = &s->call[s->in_turn[i]];
    if (s->left_out >> s->in_turn[i] & 1) {
      s->result[s->in_turn[i]] = RSAN_FAILS_;
      continue;
    }
    s->result[s->in_turn[i]] =
        rsan_make_call_(made == s->structure ? call->operation : call->model, object, call->value);
  }
}

/* A model is not explored, and a structure is not where it cannot be. */
RSAN_UNUSED_ bool rsan_run_sequence_(struct rsan_scenario_ *s, const struct rsan_structure *made) {
  if (made == s->structure && s->explores)
    return rsan_explore_sequence_(s);
  void *object = made->create(made->context);
  rsan_call_in_turn_(s, made, object);
  if (made->destroy)
    made->destroy(object, made->context);
  return true;
}

RSAN_UNUSED_ bool rsan_grow_sequences_(struct rsan_scenario_ *s) {
  const size_t room = s->room ? 2 * s->room : 64;
  void *grown =
      s->sequences < s->room ? s->sequence : realloc(s->sequence, room * sizeof *s->sequence);
  s->why = "there is not enough memory";
  if (!grown)
    return false;
  s->room = s->sequences < s->room ? s->room : room;
  s->sequence = (struct rsan_sequence_ *)grown;
  return true;
}

RSAN_UNUSED_ bool rsan_add_sequence_(struct rsan_scenario_ *s, const unsigned *calls) {
  if (!rsan_grow_sequences_(s))
    return false;
  struct rsan_sequence_ *sequence = &s->sequence[s->sequences++];
  sequence->against = 0;
  for (unsigned i = 0; i < s->count; i++) {
    s->in_turn[i] = calls[i];
    for (unsigned earlier = 0; earlier < i; earlier++)
      sequence->against |= rsan_before_(calls[i], calls[earlier]);
  }
  if (!rsan_run_sequence_(s, s->structure->model ? s->structure->model : s->structure))
    return false;
  for (unsigned i = 0; i < s->count; i++)
    sequence->result[i] = s->result[i];
  return true;
}

/* The sequence, and those in which some of the calls that may fail do. */
RSAN_UNUSED_ bool rsan_add_sequences_(struct rsan_scenario_ *s, const unsigned *calls) {
  unsigned may_fail = 0;
  for (unsigned i = 0; i < s->count; i++)
    may_fail |= (unsigned)s->call[i].operation->may_fail << i;
  s->left_out = may_fail;
  while (rsan_add_sequence_(s, calls)) {
    if (!s->left_out)
      return true;
    s->left_out = (s->left_out - 1) & may_fail;
  }
  s->left_out = 0;
  return false;
}

/* Adds the sequences of each order of the calls that begins with the first calls of `calls`; `made`
 * is the set of these. Returns false if one of them could not be made. */
RSAN_UNUSED_ bool rsan_run_sequences_(struct rsan_scenario_ *s, unsigned *calls, unsigned made) {
  const unsigned length = (unsigned)__builtin_popcount(made);
  if (length == s->count)
    return rsan_add_sequences_(s, calls);
  for (unsigned next = 0; next < s->count; next++) {
    const bool is_first = !next || s->call[next - 1].thread != s->call[next].thread;
    if (made >> next & 1 || !(is_first || made >> (next - 1) & 1))
      continue;
    calls[length] = next;
    if (!rsan_run_sequences_(s, calls, made | 1u << next))
      return false;
  }
  return true;
}

/* -- an execution -- */

#ifdef __SANITIZE_ROBUSTNESS__
bool __rsan_begins_heap(void);
#endif

/* Is what the execution before has allocated gone? */
RSAN_UNUSED_ bool rsan_begins_heap_(void) {
#ifdef __SANITIZE_ROBUSTNESS__
  return __rsan_begins_heap();
#else
  return false;
#endif
}

RSAN_UNUSED_ void rsan_end_object_(struct rsan_scenario_ *s) {
  if (s->object && s->returned == s->threads && s->structure->destroy)
    s->structure->destroy(s->object, s->structure->context);
  s->object = 0;
}

/* (An execution that was given up has not come to rsan_end_execution_.) */
RSAN_UNUSED_ void rsan_begin_execution_(void *scenario) {
  struct rsan_scenario_ *s = (struct rsan_scenario_ *)scenario;
  s->returned = 0;
  for (unsigned i = 0; i < s->threads; i++) {
    s->returned += s->has_ended[i];
    s->has_ended[i] = false;
  }
  if (!rsan_begins_heap_())
    rsan_end_object_(s);
  for (unsigned i = 0; i < s->count; i++)
    __atomic_store_n(&s->flag[i], 0, __ATOMIC_RELAXED);
  s->object = s->structure->create(s->structure->context);
}

RSAN_INLINE_ void rsan_run_thread_(struct rsan_scenario_ *s, unsigned thread) {
  if (s->is_sequence && !thread)
    rsan_call_in_turn_(s, s->structure, s->object);
  for (unsigned i = 0; i < s->count && !s->is_sequence; i++) {
    if (s->call[i].thread != thread)
      continue;
    for (unsigned a = 0; a < s->count; a++)
      if (s->waits_for[i] >> a & 1)
        rsan_wait(&s->flag[a], 1u, __ATOMIC_ACQUIRE);
    s->result[i] = rsan_make_call_(s->call[i].operation, s->object, s->call[i].value);
    if (s->announces >> i & 1)
      __atomic_store_n(&s->flag[i], 1, __ATOMIC_RELEASE);
  }
  s->has_ended[thread] = true;
}

#define RSAN_THREAD_(number)                                                                       \
  RSAN_UNUSED_ void rsan_thread_##number##_(void *scenario) {                                      \
    rsan_run_thread_((struct rsan_scenario_ *)scenario, number);                                   \
  }
RSAN_THREAD_(0)
RSAN_THREAD_(1)
RSAN_THREAD_(2)
RSAN_THREAD_(3)
RSAN_THREAD_(4)
RSAN_THREAD_(5)
RSAN_THREAD_(6)
RSAN_THREAD_(7)
#undef RSAN_THREAD_

RSAN_UNUSED_ void rsan_note_outcome_(struct rsan_scenario_ *s) {
  for (unsigned i = 0; i < s->outcomes; i++)
    if (rsan_same_results_(s->outcome[i].result, s->result, s->count))
      return;
  if (s->outcomes == RSAN_OUTCOMES_) {
    s->too_many = true;
    return;
  }
  for (unsigned i = 0; i < s->count; i++)
    s->outcome[s->outcomes].result[i] = s->result[i];
  s->outcome[s->outcomes++].asked = false;
}

/* The executions differ in few results, so what the last ones have shown is not kept. */
RSAN_UNUSED_ bool rsan_judge_(struct rsan_scenario_ *s) {
  rsan_note_outcome_(s);
  if (rsan_is_explained_(s, s->result, s->order))
    return true;
  for (unsigned i = 0; i < s->count && !s->found_bad; i++)
    s->bad[i] = s->result[i];
  s->found_bad = true;
  return false;
}

RSAN_UNUSED_ bool rsan_end_execution_(void *scenario) {
  struct rsan_scenario_ *s = (struct rsan_scenario_ *)scenario;
  const bool is_explained = s->is_sequence || rsan_judge_(s);
  s->returned = s->threads;
  rsan_end_object_(s);
  for (unsigned i = 0; i < s->threads; i++)
    s->has_ended[i] = false;
  return is_explained;
}

/* -- text -- */

struct rsan_text_ {
  char text[RSAN_TEXT_ * 4];
  size_t length;
};

__attribute__((format(printf, 2, 3))) RSAN_UNUSED_ void rsan_add_(struct rsan_text_ *text,
                                                                  const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  const size_t room = sizeof text->text - text->length;
  const int length = vsnprintf(text->text + text->length, room, format, arguments);
  __builtin_va_end(arguments);
  if (length > 0)
    text->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* Its name, or its number, before a scenario of it. */
RSAN_UNUSED_ void rsan_add_structure_(struct rsan_text_ *text, const struct rsan_scenario_ *s) {
  if (s->structure->name)
    rsan_add_(text, "%s/", s->structure->name);
  else
    rsan_add_(text, "%u/", s->number);
}

RSAN_UNUSED_ bool rsan_takes_value_(const struct rsan_operation *operation) {
  return operation->value_count || operation->is_fresh;
}

RSAN_UNUSED_ void rsan_add_scenario_(struct rsan_text_ *text, const struct rsan_scenario_ *s) {
  for (unsigned i = 0; i < s->count; i++) {
    const struct rsan_call_ *call = &s->call[i];
    if (i)
      rsan_add_(text, "%s", call->thread == s->call[i - 1].thread ? "." : "/");
    rsan_add_(text, "%s", call->operation->name);
    if (rsan_takes_value_(call->operation))
      rsan_add_(text, "-%lld", (long long)call->value);
    if (s->waits_for[i])
      rsan_add_(text, "@");
    for (unsigned a = 0; a < s->count; a++)
      if (s->waits_for[i] >> a & 1)
        rsan_add_(text, "%c", 'a' + a);
  }
}

RSAN_UNUSED_ void rsan_add_result_(struct rsan_text_ *text, int64_t result) {
  if (result == RSAN_RESULT_NOTHING)
    return;
  if (result == RSAN_RESULT_NONE)
    rsan_add_(text, " = none");
  else if (result == RSAN_RESULT_FALSE || result == RSAN_RESULT_TRUE)
    rsan_add_(text, result == RSAN_RESULT_TRUE ? " = true" : " = false");
  else
    rsan_add_(text, " = %lld", (long long)result);
}

/* A call as a cell of the table; null `result`: it is not known. */
RSAN_UNUSED_ void rsan_add_call_(struct rsan_text_ *text, const struct rsan_scenario_ *s,
                                 unsigned i, const int64_t *result) {
  const struct rsan_call_ *call = &s->call[i];
  if (s->announces)
    rsan_add_(text, "%c: ", 'a' + i);
  rsan_add_(text, "%s(", call->operation->name);
  if (rsan_takes_value_(call->operation))
    rsan_add_(text, "%lld", (long long)call->value);
  rsan_add_(text, ")");
  if (result)
    rsan_add_result_(text, result[i]);
  const char *word = ", after ";
  for (unsigned a = 0; a < s->count; a++)
    if (s->waits_for[i] >> a & 1) {
      rsan_add_(text, "%s%c", word, 'a' + a);
      word = " and ";
    }
}

/* The scenario, threads as columns. */
RSAN_UNUSED_ void rsan_add_table_(struct rsan_text_ *text, const struct rsan_scenario_ *s,
                                  const int64_t *result) {
  size_t width[RSAN_CALLS_] = {0};
  unsigned begin[RSAN_CALLS_ + 1] = {0}, rows = 0;
  for (unsigned i = 0; i < s->count; i++) {
    struct rsan_text_ cell = {{0}, 0};
    rsan_add_call_(&cell, s, i, result);
    const unsigned thread = s->call[i].thread;
    width[thread] = cell.length > width[thread] ? cell.length : width[thread];
    begin[thread + 1] = i + 1;
    rows = i + 1 - begin[thread] > rows ? i + 1 - begin[thread] : rows;
  }
  for (unsigned t = 0; t < s->threads; t++)
    rsan_add_(text, "  T%-*u", t + 1 < s->threads ? (int)width[t] + 1 : 0, t + 1);
  for (unsigned row = 0; row < rows; row++) {
    rsan_add_(text, "\n");
    for (unsigned t = 0; t < s->threads; t++) {
      struct rsan_text_ cell = {{0}, 0};
      if (begin[t] + row < begin[t + 1])
        rsan_add_call_(&cell, s, begin[t] + row, result);
      rsan_add_(text, "  %-*s", t + 1 < s->threads ? (int)width[t] + 2 : 0, cell.text);
    }
  }
  rsan_add_(text, "\n");
}

#ifdef __cplusplus
}
#endif

#endif
