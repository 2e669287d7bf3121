// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-fences: C++20's SC fences, which psc alone orders, against the definitions. The engine's
// second analysis (rsan_engine_begin_cxx20) is asked beside the first: an access is a violation by
// C++20's fences if either says so. Exit status: 0, 1 a difference was found, 2 bad usage.

#define _POSIX_C_SOURCE 200809L

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"
#include "enumerate.h"
#include "fence_chains.h"
#include "host_libc.h"
#include "mark.h"
#include "reduce.h"
#include "replay.h"

static const char usage[] =
    "usage: rsan-fences table\n"
    "       rsan-fences programs|traces|races|long [--count N] [--seed S] [--first I]\n"
    "  table     litmus programs, by all executions and by all interleavings, with and without f\n"
    "  programs  random programs: robust by enumeration of C++20's executions if and only if in "
    "no\n"
    "            interleaving either analysis flags a step\n"
    "  traces    short runs: each check against the definition\n"
    "  races     short runs: each access of plain memory against the definition\n"
    "  long      long runs: compact clocks against explicit ones without f\n";

static const struct rsan_options compact = {.history = RSAN_HISTORY_EXACT,
                                            .seq_cst = RSAN_SEQ_CST_EXACT};

// What both analyses say of each event of a trace.
struct judged {
  struct replay *replay;
  bool flagged, apart; // the last event: by RC20's fences; by C++20's alone
  uint64_t before;
};

static void judge_begin(struct judged *judged, const struct trace *trace) {
  *judged = (struct judged){.replay = replay_new_for(&compact, trace)};
  replay_begin_cxx20(judged->replay);
}

static enum replay_verdict judge_next(struct judged *judged, const struct trace_event *event,
                                      size_t position) {
  mark_event(event, position);
  enum replay_verdict verdict = replay_step(judged->replay, event);
  uint64_t apart = replay_apart(judged->replay);
  judged->flagged = verdict == REPLAY_FLAG;
  judged->apart = apart != judged->before;
  judged->before = apart;
  return verdict;
}

static void judge_end(struct judged *judged) {
  replay_free(judged->replay);
  rsan_host_number = 0;
}

// -- programs --

struct verdicts {
  bool rc20, cxx20; // some step of some interleaving is flagged
};

static bool see_step(void *context, struct enumerate_state *state) {
  struct verdicts *verdicts = context;
  struct judged judged;
  judge_begin(&judged, &state->trace);
  for (size_t i = 0; i < state->trace.count; i++)
    judge_next(&judged, &state->trace.events[i], i);
  verdicts->rc20 |= judged.flagged;
  verdicts->cxx20 |= judged.flagged || judged.apart;
  judge_end(&judged);
  return true;
}

static struct verdicts flag(const struct program *program) {
  struct verdicts verdicts = {0};
  enumerate(program, ENUMERATE_SC, see_step, &verdicts, NULL);
  return verdicts;
}

struct totals {
  uint64_t programs, rc20, cxx20, differences;
};

// By definition. Whatever is allowed with f is allowed without it.
static void judge_program(struct totals *totals, const struct program *program) {
  struct verdicts flagged = flag(program), defined;
  defined.rc20 = !enumerate_robust_rc20(program, NULL);
  defined.cxx20 = !enumerate_robust_psc(program, GRAPH_SC_CXX20, NULL);
  totals->programs++;
  totals->rc20 += defined.rc20;
  totals->cxx20 += defined.cxx20;
  if (flagged.rc20 == defined.rc20 && flagged.cxx20 == defined.cxx20 &&
      (defined.cxx20 || !defined.rc20))
    return;
  totals->differences++;
  printf("difference: by definition RC20 %d, C++20 %d; flagged %d, %d: ", defined.rc20,
         defined.cxx20, flagged.rc20, flagged.cxx20);
  program_print(stdout, program);
  putchar('\n');
}

struct run {
  uint64_t count, seed, first;
};

static int run_programs(const struct run *run) {
  struct totals totals = {0};
  for (uint64_t i = run->first; i < run->first + run->count; i++) {
    struct program program;
    fence_program(rng_derive(run->seed, i), &program);
    judge_program(&totals, &program);
  }
  printf("seed %" PRIu64 ": %" PRIu64 " programs, not robust with RC20's fences: %" PRIu64
         ", with C++20's: %" PRIu64 ", %" PRIu64 " differences\n",
         run->seed, totals.programs, totals.rc20, totals.cxx20, totals.differences);
  return totals.differences != 0;
}

// -- the table --

static int run_table(void) {
  int status = 0;
  printf("%-24s %-10s %s\n", "program", "RC20", "C++20");
  for (uint32_t i = 0; i < fence_litmus_count; i++) {
    const struct fence_litmus *litmus = &fence_litmus[i];
    struct totals totals = {0};
    struct program program;
    const char *reason;
    if (!program_parse_sc(litmus->text, &program, &reason)) {
      printf("%s: %s\n", litmus->name, reason);
      return 1;
    }
    judge_program(&totals, &program);
    bool same = totals.rc20 == litmus->rc20 && totals.cxx20 == litmus->cxx20;
    printf("%-24s %-10s %s%s\n", litmus->name, totals.rc20 ? "violation" : "robust",
           totals.cxx20 ? "violation" : "robust", same ? "" : "  difference: not what is expected");
    status |= !same || totals.differences;
  }
  return status;
}

