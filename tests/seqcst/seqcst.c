// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-seqcst: seq_cst accesses exactly, against the definitions. Exit status: 0, 1 a difference
// was found, 2 bad usage.

#define _POSIX_C_SOURCE 200809L

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "count.h"
#include "enumerate.h"
#include "planted.h"
#include "reduce.h"
#include "replay.h"
#include "subjects.h"
#include "table.h"

static const char usage[] =
    "usage: rsan-seqcst table\n"
    "       rsan-seqcst programs|all-seq_cst|traces|long|reuse|calls\n"
    "                   [--count N] [--seed S] [--first I]\n"
    "  table        litmus shapes in all mixes of orders: not robust by definition, and flagged\n"
    "  programs     random programs: robust by enumeration of C++20's executions if and only if\n"
    "               no interleaving is flagged; what is flagged is not robust by RC11's either\n"
    "  all-seq_cst  random programs of seq_cst accesses alone: never flagged\n"
    "  traces       short runs: each check against the definition of a violation\n"
    "  long, reuse  long runs: compact clocks against explicit ones\n"
    "  calls        the same of what traces do not have\n";

enum { SUBJECTS = 3 }; // subjects[]

// Is the trace's last event flagged?
static bool last_is_flagged(size_t subject, const struct trace *trace) {
  struct replay *replay = replay_new_for(&subjects[subject].options, trace);
  enum replay_verdict verdict = REPLAY_SILENT;
  for (size_t i = 0; i < trace->count; i++)
    verdict = replay_step(replay, &trace->events[i]);
  replay_free(replay);
  return verdict == REPLAY_FLAG;
}

struct flagged {
  bool by[SUBJECTS]; // in some interleaving
  bool differ;       // in the verdict of one step, where they must not
};

static bool see_step(void *context, struct enumerate_state *state) {
  struct flagged *flagged = context;
  bool now[SUBJECTS];
  for (size_t s = 0; s < SUBJECTS; s++) {
    now[s] = last_is_flagged(s, &state->trace);
    flagged->by[s] |= now[s];
  }
  flagged->differ |= now[0] != now[1] || (now[2] && !now[0]);
  return !(flagged->by[0] && flagged->by[1]) && !flagged->differ;
}

static struct flagged flag(const struct program *program) {
  struct flagged flagged = {0};
  enumerate(program, ENUMERATE_SC, see_step, &flagged, NULL);
  return flagged;
}

struct totals {
  uint64_t programs, violating, rc11_violating, bounded, differences;
};

static void judge(struct totals *totals, const struct program *program, const char *name) {
  struct flagged flagged = flag(program);
  bool violates = !enumerate_robust_psc(program, GRAPH_SC_CXX20, NULL);
  bool rc11 = !enumerate_robust_psc(program, GRAPH_SC_RC11, NULL);
  totals->programs++;
  totals->violating += violates;
  totals->rc11_violating += rc11;
  totals->bounded += flagged.by[2];
  if (!flagged.differ && flagged.by[0] == violates && flagged.by[1] == violates &&
      (rc11 || !violates))
    return;
  totals->differences++;
  printf("difference: %s: C++20 %d, RC11 %d, explicit %d, compact %d%s: ", name, violates, rc11,
         flagged.by[0], flagged.by[1], flagged.differ ? ", steps differ" : "");
  program_print(stdout, program);
  putchar('\n');
}

struct visit {
  struct totals totals;
  const char *name;
};

static void judge_mix(void *context, const struct program *program) {
  struct visit *visit = context;
  judge(&visit->totals, program, visit->name);
}

static int run_table(void) {
  int status = 0;
  printf("%-6s %6s %6s %6s %8s\n", "shape", "mixes", "C++20", "RC11", "bounded");
  for (uint32_t i = 0; i < shape_count; i++) {
    const struct shape *shape = &shapes[i];
    struct visit visit = {.name = shape->name};
    shape_mixes(shape, judge_mix, &visit);
    const struct totals *totals = &visit.totals;
    bool same = totals->programs == shape->mixes && totals->violating == shape->cxx20 &&
                totals->rc11_violating == shape->rc11 && !totals->differences;
    printf("%-6s %6" PRIu64 " %6" PRIu64 " %6" PRIu64 " %8" PRIu64 "%s\n", shape->name,
           totals->programs, totals->violating, totals->rc11_violating, totals->bounded,
           same ? "" : "  difference: not what is expected");
    status |= !same;
  }
  return status;
}

struct run {
  uint64_t count, seed, first;
};

static int run_programs(const struct run *run, uint32_t sc_percent, bool all) {
  struct program_params params;
  struct totals totals = {0};
  program_params_default(&params);
  for (uint64_t i = run->first; i < run->first + run->count; i++) {
    struct program program;
    char name[32];
    uint64_t seed = rng_derive(run->seed, i);
    params.sc_percent = sc_percent;
    params.locations = 2 + i % 2;
    program_random(&params, seed, &program);
    for (uint32_t t = 0; all && t < program.threads; t++)
      for (uint32_t k = 0; k < program.length[t]; k++) {
        struct trace_event *op = &program.ops[t][k];
        op->order = TRACE_SC;
        if (strchr(trace_op_arguments(op->op), 'f'))
          op->failure = TRACE_SC;
      }
    snprintf(name, sizeof name, "program %" PRIu64, i);
    judge(&totals, &program, name);
  }
  printf("seed %" PRIu64 ": %" PRIu64 " programs, not robust by C++20: %" PRIu64
         ", by RC11: %" PRIu64 ", with bounded history %" PRIu64 ", %" PRIu64 " differences\n",
         run->seed, totals.programs, totals.violating, totals.rc11_violating, totals.bounded,
         totals.differences);
  return totals.differences != 0 || (all && totals.violating != 0);
}

