// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-differential: random runs through all engines. The reference is the oracle (`oracle`, short
// traces), or the explicit clocks (`long` and `reuse`, and `calls`, which are no traces). A run on
// which they differ is reduced and printed. Exit status: 0, 1 a difference was found, 2 bad usage.

#define _POSIX_C_SOURCE 200809L

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"
#include "count.h"
#include "oracle.h"
#include "profiles.h"
#include "reduce.h"
#include "rng.h"
#include "subjects.h"

struct run {
  enum profile profile;
  bool use_oracle, print;
  uint64_t seed, first, count;
  double seconds; // 0: no limit
  double kept;    // percent of the flags that bounded history is to keep
  struct oracle oracle;
  struct verdict reference, verdict;
  uint64_t traces, events, flags, races, bounded_flags;
};

static const char usage[] =
    "usage: rsan-differential oracle|long|reuse|repeats|calls [--count N] [--seconds S]\n"
    "                                                [--seed S] [--first I] [--budget B] "
    "[--kept P] [--print]\n"
    "  oracle  short traces, every engine against the definitions\n"
    "  long    long traces, compact against explicit clocks\n"
    "  reuse   the same with so many threads that indices are reused by force\n"
    "  repeats the same, of accesses that are repeated again and again\n"
    "  calls   the same of what traces do not have: waits for other conditions, ...\n"
    "  Ends after N runs or S seconds. --seed S --first I --count 1 repeats one.\n"
    "  --budget: history=bounded keeps B bytes of a location's history.\n"
    "  --kept: fails if history=bounded keeps less than P % of the flags (not of calls).\n"
    "  --print: only prints the traces, with the reference's verdicts (not of calls).\n";

static const char *const modes[] = {[PROFILE_SHORT] = "oracle",
                                    [PROFILE_LONG] = "long",
                                    [PROFILE_REUSE] = "reuse",
                                    [PROFILE_REPEATS] = "repeats",
                                    "calls"};
enum { MODES = sizeof modes / sizeof *modes, CALLS = MODES - 1 };

static void make_reference(struct run *run, const struct trace *trace) {
  if (!run->use_oracle) {
    subject_run(&subjects[SUBJECT_EXPLICIT], trace, &run->reference);
    return;
  }
  oracle_run(&run->oracle, trace);
  struct verdict *out = &run->reference;
  out->flags.count = out->races.count = 0;
  for (size_t i = 0; i < run->oracle.flags.count; i++)
    trace_indices_append(&out->flags, run->oracle.flags.at[i]);
  for (size_t i = 0; i < run->oracle.races.count; i++)
    trace_indices_append(&out->races, run->oracle.races.at[i]);
}

struct difference {
  struct run *run;
  const struct subject *subject;
};

static bool differs(void *context, const struct trace *trace) {
  struct difference *difference = context;
  struct run *run = difference->run;
  make_reference(run, trace);
  subject_run(difference->subject, trace, &run->verdict);
  return !subject_agrees(difference->subject, trace, &run->verdict, &run->reference);
}

static void print(struct run *run, struct trace *trace, const char *id) {
  struct trace shown = *trace;
  shown.id = (char *)id;
  shown.has_verdict = true;
  shown.flags = run->reference.flags;
  shown.races = run->reference.races;
  trace_write(stdout, &shown);
}

static void report(struct run *run, const struct subject *subject, struct trace *trace,
                   uint64_t index) {
  struct difference difference = {run, subject};
  printf("difference: %s engine, trace %" PRIu64 " of seed %" PRIu64 " (%s --seed %" PRIu64
         " --first %" PRIu64 " --count 1)\n",
         subject->name, index, run->seed, modes[run->profile], run->seed, index);
  reduce(trace, differs, &difference);
  differs(&difference, trace);
  print(run, trace, run->use_oracle ? "oracle" : subjects[SUBJECT_EXPLICIT].name);
  trace_write_verdict(stdout, subject->name, &run->verdict.flags, &run->verdict.races);
}

