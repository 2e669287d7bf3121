/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A data structure is checked without a test (docs/guide/STRUCTURES.md): its operations are listed,
 * and all scenarios of a few calls in a few threads are made of them, and explored as tests of
 * rsan_check() are. Is there for each execution that C++20 allows an order of the calls that
 * explains their results? For C11, and for C++17 and up.
 *
 * In C++:
 *
 *   return rsan::structure<Queue>()
 *       .op("push", &Queue::push, rsan::values(1, 2))
 *       .op("pop", &Queue::pop)
 *       .check();
 */

#ifndef RSAN_STRUCTURE_H
#define RSAN_STRUCTURE_H

#include "rsan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An operation returns a number, or one of these. */
#define RSAN_RESULT_NONE    INT64_MIN       /* there is no element, or no room */
#define RSAN_RESULT_NOTHING (INT64_MIN + 1) /* a function without a result */
#define RSAN_RESULT_FALSE   (INT64_MIN + 2)
#define RSAN_RESULT_TRUE    (INT64_MIN + 3)

/* An operation. Its result depends on nothing but the structure and the value. So it contains no
 * address and no time, and is the same whenever the same calls are made one after the other. The
 * operation returns even if no other thread does anything. */
struct rsan_operation {
  const char *name; /* letters, digits and underscores */
  int64_t (*call)(void *object, int64_t value, const void *context);
  const void *context;   /* handed on to `call` */
  const int64_t *values; /* with each of these it is called */
  unsigned value_count;  /* 0: it takes none, and is called with 0 */
  bool is_fresh;         /* in place of values: each call of a scenario has its own, 1, 2, ... That
                            is enough for a structure which hands values on, and does not look at
                            them, and needs far fewer scenarios */
  const char *role;      /* operations of the same role are called by one thread of a scenario;
                            null: by all */
  bool may_fail; /* it may return RSAN_RESULT_FALSE or RSAN_RESULT_NONE at any time, and has no
                    effect then */
};

/* A structure. Zero stands for the default where there is one. */
struct rsan_structure {
  const char *name;                     /* letters, digits and underscores; null: none */
  void *(*create)(const void *context); /* a new object, the same each time */
  void (*destroy)(void *object, const void *context); /* null: nothing to do */
  const void *context;                                /* handed on to both */
  const struct rsan_operation *operations;
  unsigned operation_count; /* at most 32, with at most 64 pairs of operation and value */
  unsigned threads;         /* of a scenario, at most (3; 8 is the limit) */
  unsigned calls;           /* of a thread, at most (2) */
  unsigned most_calls;      /* of a scenario, at most (4; 8 is the limit) */
  /* A structure that gives the right results when its calls are made one after the other. It has
   * the same operations in the same order. RSan uses only its `create` and `destroy`, and only
   * `call` and `context` of its operations. Null: the structure that is checked is its own model,
   * used by one thread. */
  const struct rsan_structure *model;
};

static inline __attribute__((unused)) int
rsan_check_structure_(const struct rsan_structure *structure, const char *only);

/* Explores all scenarios, small ones first, and prints a verdict: all are linearizable, for all
 * that C++20 allows; or the first that is not, as a table, with what repeats it; or how many could
 * not be decided, and why. Returns RSAN_CHECK_PROVED, RSAN_CHECK_FOUND, RSAN_CHECK_NOT_PROVED or
 * RSAN_CHECK_USAGE, and without the sanitizer, where each scenario is executed once and one thread
 * after the other, RSAN_CHECK_PROVED or RSAN_CHECK_FAILED. The rules of rsan_check() hold. */
static inline __attribute__((unused)) int
rsan_structure_check(const struct rsan_structure *structure) {
  return rsan_check_structure_(structure, 0);
}

/* The same for one scenario, as the verdict writes it, such as "push-1/pop@a": threads are
 * separated by '/', calls by '.', a value follows '-'. Calls are named a, b, ... in the order of
 * the text; behind '@' stand calls that return before this one begins. Without an '@' all clients
 * of the scenario are checked that matter. */
static inline __attribute__((unused)) int
rsan_structure_check_only(const struct rsan_structure *structure, const char *scenario) {
  return rsan_check_structure_(structure, scenario);
}

#ifdef __cplusplus
}
#endif

#include "rsan_structure_check.h"

#if defined(__cplusplus) && __cplusplus >= 201703L
#include "rsan_structure_cxx.h"
#endif

#endif
