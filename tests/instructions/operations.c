// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// operations NAME [BEFORE] COUNT: operations of one kind on the core, as the runtime makes them,
// for those who count instructions: BEFORE of them to warm up, in which callgrind's
// --instr-atstart=no leaves counting off, then COUNT. What is drawn at random is the same in each
// run. Built with RSAN_LINES, for lines.py, it says where the core's memory is and, by a store,
// whose turn it is.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include "engine.h"
#ifdef RSAN_LINES
#include "lines_host.h"
#endif

enum { THREADS_MAX = 32, MIXED = -1, MESSAGE = -2, SOLE = -3 };

#define WORKLOAD(name, threads, locations, kind, order, fences, targets)                           \
  {name, threads, locations, kind, order, fences, false, RSAN_SEQ_CST_EXACT, targets}
#define LOOP(name, threads, locations, kind, order)                                                \
  WORKLOAD(name, threads, locations, kind, order, 0, 0)
#define FENCED(name, threads, locations, kind, order)                                              \
  WORKLOAD(name, threads, locations, kind, order, 1, 0)
// With the clocks of machines.
#define ON(name, threads, locations, kind, order, targets)                                         \
  WORKLOAD(name, threads, locations, kind, order, 0, RSAN_TARGET_C11 | (targets))

static struct workload {
  const char *name;
  uint32_t threads, locations; // one location for all, one a thread, or drawn at random if more
  // enum rsan_access_kind; MIXED; MESSAGE: written, then read; SOLE: added to by a sole thread
  int kind;
  enum rsan_order order;
  unsigned fences; // SC fences after an access
  bool no_access;
  enum rsan_seq_cst_mode seq_cst;
  uint32_t targets; // enum rsan_target
} const workloads[] = {
    {"fence", 8, 8, RSAN_READ, RSAN_RELAXED, 1, true, RSAN_SEQ_CST_EXACT, 0},
    LOOP("load-acquire", 1, 1, RSAN_READ, RSAN_ACQUIRE),
    FENCED("load-acquire-fence", 8, 8, RSAN_READ, RSAN_ACQUIRE),
    LOOP("store-relaxed", 1, 1, RSAN_WRITE, RSAN_RELAXED),
    LOOP("store-release", 1, 1, RSAN_WRITE, RSAN_RELEASE),
    FENCED("store-relaxed-fence", 1, 1, RSAN_WRITE, RSAN_RELAXED),
    FENCED("store-relaxed-fence-8", 8, 8, RSAN_WRITE, RSAN_RELAXED),
    {"store-seq_cst", 1, 1, RSAN_WRITE, RSAN_SEQ_CST, 0, false, RSAN_SEQ_CST_FENCE, 0},
    LOOP("add-relaxed", 1, 1, RSAN_RMW, RSAN_RELAXED),
    LOOP("add-acq_rel", 1, 1, RSAN_RMW, RSAN_ACQ_REL),
    LOOP("add-acq_rel-sole", 1, 1, SOLE, RSAN_ACQ_REL),
    LOOP("handed-add-relaxed", 2, 1, RSAN_RMW, RSAN_RELAXED),
    LOOP("handed-add-acq_rel", 2, 1, RSAN_RMW, RSAN_ACQ_REL),
    LOOP("handed-add-acq_rel-8", 8, 1, RSAN_RMW, RSAN_ACQ_REL),
    LOOP("handed-message", 2, 1, MESSAGE, RSAN_RELAXED),
    LOOP("add-acq_rel-8-9", 8, 9, RSAN_RMW, RSAN_ACQ_REL),
    LOOP("add-acq_rel-1-100", 1, 100, RSAN_RMW, RSAN_ACQ_REL),
    LOOP("add-relaxed-8-1000", 8, 1000, RSAN_RMW, RSAN_RELAXED),
    LOOP("add-acq_rel-8-1000", 8, 1000, RSAN_RMW, RSAN_ACQ_REL),
    LOOP("mixed-8-100", 8, 100, MIXED, RSAN_RELAXED),
    LOOP("mixed-8-1000", 8, 1000, MIXED, RSAN_RELAXED),
    LOOP("mixed-8-10000", 8, 10000, MIXED, RSAN_RELAXED),
    LOOP("mixed-32-1000", 32, 1000, MIXED, RSAN_RELAXED),
    LOOP("load-seq_cst-exact", 1, 1, RSAN_READ, RSAN_SEQ_CST),
    LOOP("store-seq_cst-exact", 1, 1, RSAN_WRITE, RSAN_SEQ_CST),
    LOOP("add-seq_cst-exact", 1, 1, RSAN_RMW, RSAN_SEQ_CST),
    LOOP("add-seq_cst-exact-8-9", 8, 9, RSAN_RMW, RSAN_SEQ_CST),
    LOOP("add-seq_cst-exact-8-1000", 8, 1000, RSAN_RMW, RSAN_SEQ_CST),
    ON("store-relaxed-x86", 1, 1, RSAN_WRITE, RSAN_RELAXED, RSAN_TARGET_X86),
    ON("add-acq_rel-x86", 1, 1, RSAN_RMW, RSAN_ACQ_REL, RSAN_TARGET_X86),
    ON("mixed-8-1000-x86", 8, 1000, MIXED, RSAN_RELAXED, RSAN_TARGET_X86),
    ON("mixed-32-1000-x86", 32, 1000, MIXED, RSAN_RELAXED, RSAN_TARGET_X86),
    ON("store-relaxed-armv8", 1, 1, RSAN_WRITE, RSAN_RELAXED, RSAN_TARGET_ARM),
    ON("add-acq_rel-armv8", 1, 1, RSAN_RMW, RSAN_ACQ_REL, RSAN_TARGET_ARM),
    ON("mixed-8-1000-armv8", 8, 1000, MIXED, RSAN_RELAXED, RSAN_TARGET_ARM),
};