// False: a difference, which was reported.
static bool check_trace(struct run *run, struct trace *trace, uint64_t index) {
  make_reference(run, trace);
  run->traces++;
  run->events += trace->count;
  run->flags += run->reference.flags.count;
  run->races += run->reference.races.count;
  if (run->print) {
    char id[32];
    snprintf(id, sizeof id, "%" PRIu64, index);
    print(run, trace, id);
    return true;
  }
  for (size_t s = 0; s < subject_count; s++) {
    if (s == SUBJECT_EXPLICIT && !run->use_oracle)
      continue;
    subject_run(&subjects[s], trace, &run->verdict);
    if (subjects[s].bounded)
      run->bounded_flags += run->verdict.flags.count;
    if (subject_agrees(&subjects[s], trace, &run->verdict, &run->reference))
      continue;
    report(run, &subjects[s], trace, index);
    return false;
  }
  return true;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int run_all(struct run *run) {
  struct trace trace = {0};
  bool same = true;
  double begin = now(), passed = 0;
  for (uint64_t i = run->first; same && i - run->first < run->count; i++) {
    profile_trace(run->profile, rng_derive(run->seed, i), &trace);
    same = check_trace(run, &trace, i);
    passed = now() - begin;
    if (run->seconds > 0 && passed >= run->seconds)
      break;
  }
  fprintf(run->print ? stderr : stdout,
          "seed %" PRIu64 ": %" PRIu64 " traces, %" PRIu64 " events, %" PRIu64 " flags, %" PRIu64
          " races, %s\n",
          run->seed, run->traces, run->events, run->flags, run->races,
          same ? "no difference" : "a difference");
  if (run->flags && run->bounded_flags)
    printf("bounded history kept %" PRIu64 " flags, %.4f %%\n", run->bounded_flags,
           100 * (double)run->bounded_flags / (double)run->flags);
  if (100 * (double)run->bounded_flags < run->kept * (double)run->flags) {
    printf("too few: less than %g %%\n", run->kept);
    same = false;
  }
  fflush(stdout);
  fprintf(stderr, "%.1f s\n", passed);
  trace_free(&trace);
  oracle_free(&run->oracle);
  verdict_free(&run->reference);
  verdict_free(&run->verdict);
  return same ? 0 : 1;
}

static int run_calls(const struct run *run) {
  struct calls calls;
  struct calls_result sum = {0};
  uint64_t runs = 0;
  double begin = now();
  for (uint64_t i = run->first; !sum.difference && i - run->first < run->count; i++, runs++) {
    if (run->seconds > 0 && now() - begin >= run->seconds)
      break;
    calls_make(rng_derive(run->seed, i), &calls);
    struct calls_result result = calls_run(&calls);
    sum.accesses += result.accesses;
    sum.conditions += result.conditions;
    sum.flags += result.flags;
    sum.sole += result.sole;
    sum.bounded_flags += result.bounded_flags;
    if (!result.difference)
      continue;
    sum.difference = result.difference;
    printf("difference: %s, run %" PRIu64 " of seed %" PRIu64 " (calls --seed %" PRIu64
           " --first %" PRIu64 " --count 1)\n",
           result.difference, i, run->seed, run->seed, i);
    calls_reduce(&calls);
    calls_print(&calls);
  }
  printf("seed %" PRIu64 ": %" PRIu64 " runs, %zu accesses, %zu conditions, %zu flags, %zu with "
         "bounded history, %zu by sole threads, %s\n",
         run->seed, runs, sum.accesses, sum.conditions, sum.flags, sum.bounded_flags, sum.sole,
         sum.difference ? "a difference" : "no difference");
  return sum.difference != NULL;
}

int main(int argc, char **argv) {
  static const struct option long_options[] = {
      {"count", required_argument, NULL, 'c'}, {"seconds", required_argument, NULL, 't'},
      {"seed", required_argument, NULL, 's'},  {"first", required_argument, NULL, 'f'},
      {"print", no_argument, NULL, 'p'},       {"budget", required_argument, NULL, 'b'},
      {"kept", required_argument, NULL, 'k'},  {NULL, 0, NULL, 0}};
  struct run run = {.seed = 1, .count = UINT64_MAX};
  int option;
  while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
    if (option == 'c')
      run.count = parse_count(optarg);
    else if (option == 't')
      run.seconds = (double)parse_count(optarg);
    else if (option == 's')
      run.seed = parse_count(optarg);
    else if (option == 'f')
      run.first = parse_count(optarg);
    else if (option == 'b')
      subjects_give_budget((uint32_t)parse_count(optarg));
    else if (option == 'k')
      run.kept = strtod(optarg, NULL);
    else if (option == 'p')
      run.print = true;
    else
      optind = argc; // prints the usage
  }
  int mode = 0;
  while (optind + 1 == argc && mode < MODES && strcmp(argv[optind], modes[mode]) != 0)
    mode++;
  if (optind + 1 != argc || mode == MODES) {
    fputs(usage, stderr);
    return 2;
  }
  if (mode == CALLS)
    return run_calls(&run);
  run.profile = (enum profile)mode;
  run.use_oracle = run.profile == PROFILE_SHORT;
  return run_all(&run);
}
