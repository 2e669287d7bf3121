// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs for the schedules: each thread is a list of instructions on shared objects. They
// are run one step at a time by whomever rsan_schedule_choose names, and each step is checked
// against the objects themselves: could this thread proceed?

#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/schedule.h"

#define MODEL_THREADS 8
#define MODEL_OBJECTS 8
#define MODEL_STEPS   100000 // a run that makes more does not end

enum model_op {
  M_END, // behind the last instruction
  M_STORE,
  M_LOAD, // into the thread's result
  M_SPIN, // until the object has the value, as the compiler recognises it
  M_LOOP, // the same loop, not recognised: goes back to itself after each load
  M_POLL, // the same with a yield
  M_LOCK,
  M_UNLOCK,
  M_WAIT,       // on a condition variable; the value is its mutex
  M_TIMED_WAIT, // the same; the thread's result is 1 if its time was over
  M_SIGNAL,
  M_BROADCAST,
  M_DOWN, // a semaphore
  M_UP,
  M_BARRIER, // of `value` threads
  M_CREATE,  // thread number `object`; the first one runs from the beginning
  M_JOIN,
  M_YIELD,
  M_OUTSIDE, // a call that may block: ends when the object has the value
};

struct model_instruction {
  enum model_op op;
  uint32_t object, value;
};

// Instructions are written with as many operands as they need.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

typedef const struct model_instruction model_thread[16];

struct model_program {
  model_thread thread[MODEL_THREADS];
};

enum model_phase { AT_START, AT_INSTRUCTION, AFTER_WAKE, RELOCK, BACK, RUNS };

struct model_running {
  enum model_phase phase;
  uint32_t pc, result;
  bool created, ended, unlocks;
  uint32_t id; // in the schedule
  struct model *model;
};

struct model {
  const struct model_program *program;
  struct rsan_schedule schedule;
  struct model_running thread[MODEL_THREADS];
  uint32_t value[MODEL_OBJECTS];   // of locks: 1 if they are held; of barriers: who arrived
  uint32_t permits[MODEL_OBJECTS]; // threads that were woken and have not gone on
  uint32_t moved_point;            // added to each program point: another build
  bool lies;                       // conditions always say true
  // What came of it.
  enum rsan_outcome outcome; // NOBODY: all have ended
  bool livelocked;           // the run was ended for this, where the options have a bound
  uint32_t wrong;            // steps of threads that could not proceed
  uint32_t expired;          // waits whose time was over
  uint64_t steps;
  uint64_t choices; // a hash of who was chosen
};

void model_init(struct model *m, const struct model_program *program,
                const struct rsan_policy_options *options);
// Until nobody can go on.
void model_run(struct model *m);
void model_clear(struct model *m);

// All at once, with nothing recorded; the model can be looked at.
void model_do(struct model *m, const struct model_program *program,
              const struct rsan_policy_options *options);

#endif
