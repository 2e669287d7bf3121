// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-exhaustive: every run of a domain (domain.h), every check: the core's engines against the
// definitions. Exit status: 0, 1 a difference was found, 2 bad usage.

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "domain.h"
#include "oracle.h"
#include "replay.h"
#include "subjects.h"

// The checks: one operation for each row of the table, one expected value that is never there.
static const struct {
  enum trace_op op;
  uint64_t expected;
} checks[] = {
    {TRACE_LOAD, 0},         {TRACE_STORE, 0},        {TRACE_WAIT_BLOCKED, 0},
    {TRACE_WAIT_BLOCKED, 1}, {TRACE_WAIT_BLOCKED, 2}, {TRACE_BCAS_BLOCKED, 0},
    {TRACE_BCAS_BLOCKED, 1}, {TRACE_BCAS_BLOCKED, 2}, {TRACE_STRONG_CAS, 0},
    {TRACE_STRONG_CAS, 1},   {TRACE_STRONG_CAS, 2},
};
enum { CHECKS = sizeof checks / sizeof *checks, MAX_PROBES = 16 };

struct state {
  const struct domain *domain;
  struct oracle oracle;
  struct trace asked; // the run, and an arrival of each thread that is left at each location
  uint64_t runs, asked_checks, flagged, bounded_flagged;
};

static uint64_t ask_oracle(struct state *state, uint32_t node) {
  uint64_t flags = 0;
  for (int c = 0; c < CHECKS; c++)
    if (oracle_check(&state->oracle, node, checks[c].op, checks[c].expected))
      flags |= (uint64_t)1 << c;
  return flags;
}

static uint64_t ask_engine(struct replay *replay, const struct trace_event *arrival) {
  uint64_t flags = 0;
  for (int c = 0; c < CHECKS; c++) {
    struct trace_event event = *arrival;
    event.op = checks[c].op;
    event.expected = checks[c].expected;
    if (replay_would_flag(replay, &event))
      flags |= (uint64_t)1 << c;
  }
  return flags;
}

static void print_difference(const struct state *state, const struct subject *subject, size_t steps,
                             size_t arrival, uint64_t says, uint64_t oracle) {
  struct trace run = state->asked;
  run.count = steps;
  run.id = (char *)subject->name;
  trace_write(stdout, &run);
  const struct trace_event *event = &state->asked.events[arrival];
  for (int c = 0; c < CHECKS; c++)
    if ((says ^ oracle) >> c & 1)
      printf("then, by thread %" PRIu32 " on location %" PRIu32 ": %s expecting %" PRIu64
             ": the %s engine says %s\n",
             event->thread, event->object, trace_op_name(checks[c].op), checks[c].expected,
             subject->name, says >> c & 1 ? "violation, the oracle does not" : "nothing");
}

// The run's `steps` events are in state->asked, and its arrivals.
static bool ask_subject(struct state *state, const struct subject *subject, size_t steps,
                        const uint64_t *expected) {
  struct replay *replay = replay_new_for(&subject->options, &state->asked);
  uint64_t may_miss = 0; // runs are too short for anything to be given up
  for (int c = 0; c < CHECKS; c++)
    may_miss |= (uint64_t)subject_may_miss(subject, checks[c].op, false) << c;
  bool same = true;
  for (size_t i = 0; i < steps; i++)
    replay_step(replay, &state->asked.events[i]);
  for (size_t i = steps; i < state->asked.count && same; i++) {
    uint64_t says = ask_engine(replay, &state->asked.events[i]), oracle = expected[i - steps];
    same = (says & ~oracle) == 0 && (oracle & ~says & ~may_miss) == 0;
    if (!same)
      print_difference(state, subject, steps, i, says, oracle);
    if (subject->bounded)
      state->bounded_flagged += (uint64_t)__builtin_popcountll(says);
  }
  replay_free(replay);
  return same;
}

static bool check_run(void *context, const struct trace *run, const bool *left) {
  struct state *state = context;
  uint64_t expected[MAX_PROBES];
  trace_clear(&state->asked);
  state->asked.threads = run->threads;
  for (size_t i = 0; i < run->count; i++)
    trace_append(&state->asked, &run->events[i]);
  for (uint32_t t = 0; t < run->threads; t++)
    for (uint32_t x = 0; left[t] && x < state->domain->locations; x++)
      trace_append(&state->asked,
                   &(struct trace_event){.op = TRACE_WAIT_BLOCKED, .thread = t, .object = x});
  oracle_derive(&state->oracle, &state->asked);
  for (size_t i = run->count; i < state->asked.count; i++) {
    expected[i - run->count] = ask_oracle(state, (uint32_t)i);
    state->flagged += (uint64_t)__builtin_popcountll(expected[i - run->count]);
  }
  state->runs++;
  state->asked_checks += (state->asked.count - run->count) * CHECKS;
  bool same = true;
  for (size_t s = 0; s < subject_count && same; s++)
    same = ask_subject(state, &subjects[s], run->count, expected);
  return same;
}

static int run_domain(const struct domain *domain) {
  struct state state = {.domain = domain};
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  bool same = domain_enumerate(domain, check_run, &state);
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%" PRIu32 " threads x %" PRIu32 " operations x %" PRIu32 " locations, %" PRIu32
         " effects, shard %" PRIu32 " of %" PRIu32 ": %" PRIu64 " runs, %" PRIu64
         " checks, %" PRIu64 " flagged, %s\n",
         domain->threads, domain->ops, domain->locations, domain->step_count, domain->shard,
         domain->shards, state.runs, state.asked_checks, state.flagged,
         same ? "no difference" : "a difference");
  if (state.bounded_flagged)
    printf("bounded history flagged %" PRIu64 "\n", state.bounded_flagged);
  fflush(stdout);
  fprintf(stderr, "%.1f s\n",
          (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
  oracle_free(&state.oracle);
  trace_free(&state.asked);
  return same ? 0 : 1;
}

static bool parse_count(const char *text, uint32_t min, uint32_t max, uint32_t *out) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  *out = (uint32_t)value;
  return !errno && end != text && !*end && value >= min && value <= max;
}

int main(int argc, char **argv) {
  static const struct option long_options[] = {{"threads", required_argument, NULL, 't'},
                                               {"ops", required_argument, NULL, 'o'},
                                               {"locations", required_argument, NULL, 'l'},
                                               {"values", required_argument, NULL, 'v'},
                                               {"shards", required_argument, NULL, 'n'},
                                               {"shard", required_argument, NULL, 'i'},
                                               {"ends", no_argument, NULL, 'e'},
                                               {NULL, 0, NULL, 0}};
  struct domain domain = {.threads = 2, .ops = 3, .locations = 2, .values = 1, .shards = 1};
  bool ok = true;
  int option;
  while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
    uint32_t *number = option == 't'   ? &domain.threads
                       : option == 'o' ? &domain.ops
                       : option == 'l' ? &domain.locations
                       : option == 'v' ? &domain.values
                       : option == 'n' ? &domain.shards
                       : option == 'i' ? &domain.shard
                                       : NULL;
    if (option == 'e')
      domain.ends = true;
    else
      ok = ok && number && parse_count(optarg, option != 'i', 1 << 20, number);
  }
  if (!ok || optind != argc || domain.shard >= domain.shards || !domain_init(&domain) ||
      domain.threads * domain.locations > MAX_PROBES) {
    fputs("usage: rsan-exhaustive [--threads T] [--ops K] [--locations L] [--values V] [--ends]\n"
          "                       [--shards N --shard I]\n",
          stderr);
    return 2;
  }
  return run_domain(&domain);
}