// What a trace is held against: the definition, or the explicit clocks.
struct comparison {
  bool by_definition;
  size_t subject;
  struct verdict reference, verdict;
  uint64_t flags, bounded_flags, checks;
};

static void make_reference(struct comparison *c, const struct trace *trace) {
  subject_run(&subjects[SUBJECT_EXPLICIT], trace, &c->reference); // the races in any case
  if (!c->by_definition)
    return;
  c->reference.flags.count = 0;
  for (size_t i = 0; i < trace->count; i++) {
    if (!trace_op_is_checked(trace->events[i].op))
      continue;
    c->checks++;
    if (placements_violate(trace, i, GRAPH_SC_CXX20))
      trace_indices_append(&c->reference.flags, i);
  }
}

static bool differs(void *context, const struct trace *trace) {
  struct comparison *c = context;
  make_reference(c, trace);
  subject_run(&subjects[c->subject], trace, &c->verdict);
  return !subject_agrees(&subjects[c->subject], trace, &c->verdict, &c->reference);
}

static void report(struct comparison *c, struct trace *trace, const struct run *run, uint64_t i) {
  printf("difference: %s, trace %" PRIu64 " of seed %" PRIu64 "\n", subjects[c->subject].name, i,
         run->seed);
  reduce(trace, differs, c);
  differs(c, trace);
  struct trace shown = *trace;
  shown.id = c->by_definition ? "definition" : "explicit";
  shown.has_verdict = true;
  shown.flags = c->reference.flags;
  shown.races = c->reference.races;
  trace_write(stdout, &shown);
  trace_write_verdict(stdout, subjects[c->subject].name, &c->verdict.flags, &c->verdict.races);
}

static int run_traces(const struct run *run, enum profile profile) {
  struct comparison c = {.by_definition = profile == PROFILE_SHORT};
  struct trace trace = {0};
  uint64_t differences = 0, events = 0, i;
  for (i = run->first; !differences && i < run->first + run->count; i++) {
    planted_trace(profile, rng_derive(run->seed, i), &trace);
    events += trace.count;
    make_reference(&c, &trace);
    c.flags += c.reference.flags.count;
    for (c.subject = c.by_definition ? 0 : 1; c.subject < SUBJECTS && !differences; c.subject++) {
      subject_run(&subjects[c.subject], &trace, &c.verdict);
      if (subjects[c.subject].bounded)
        c.bounded_flags += c.verdict.flags.count;
      if (subject_agrees(&subjects[c.subject], &trace, &c.verdict, &c.reference))
        continue;
      differences++;
      report(&c, &trace, run, i);
      break;
    }
  }
  printf("seed %" PRIu64 ": %" PRIu64 " traces, %" PRIu64 " events, %" PRIu64 " flags, %" PRIu64
         " with bounded history, %s\n",
         run->seed, i - run->first, events, c.flags, c.bounded_flags,
         differences ? "a difference" : "no difference");
  trace_free(&trace);
  verdict_free(&c.reference);
  verdict_free(&c.verdict);
  return differences != 0;
}

static int run_calls(const struct run *run) {
  struct calls calls;
  struct calls_result sum = {0};
  for (uint64_t i = run->first; !sum.difference && i < run->first + run->count; i++) {
    calls_make(rng_derive(run->seed, i), &calls);
    struct calls_result result = calls_run(&calls);
    sum.accesses += result.accesses;
    sum.flags += result.flags;
    sum.bounded_flags += result.bounded_flags;
    sum.difference = result.difference;
    if (!result.difference)
      continue;
    printf("difference: %s, run %" PRIu64 " of seed %" PRIu64 "\n", result.difference, i,
           run->seed);
    calls_reduce(&calls);
    calls_print(&calls);
  }
  printf("seed %" PRIu64 ": %zu accesses, %zu flags, %zu with bounded history, %s\n", run->seed,
         sum.accesses, sum.flags, sum.bounded_flags,
         sum.difference ? "a difference" : "no difference");
  return sum.difference != NULL;
}

int main(int argc, char **argv) {
  static const struct option long_options[] = {{"count", required_argument, NULL, 'c'},
                                               {"seed", required_argument, NULL, 's'},
                                               {"first", required_argument, NULL, 'f'},
                                               {NULL, 0, NULL, 0}};
  struct run run = {.count = 1000, .seed = 1};
  int option;
  while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
    if (option == 'c')
      run.count = parse_count(optarg);
    else if (option == 's')
      run.seed = parse_count(optarg);
    else if (option == 'f')
      run.first = parse_count(optarg);
    else
      optind = argc; // prints the usage
  }
  const char *mode = optind + 1 == argc ? argv[optind] : "";
  subjects_use(RSAN_SEQ_CST_EXACT);
  if (strcmp(mode, "table") == 0)
    return run_table();
  if (strcmp(mode, "programs") == 0)
    return run_programs(&run, 60, false);
  if (strcmp(mode, "all-seq_cst") == 0)
    return run_programs(&run, 100, true);
  if (strcmp(mode, "traces") == 0)
    return run_traces(&run, PROFILE_SHORT);
  if (strcmp(mode, "long") == 0)
    return run_traces(&run, PROFILE_LONG);
  if (strcmp(mode, "reuse") == 0)
    return run_traces(&run, PROFILE_REUSE);
  if (strcmp(mode, "calls") == 0)
    return run_calls(&run);
  fputs(usage, stderr);
  return 2;
}
