// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of several sizes: the engine, the definition (mixed.h of tests/oracle), and processors
// by brute force (mixed_program.h).
//
// usage: rsan-mixed [--programs|--list|--lost] --count N [--seed N] [--exact] [--twin|--unasked]
//
// Random runs: each violation that the engine finds must be one by definition. Missed ones are
// counted.
//   --programs  random programs in place of runs: so must each in every run of a program. A program
//               all of whose runs can be part of a proof must have no violation by definition, and
//               no processor may show that it is not sequentially consistent
//   --list      says of each of these programs whether it has either
//   --lost      alone: the kinds of what processors do and the definition does not have
//   --exact     history=exact
//   --twin      the engine is told that each access has all bytes of its location: must not pass
//   --unasked   with --programs: what keeps a run from being part of a proof is not asked: must not
//               pass

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixed_engine.h"

static struct rsan_options options;
static bool twin, unasked;

static struct {
  uint64_t runs, violations, missed, mixed;
} counts;

// Returns false, and prints the run, if the engine has flagged an access that is no violation.
static bool try_run(uint64_t seed) {
  struct rng rng = {seed};
  struct mixed_engine run;
  struct mixed_event events[MIXED_EVENTS];
  uint32_t count = 0;
  bool right = true, violated = false, missed = false;
  mixed_engine_begin(&run, &options, twin, false);
  uint32_t accesses = rng_between(&rng, 4, MIXED_ACCESSES), threads = rng_percent(&rng, 70) ? 2 : 3;
  for (; accesses && count < MIXED_EVENTS && right; count++) {
    mixed_draw_event(&rng, threads, &events[count]);
    accesses -= mixed_is_access(&events[count]);
    bool flagged = mixed_engine_step(&run, &events[count]);
    bool violates = mixed_violates(events, count + 1);
    right = !flagged || violates || mixed_violates_in_some_order(events, count + 1);
    violated |= violates;
    missed |= violates && !flagged;
  }
  counts.runs++;
  counts.mixed += rsan_engine_stat(run.engine, RSAN_STAT_mixed_locations) > 0;
  counts.violations += violated;
  counts.missed += missed;
  if (!right) {
    printf("seed %" PRIu64 ": the last access is no violation\n", seed);
    mixed_print(events, count);
  }
  mixed_engine_end(&run);
  return right;
}

static int try_runs(uint64_t count, uint64_t seed) {
  for (uint64_t i = 0; i < count; i++)
    if (!try_run(rng_derive(seed, i)))
      return 1;
  printf("%" PRIu64 " runs, %" PRIu64 " with several sizes of a location; %" PRIu64
         " with a violation; %" PRIu64 " with a missed violation; no false alarm\n",
         counts.runs, counts.mixed, counts.violations, counts.missed);
  return 0;
}

// A program: what its runs have, by the definition and by the engine.
struct verdict {
  uint32_t count;
  bool violates, flagged, right, mixed;
  bool unproved; // a run has an access that keeps it from being part of a proof
};

static bool judge(void *context, const struct mixed_event *events, const bool *violates) {
  struct verdict *verdict = context;
  struct mixed_engine run;
  mixed_engine_begin(&run, &options, twin, true);
  uint32_t e = 0;
  for (; e < verdict->count && verdict->right; e++) {
    struct mixed_event event = events[e];
    bool flagged = mixed_engine_step(&run, &event);
    verdict->right = !flagged || violates[e] || mixed_violates_in_some_order(events, e + 1);
    verdict->flagged |= flagged;
    verdict->violates |= violates[e];
  }
  verdict->mixed |= rsan_engine_stat(run.engine, RSAN_STAT_mixed_locations) > 0;
  verdict->unproved |= rsan_engine_stat(run.engine, RSAN_STAT_mixed_accesses) > 0 ||
                       rsan_engine_apart(run.engine) > 0;
  mixed_engine_end(&run);
  if (!verdict->right) {
    printf("the last access of this run is no violation\n");
    mixed_print(events, e);
  }
  return verdict->right;
}

static struct {
  uint64_t programs, mixed, violates, missed, proved;
  uint64_t shown[MIXED_PROCESSORS], lost[MIXED_PROCESSORS];
} found;

static bool try_program(uint64_t seed) {
  struct mixed_program program;
  mixed_draw_program(seed, &program);
  struct verdict verdict = {.count = program.count, .right = true};
  if (!mixed_all_runs(&program, judge, &verdict))
    return false;
  found.programs++;
  found.mixed += verdict.mixed;
  found.violates += verdict.violates;
  found.missed += verdict.violates && !verdict.flagged;
  bool proved = !verdict.flagged && (unasked || !verdict.unproved);
  found.proved += proved;
  for (enum mixed_processor p = 0; p < MIXED_PROCESSORS; p++) {
    bool shown = mixed_processor_shows(p, &program);
    found.shown[p] += shown;
    found.lost[p] += shown && !verdict.violates;
    if (proved && (shown || verdict.violates)) {
      printf("seed %" PRIu64 ": a false proof; %s%s\n", seed,
             shown ? mixed_processor_names[p] : "the definition",
             shown ? " shows otherwise" : " has a violation");
      mixed_print(program.ops, program.count);
      return false;
    }
  }
  return true;
}