// -- traces --

struct comparison {
  enum { CHECKS, RACES, LONG } what;
  uint64_t checks, rc20, cxx20;
};

static bool judged_as_explicit(struct comparison *c, const struct trace *trace) {
  const struct rsan_options options = {.clocks = RSAN_CLOCKS_EXPLICIT,
                                       .history = RSAN_HISTORY_EXACT,
                                       .seq_cst = RSAN_SEQ_CST_EXACT,
                                       .cxx20_fences = true};
  struct replay *reference = replay_new_for(&options, trace);
  struct judged judged;
  bool same = true;
  judge_begin(&judged, trace);
  for (size_t i = 0; i < trace->count && same; i++) {
    judge_next(&judged, &trace->events[i], i);
    bool expected = replay_step(reference, &trace->events[i]) == REPLAY_FLAG;
    c->checks += trace_op_is_checked(trace->events[i].op);
    c->rc20 += judged.flagged;
    c->cxx20 += judged.flagged || judged.apart;
    same = expected == (judged.flagged || judged.apart);
  }
  judge_end(&judged);
  replay_free(reference);
  return same;
}

static bool judged_as_defined(struct comparison *c, const struct trace *trace) {
  struct judged judged;
  bool same = true;
  judge_begin(&judged, trace);
  for (size_t i = 0; i < trace->count && same; i++) {
    judge_next(&judged, &trace->events[i], i);
    if (!trace_op_is_checked(trace->events[i].op))
      continue;
    c->checks++;
    c->rc20 += judged.flagged;
    c->cxx20 += judged.flagged || judged.apart;
    same = placements_violate_cxx20(trace, i) == (judged.flagged || judged.apart);
  }
  judge_end(&judged);
  return same;
}

// Is there an earlier access that the event conflicts with and does not know of?
static bool races(struct judged *judged, const struct trace *trace, size_t at) {
  const struct trace_event *event = &trace->events[at];
  mark_event(event, at);
  for (size_t i = at; i-- > 0;) {
    const struct trace_event *other = &trace->events[i];
    if (other->op == TRACE_ALLOC_PLAIN && other->object == event->object)
      return false;
    bool conflicts = trace_op_is_plain(other->op) && other->object == event->object &&
                     other->thread != event->thread &&
                     (other->op == TRACE_PLAIN_WRITE || event->op == TRACE_PLAIN_WRITE);
    if (conflicts && !replay_knows(judged->replay, event->thread, other->thread, i + 1))
      return true;
  }
  return false;
}

static bool races_as_defined(struct comparison *c, const struct trace *trace) {
  struct oracle oracle = {.graph = {.seq_cst = GRAPH_SC_CXX20, .fences_unordered = true}};
  struct judged judged;
  size_t next = 0;
  bool same = true;
  oracle_run(&oracle, trace);
  judge_begin(&judged, trace);
  for (size_t i = 0; i < trace->count && same; i++) {
    bool plain = trace_op_is_plain(trace->events[i].op), apart = plain && races(&judged, trace, i);
    bool now = judge_next(&judged, &trace->events[i], i) == REPLAY_RACE;
    bool defined = next < oracle.races.count && oracle.races.at[next] == i;
    next += defined;
    c->checks += plain;
    c->rc20 += now;
    c->cxx20 += now || apart;
    same = defined == (now || apart);
  }
  judge_end(&judged);
  oracle_free(&oracle);
  return same;
}

static bool differs(void *context, const struct trace *trace) {
  struct comparison *c = context;
  struct comparison counts = *c;
  bool same = c->what == CHECKS  ? judged_as_defined(&counts, trace)
              : c->what == RACES ? races_as_defined(&counts, trace)
                                 : judged_as_explicit(&counts, trace);
  *c = counts;
  return !same;
}

static int run_traces(const struct run *run, int what) {
  struct comparison c = {.what = what};
  struct trace trace = {0};
  uint64_t i = run->first;
  bool found = false;
  for (; !found && i < run->first + run->count; i++) {
    fence_trace(what == LONG, rng_derive(run->seed, i), &trace);
    found = differs(&c, &trace);
    if (!found)
      continue;
    printf("difference: trace %" PRIu64 " of seed %" PRIu64 "\n", i, run->seed);
    reduce(&trace, differs, &c);
    trace_set_id(&trace, "difference");
    trace_write(stdout, &trace);
  }
  printf("seed %" PRIu64 ": %" PRIu64 " traces, %" PRIu64 " checks, by RC20's fences %" PRIu64
         ", by C++20's %" PRIu64 ", %s\n",
         run->seed, i - run->first, c.checks, c.rc20, c.cxx20,
         found ? "a difference" : "no difference");
  trace_free(&trace);
  return found;
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
  if (strcmp(mode, "table") == 0)
    return run_table();
  if (strcmp(mode, "programs") == 0)
    return run_programs(&run);
  if (strcmp(mode, "traces") == 0)
    return run_traces(&run, CHECKS);
  if (strcmp(mode, "races") == 0)
    return run_traces(&run, RACES);
  if (strcmp(mode, "long") == 0)
    return run_traces(&run, LONG);
  fputs(usage, stderr);
  return 2;
}
