// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-cycles: explanations of violations in random runs. Each step and edge must be true of the
// run; with the repairs in it, the same run must not be flagged for that write any more; and where
// the logs have the whole run, and the clocks gave nothing up, each violation must be explained.
// Exit status: 0, 1 something is wrong, 2 bad usage.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "planted.h"
#include "profiles.h"
#include "replay.h"
#include "rng.h"
#include "subjects.h"

enum { WHOLE_RUN = 4096 }; // entries: more than the events of any run

struct run {
  struct rsan_options options;
  bool must_explain, break_it;
  uint64_t flags, explained, steps, threads_three, orders, unneeded;
  const char *wrong;
  struct trace repaired;
};

// Is the last event flagged for that version, or an older one?
static bool still_flagged(const struct run *run, uint64_t missed) {
  const struct trace *trace = &run->repaired;
  struct replay *replay = replay_new_for(&run->options, trace);
  enum replay_verdict verdict = REPLAY_SILENT;
  for (size_t i = 0; i < trace->count; i++)
    verdict = replay_step(replay, &trace->events[i]);
  bool still = verdict == REPLAY_FLAG && replay_violation(replay)->missed <= missed;
  replay_free(replay);
  return still;
}

static void check_repairs(struct run *run, const struct trace *trace, size_t flagged,
                          const struct rsan_explanation *why, uint64_t missed) {
  check_repaired(trace, flagged, why, why->repair_count, &run->repaired);
  if (still_flagged(run, missed))
    run->wrong = "the repairs do not help";
  for (uint32_t r = 0; r < why->repair_count; r++) {
    check_repaired(trace, flagged, why, r, &run->repaired);
    run->unneeded += !still_flagged(run, missed);
  }
  run->orders += why->repairs[0].kind == RSAN_REPAIR_ORDER;
}

static void count(struct run *run, const struct rsan_explanation *why) {
  run->explained++;
  run->steps += why->step_count;
  for (uint32_t i = 0; i < why->step_count; i++)
    if (why->steps[i].owner != why->steps[0].owner &&
        why->steps[i].owner != why->steps[why->step_count - 1].owner) {
      run->threads_three++;
      return;
    }
}

static void check_flag(struct run *run, const struct trace *trace, size_t flagged,
                       const struct replay *replay) {
  struct rsan_explanation why;
  struct rsan_violation violation = *replay_violation(replay);
  replay_explain(replay, &why);
  run->flags++;
  bool whole = run->must_explain && !replay_stat(replay, RSAN_STAT_forced_reuse);
  if (why.state != RSAN_EXPLAINED && whole)
    run->wrong = "no explanation";
  if (why.state != RSAN_EXPLAINED)
    return;
  if (run->break_it) // is the check a check?
    why.steps[why.step_count / 2].pc = why.steps[0].pc;
  run->wrong = check_explanation(trace, flagged, &violation, &why);
  if (run->wrong)
    return;
  count(run, &why);
  check_repairs(run, trace, flagged, &why, violation.missed);
}

static void check_run(struct run *run, const struct trace *trace) {
  struct replay *replay = replay_new_for(&run->options, trace);
  for (size_t i = 0; i < trace->count && !run->wrong; i++)
    if (replay_step(replay, &trace->events[i]) == REPLAY_FLAG)
      check_flag(run, trace, i, replay);
  replay_free(replay);
}

static int usage(void) {
  fputs("usage: rsan-cycles short|long|reuse|seq_cst SUBJECT HISTORY COUNT SEED [FIRST] [break]\n"
        "  seq_cst: short runs with seq_cst accesses, exactly.\n"
        "  SUBJECT: explicit, compact/exact or compact/bounded. HISTORY: entries a log.\n"
        "  break: falsifies the explanations; the check must notice.\n",
        stderr);
  return 2;
}

static int find(const char *name, const char *const *names, int names_count) {
  for (int i = 0; i < names_count; i++)
    if (strcmp(name, names[i]) == 0)
      return i;
  exit(usage());
}

int main(int argc, char **argv) {
  static const char *const profiles[] = {"short", "long", "reuse", "seq_cst"};
  struct run run = {0};
  if (argc > 6 && strcmp(argv[argc - 1], "break") == 0) {
    run.break_it = true;
    argc--;
  }
  if (argc != 6 && argc != 7)
    return usage();
  int profile = find(argv[1], profiles, 4);
  bool exact = profile == 3;
  if (exact)
    subjects_use(RSAN_SEQ_CST_EXACT);
  const char *names[] = {subjects[0].name, subjects[1].name, subjects[2].name};
  run.options = subjects[find(argv[2], names, 3)].options;
  run.options.explain_history = (uint32_t)strtoul(argv[3], NULL, 10);
  run.must_explain = run.options.explain_history >= WHOLE_RUN;
  uint64_t runs = strtoull(argv[4], NULL, 10), seed = strtoull(argv[5], NULL, 10);
  uint64_t first = argc > 6 ? strtoull(argv[6], NULL, 10) : 0;
  struct trace trace = {0};
  uint64_t i = first;
  for (; i < first + runs && !run.wrong; i++) {
    if (exact)
      planted_trace(PROFILE_SHORT, rng_derive(seed, i), &trace);
    else
      profile_trace((enum profile)profile, rng_derive(seed, i), &trace);
    check_run(&run, &trace);
  }
  if (run.wrong) {
    printf("%s: %s %s %s 1 %" PRIu64 " %" PRIu64 "\n", run.wrong, argv[1], argv[2], argv[3], seed,
           i - 1);
    trace_write(stdout, &trace);
  }
  printf("seed %" PRIu64 ": %" PRIu64 " runs, %" PRIu64 " flags, %" PRIu64 " explained, %.1f steps,"
         " %" PRIu64 " through a third thread, %" PRIu64 " by stronger orders, %" PRIu64
         " repairs that could be left out\n",
         seed, i - first, run.flags, run.explained,
         run.explained ? (double)run.steps / (double)run.explained : 0.0, run.threads_three,
         run.orders, run.unneeded);
  trace_free(&trace);
  trace_free(&run.repaired);
  return run.wrong != NULL;
}