static int try_programs(uint64_t count, uint64_t seed) {
  for (uint64_t i = 0; i < count; i++)
    if (!try_program(rng_derive(seed, i)))
      return 1;
  printf("%" PRIu64 " programs, %" PRIu64 " with several sizes of a location; no false alarm\n"
         "%" PRIu64 " with a violation, %" PRIu64 " of them missed\n"
         "%" PRIu64 " proved, none of them falsely\n",
         found.programs, found.mixed, found.violates, found.missed, found.proved);
  for (enum mixed_processor p = 0; p < MIXED_PROCESSORS; p++)
    printf("%s shows %" PRIu64 ", %" PRIu64 " of them without a violation\n",
           mixed_processor_names[p], found.shown[p], found.lost[p]);
  return 0;
}

static bool has_violation(void *context, const struct mixed_event *events, const bool *violates) {
  const struct mixed_program *program = context;
  (void)events;
  for (uint32_t e = 0; e < program->count; e++)
    if (violates[e])
      return false;
  return true;
}

static int list(uint64_t count, uint64_t seed) {
  for (uint64_t i = 0; i < count; i++) {
    struct mixed_program program;
    mixed_draw_program(rng_derive(seed, i), &program);
    bool robust = mixed_all_runs(&program, has_violation, &program);
    for (enum mixed_processor p = 0; p < MIXED_PROCESSORS; p++)
      robust = robust && !mixed_processor_shows(p, &program);
    printf("%" PRIu64 " %s\n", i, robust ? "robust" : "not robust");
  }
  return 0;
}

// What processors do and the definition does not have, by kind (docs/internals/SIZES.md). x is a
// word, a and b are its halves.
#define STORE(t, first, bytes)                                                                     \
  {.kind = MIXED_STORE, .thread = t, .address = first, .size = bytes, .value = 0x01010101}
#define LOAD(t, first, bytes) {.kind = MIXED_LOAD, .thread = t, .address = first, .size = bytes}
static const struct {
  const char *name;
  struct mixed_program program;
  bool shown[MIXED_PROCESSORS];
} lost[] = {
    {"a = 1; read b | x = 2", {{STORE(0, 0, 2), LOAD(0, 2, 2), STORE(1, 0, 4)}, 3}, {true, true}},
    {"read a; read b | x = 1", {{LOAD(0, 0, 2), LOAD(0, 2, 2), STORE(1, 0, 4)}, 3}, {false, true}},
    {"a = 1; b = 1 | read x", {{STORE(0, 0, 2), STORE(0, 2, 2), LOAD(1, 0, 4)}, 3}, {false, true}},
    {"a = 1; read x | b = 1; read x",
     {{STORE(0, 0, 2), LOAD(0, 0, 4), STORE(1, 2, 2), LOAD(1, 0, 4)}, 4},
     {false, true}},
};

static int try_lost(void) {
  bool right = true;
  for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
    struct mixed_program program = lost[i].program;
    bool robust = mixed_all_runs(&program, has_violation, &program);
    bool as_said = robust;
    printf("%s: by definition %s;", lost[i].name, robust ? "robust" : "not robust");
    for (enum mixed_processor p = 0; p < MIXED_PROCESSORS; p++) {
      bool shown = mixed_processor_shows(p, &program);
      as_said &= shown == lost[i].shown[p];
      printf(" %s shows %s", mixed_processor_names[p], shown ? "otherwise" : "the same");
    }
    puts(as_said ? "" : ": not what is expected");
    right &= as_said;
  }
  return !right;
}

int main(int argc, char **argv) {
  uint64_t count = 0, seed = 1;
  bool programs = false, lists = false;
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--exact"))
      options.history = RSAN_HISTORY_EXACT;
    else if (!strcmp(argv[i], "--twin"))
      twin = true;
    else if (!strcmp(argv[i], "--programs"))
      programs = true;
    else if (!strcmp(argv[i], "--list"))
      lists = true;
    else if (!strcmp(argv[i], "--lost"))
      return try_lost();
    else if (!strcmp(argv[i], "--unasked"))
      unasked = true;
    else if (!strcmp(argv[i], "--count") && i + 1 < argc)
      count = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
      seed = strtoull(argv[++i], NULL, 10);
  if (!count) {
    fprintf(stderr, "usage: rsan-mixed [--programs|--list|--lost] --count N [--seed N] [--exact]\n"
                    "                  [--twin|--unasked]\n");
    return 2;
  }
  if (lists)
    return list(count, seed);
  return programs ? try_programs(count, seed) : try_runs(count, seed);
}