struct run {
  const struct workload *workload;
  struct rsan_engine *engine;
  struct rsan_thread *threads[THREADS_MAX];
  struct rsan_location **locations;
  uint64_t *values;
  uint64_t random;
};

static uint32_t draw(struct run *run, uint32_t below) {
  run->random = run->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((run->random >> 32) * below >> 32);
}

static void access(struct run *run, struct rsan_thread *thread, uint32_t at, int kind,
                   enum rsan_order order) {
  uint64_t *value = &run->values[at];
  struct rsan_access access = {.kind = (enum rsan_access_kind)kind,
                               .check = kind == RSAN_READ ? RSAN_CHECK_READ : RSAN_CHECK_WRITE,
                               .order = order,
                               .size = 8,
                               .site = 1,
                               .seen = {*value, 0},
                               .written = {*value + 1, 0}};
  if (kind != RSAN_READ)
    ++*value;
  struct rsan_violation violation;
  rsan_atomic_access(thread, run->locations[at], &access, &violation);
}

static void access_as_sole(struct run *run, struct rsan_thread *thread, uint32_t at) {
  const struct rsan_value seen = {run->values[at], 0}, left = {++run->values[at], 0};
  const struct rsan_access access = {.kind = RSAN_RMW,
                                     .check = RSAN_CHECK_WRITE,
                                     .order = RSAN_ACQ_REL,
                                     .size = 8,
                                     .seen = seen,
                                     .written = left};
  if (!rsan_sole_update(run->locations[at], seen, left))
    rsan_sole_access(thread, run->locations[at], &access);
}

// 49 % loads, 28 % stores, 20 % read-modify-writes, 3 % SC fences; half of the accesses relaxed.
static void mixed(struct run *run, struct rsan_thread *thread, uint32_t at) {
  static const enum rsan_order ordered[] = {RSAN_ACQUIRE, RSAN_RELEASE, RSAN_ACQ_REL};
  uint32_t what = draw(run, 100);
  int kind = what < 49 ? RSAN_READ : what < 77 ? RSAN_WRITE : RSAN_RMW;
  if (what >= 97)
    rsan_fence(thread, RSAN_SEQ_CST);
  else
    access(run, thread, at, kind, draw(run, 2) ? ordered[kind] : RSAN_RELAXED);
}

