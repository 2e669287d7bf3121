// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Model programs that several tests run.

#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "model.h"

enum { X, Y, MUTEX, OTHER, COND, SEM, BAR, FLAG };

#define BOTH(...) {{{M_CREATE, 1}, {M_CREATE, 2}, {M_JOIN, 1}, {M_JOIN, 2}}, __VA_ARGS__}

// Store buffering: 0 and 0 is no result of an SC run.
static const struct model_program sb = {
    BOTH({{M_STORE, X, 1}, {M_LOAD, Y}}, {{M_STORE, Y, 1}, {M_LOAD, X}})};

static const struct model_program locks = {
    BOTH({{M_LOCK, MUTEX}, {M_STORE, X, 1}, {M_UNLOCK, MUTEX}, {M_LOCK, MUTEX}, {M_UNLOCK, MUTEX}},
         {{M_LOCK, MUTEX}, {M_LOAD, X}, {M_UNLOCK, MUTEX}})};

// Two mutexes in opposite orders: a deadlock in some runs.
static const struct model_program opposite = {
    BOTH({{M_LOCK, MUTEX}, {M_LOCK, OTHER}, {M_UNLOCK, OTHER}, {M_UNLOCK, MUTEX}},
         {{M_LOCK, OTHER}, {M_LOCK, MUTEX}, {M_UNLOCK, MUTEX}, {M_UNLOCK, OTHER}})};

// The twin: in the same order.
static const struct model_program same_order = {
    BOTH({{M_LOCK, MUTEX}, {M_LOCK, OTHER}, {M_UNLOCK, OTHER}, {M_UNLOCK, MUTEX}},
         {{M_LOCK, MUTEX}, {M_LOCK, OTHER}, {M_UNLOCK, OTHER}, {M_UNLOCK, MUTEX}})};

// Nobody looks whether the signal has been sent: it is lost if it comes first.
static const struct model_program lost_signal = {
    BOTH({{M_LOCK, MUTEX}, {M_WAIT, COND, MUTEX}, {M_UNLOCK, MUTEX}},
         {{M_LOCK, MUTEX}, {M_SIGNAL, COND}, {M_UNLOCK, MUTEX}})};

// The twin: the waiter's time may be over.
static const struct model_program timed_signal = {
    BOTH({{M_LOCK, MUTEX}, {M_TIMED_WAIT, COND, MUTEX}, {M_UNLOCK, MUTEX}},
         {{M_LOCK, MUTEX}, {M_SIGNAL, COND}, {M_UNLOCK, MUTEX}})};

// Three sleepers of which each signal wakes one, then a broadcast the rest. The semaphore says that
// they hold the mutex until they sleep.
#define SLEEPER                                                                                    \
  {                                                                                                \
    {M_LOCK, MUTEX}, {M_UP, SEM}, {M_WAIT, COND, MUTEX}, {                                         \
      M_UNLOCK, MUTEX                                                                              \
    }                                                                                              \
  }
static const struct model_program sleepers = {{
    {{M_CREATE, 1},
     {M_CREATE, 2},
     {M_CREATE, 3},
     {M_DOWN, SEM},
     {M_DOWN, SEM},
     {M_DOWN, SEM},
     {M_LOCK, MUTEX},
     {M_SIGNAL, COND},
     {M_SIGNAL, COND},
     {M_BROADCAST, COND},
     {M_UNLOCK, MUTEX},
     {M_JOIN, 1},
     {M_JOIN, 2},
     {M_JOIN, 3}},
    SLEEPER,
    SLEEPER,
    SLEEPER,
}};

#define MEETING {{M_STORE, X, 1}, {M_BARRIER, BAR, 3}, {M_LOAD, X}, {M_BARRIER, BAR, 3}}
static const struct model_program barrier = {{
    {{M_CREATE, 1}, {M_CREATE, 2}, {M_BARRIER, BAR, 3}, {M_BARRIER, BAR, 3}, {M_JOIN, 2}},
    MEETING,
    MEETING,
}};

static const struct model_program semaphore = {BOTH(
    {{M_DOWN, SEM}, {M_LOAD, X}, {M_UP, FLAG}}, {{M_STORE, X, 7}, {M_UP, SEM}, {M_DOWN, FLAG}})};

static const struct model_program spin = {
    BOTH({{M_SPIN, FLAG, 1}, {M_LOAD, X}, {M_STORE, FLAG, 0}},
         {{M_STORE, X, 5}, {M_STORE, FLAG, 1}, {M_SPIN, FLAG, 0}})};

static const struct model_program poll = {
    BOTH({{M_POLL, FLAG, 1}, {M_LOAD, X}}, {{M_STORE, X, 5}, {M_YIELD}, {M_STORE, FLAG, 1}})};

static const struct model_program loop = {
    BOTH({{M_LOOP, FLAG, 1}, {M_LOAD, X}}, {{M_STORE, X, 5}, {M_STORE, FLAG, 1}})};

static const struct model_program outside = {
    BOTH({{M_OUTSIDE, FLAG, 1}, {M_LOAD, X}}, {{M_STORE, X, 5}, {M_STORE, FLAG, 1}})};

// The twin of `outside`: nobody ends the call.
static const struct model_program outside_for_ever = {
    BOTH({{M_OUTSIDE, FLAG, 1}, {M_LOAD, X}}, {{M_STORE, X, 5}, {M_STORE, FLAG, 2}})};

// These end in each run.
static const struct model_program *const ending[] = {
    &sb,   &locks, &same_order, &sleepers, &barrier,      &semaphore,
    &spin, &poll,  &loop,       &outside,  &timed_signal,
};
#define ENDING (sizeof ending / sizeof *ending)

static const struct rsan_policy_options policies[] = {
    {.name = RSAN_POLICY_RANDOM, .switch_percent = 100},
    {.name = RSAN_POLICY_RANDOM, .switch_percent = 10},
    {.name = RSAN_POLICY_PCT, .depth = 1, .patience = 100},
    {.name = RSAN_POLICY_PCT, .depth = 3, .patience = 100},
    {.name = RSAN_POLICY_POS},
    {.name = RSAN_POLICY_MIX, .patience = 100},
};
#define POLICIES (sizeof policies / sizeof *policies)

static inline struct rsan_policy_options seeded(const struct rsan_policy_options *policy,
                                                uint64_t seed) {
  struct rsan_policy_options options = *policy;
  options.seed = seed;
  return options;
}

// Returns how many runs of the program have the outcome, with 100 seeds of each policy.
static inline uint32_t outcomes(struct model *m, const struct model_program *program,
                                enum rsan_outcome outcome) {
  uint32_t runs = 0;
  for (uint32_t p = 0; p < POLICIES; p++)
    for (uint64_t seed = 0; seed < 100; seed++) {
      struct rsan_policy_options options = seeded(&policies[p], seed);
      model_do(m, program, &options);
      runs += m->outcome == outcome;
    }
  return runs;
}

#endif