#ifdef RSAN_LINES
static struct workload
    handed; // the present one; a message is written by one thread, read by others

static void begin_step(struct run *run, uint32_t who, uint32_t *at) {
  lines_begin(who);
  *at %= run->workload->locations;
  if (run->workload->kind != MESSAGE && run->workload != &handed)
    return;
  if (run->workload != &handed)
    handed = *run->workload;
  handed.kind = who ? RSAN_READ : RSAN_WRITE;
  handed.order = who ? RSAN_ACQUIRE : RSAN_RELEASE;
  run->workload = &handed;
}
#endif

static void operate(struct run *run, uint64_t i) {
  const struct workload *workload = run->workload;
  bool random = workload->locations > workload->threads;
  uint32_t who = random ? draw(run, workload->threads) : (uint32_t)(i % workload->threads);
  uint32_t at = random ? draw(run, workload->locations) : who;
#ifdef RSAN_LINES
  begin_step(run, who, &at);
  workload = run->workload;
#endif
  if (workload->kind == MIXED)
    mixed(run, run->threads[who], at);
  else if (!workload->no_access)
    access(run, run->threads[who], at, workload->kind, workload->order);
  for (unsigned fence = 0; fence < workload->fences; fence++)
    rsan_fence(run->threads[who], RSAN_SEQ_CST);
}

// Not inlined: the same code warms up and is counted.
__attribute__((noinline)) static void operate_all(struct run *run, uint64_t begin, uint64_t end) {
  for (uint64_t i = begin; i < end; i++)
    operate(run, i);
}

// A loop of its own: a question in the other one would count there.
__attribute__((noinline)) static void operate_as_sole(struct run *run, uint64_t begin,
                                                      uint64_t end) {
  for (uint64_t i = begin; i < end; i++)
    access_as_sole(run, run->threads[0], 0);
}

int main(int argc, char **argv) {
  struct run run = {.random = 1};
  for (size_t i = 0; (argc == 3 || argc == 4) && i < sizeof workloads / sizeof *workloads; i++)
    if (strcmp(workloads[i].name, argv[1]) == 0)
      run.workload = &workloads[i];
  if (!run.workload) {
    fprintf(stderr, "usage: operations NAME [BEFORE] COUNT\n");
    return 2;
  }
  struct rsan_options options = {.clocks = RSAN_CLOCKS_COMPACT,
                                 .history = RSAN_HISTORY_BOUNDED,
                                 .seq_cst = run.workload->seq_cst,
                                 .targets = run.workload->targets};
  run.engine = rsan_engine_new(&options);
  for (uint32_t i = 0; i < run.workload->threads; i++)
    run.threads[i] = rsan_thread_create(run.engine, NULL, i);
  run.locations = calloc(run.workload->locations, sizeof *run.locations);
  run.values = calloc(run.workload->locations, sizeof *run.values);
  if (!run.locations || !run.values)
    return 2;
  for (uint32_t i = 0; i < run.workload->locations; i++)
    run.locations[i] = rsan_location_new(run.engine, 0, 8);
#ifdef RSAN_LINES
  lines_print();
#endif
  uint64_t before = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
  uint64_t end = before + strtoull(argv[argc - 1], NULL, 10);
  void (*all)(struct run *, uint64_t, uint64_t) =
      run.workload->kind == SOLE ? operate_as_sole : operate_all;
  all(&run, 0, before);
  CALLGRIND_START_INSTRUMENTATION;
  all(&run, before, end);
  CALLGRIND_STOP_INSTRUMENTATION;
  return 0; // nothing is freed: that would count, too
}
