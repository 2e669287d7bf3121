// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dpor-verdicts: compares what the core says along the executions of an exploration with what is
// true of the program.
//
//   dpor-verdicts runs --count N [--seed S] [--first I] [--operations N] [--threads N] [--bounds]
//                      [--seq-cst]
//     Random programs of all that the exploration knows. Each of their interleavings is judged by
//     the definitions (tests/oracle), with --seq-cst by the explicit clocks: the operations that
//     are flagged, the pairs of accesses that race, and what comes out have to be the same as along
//     the executions, in all and of each class.
//   dpor-verdicts robust --count N [--seed S] [--first I] [--seq-cst]
//     Random programs of atomic accesses and fences: an execution is flagged if and only if one of
//     the program's consistent execution graphs is not sequentially consistent.
//   dpor-verdicts fences --count N [--seed S] [--first I] [--operations N] [--threads N]
//                        [--seq-cst]
//     Random programs with more seq_cst fences, and programs with chains from one fence to another
//     (tests/seqcst/fence_chains.h). The exploration makes fences commute, so it makes few of all
//     interleavings. Both must flag the same operations, by RC20's fences and by C++20's, and have
//     the same outcomes. So if no execution has a flag, no interleaving has one.
//
// Exit status: 0, 1 a difference was found, 2 bad usage.

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "count.h"
#include "enumerate.h"
#include "events.h"
#include "fence_chains.h"
#include "host_libc.h"
#include "mark.h"
#include "orders.h"
#include "replay.h"
#include "rng.h"

// (Programs with fences are judged twice, and many of them are needed.)
enum { MOST_INTERLEAVINGS = 200000, MOST_FENCED = 1000 };

enum judge { BY_DEFINITION, BY_EXPLICIT_CLOCKS, BY_COMPACT_CLOCKS };

// What was said along runs.
struct said {
  enum judge judge;
  struct oracle oracle;
  struct events events;
  struct trace_indices flags, races;
  uint64_t flagged;       // instructions
  struct hashes pairs;    // that race
  struct hashes verdicts; // with classes, if those can be compared
  struct hashes classes, outcomes;
  bool alone;         // without classes
  bool apart;         // by C++20's fences, too
  bool apart_flagged; // an access was flagged by those alone
  bool raced;         // by an object of the program
  uint64_t runs;
};

static void said_free(struct said *said) {
  oracle_free(&said->oracle);
  events_free(&said->events);
  free(said->flags.at);
  free(said->races.at);
  hashes_free(&said->pairs);
  hashes_free(&said->verdicts);
  hashes_free(&said->classes);
  hashes_free(&said->outcomes);
}

static void judge_apart(struct said *said, const struct rsan_options *options) {
  const struct trace *trace = &said->events.trace;
  struct replay *replay = replay_new_for(options, trace);
  uint64_t apart = 0;
  replay_begin_cxx20(replay);
  for (size_t i = 0; i < trace->count; i++) {
    mark_event(&trace->events[i], i);
    const bool flagged = replay_step(replay, &trace->events[i]) == REPLAY_FLAG;
    const bool differs = replay_apart(replay) != apart;
    apart = replay_apart(replay);
    said->apart_flagged |= differs;
    if (flagged || differs)
      trace_indices_append(&said->flags, i);
  }
  replay_free(replay);
  rsan_host_number = 0;
}

static void judge_run(struct said *said) {
  const struct rsan_options options = {
      .clocks = said->judge == BY_EXPLICIT_CLOCKS ? RSAN_CLOCKS_EXPLICIT : RSAN_CLOCKS_COMPACT,
      .history = RSAN_HISTORY_EXACT,
      .seq_cst = RSAN_SEQ_CST_EXACT};
  said->flags.count = said->races.count = 0;
  if (said->apart) {
    judge_apart(said, &options);
    return;
  }
  if (said->judge != BY_DEFINITION) {
    replay_trace(&options, &said->events.trace, &said->flags, &said->races, NULL);
    return;
  }
  oracle_run(&said->oracle, &said->events.trace);
  for (size_t i = 0; i < said->oracle.flags.count; i++)
    trace_indices_append(&said->flags, said->oracle.flags.at[i]);
  for (size_t i = 0; i < said->oracle.races.count; i++)
    trace_indices_append(&said->races, said->oracle.races.at[i]);
}

static uint64_t mix(uint64_t hash, uint64_t with) {
  hash = (hash ^ with) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

static bool see_run(void *context, const struct dpor_program *p, const struct run *run) {
  struct said *said = context;
  uint64_t flagged = 0, races = 0, class = class_of(p, run);
  events_of_run(p, run, &said->events);
  judge_run(said);
  for (size_t i = 0; i < said->flags.count; i++)
    flagged |= (uint64_t)1 << said->events.place[said->flags.at[i]];
  for (size_t i = 0; i < said->races.count; i++) {
    uint32_t object = said->events.trace.events[said->races.at[i]].object;
    said->raced |= !events_is_pair(object);
    if (!events_is_pair(object))
      continue;
    hashes_add(&said->pairs, object);
    races += mix(object, 1); // in any order
  }
  said->runs++;
  said->flagged |= flagged;
  uint64_t verdict = mix(flagged, races);
  hashes_add(&said->verdicts, said->alone ? verdict : mix(verdict, class));
  hashes_add(&said->classes, class);
  hashes_add(&said->outcomes, program_outcome(&run->end));
  return true;
}

static const struct way all_of_them = {.preemptions = RSAN_DPOR_UNBOUNDED, .jobs = 1};

static bool see_execution(void *context, const struct dpor_program *p, const struct run *run) {
  return run->ended != RSAN_DPOR_ENDED || see_run(context, p, run);
}

struct options {
  struct dpor_params params;
  uint64_t count, seed, first;
  bool robust, fences, seq_cst;
};

struct totals {
  uint64_t programs, left_out, interleavings, executions, flagged, raced, pairs;
  uint64_t ordered, apart; // executions with fences that depend on each other; programs
};

static void print_program(const struct options *options, uint64_t i, const struct dpor_program *p) {
  printf("program %" PRIu64 " of seed %" PRIu64 "%s: ", i, options->seed,
         p->all_run ? ", all run" : "");
  dpor_program_print(stdout, p);
  putchar('\n');
}

static bool same(const struct said *a, const struct said *b) {
  if (a->flagged == b->flagged && hashes_equal(&a->pairs, &b->pairs) && a->raced == b->raced &&
      hashes_equal(&a->verdicts, &b->verdicts) && hashes_equal(&a->outcomes, &b->outcomes) &&
      a->classes.count == b->classes.count)
    return true;
  printf("difference: of interleavings and of executions: flagged %" PRIx64 " %" PRIx64
         ", pairs %" PRIu32 " %" PRIu32 ", raced %d %d, verdicts %" PRIu32 " %" PRIu32
         ", outcomes %" PRIu32 " %" PRIu32 ", classes %" PRIu32 " %" PRIu32 "\n",
         a->flagged, b->flagged, a->pairs.count, b->pairs.count, a->raced, b->raced,
         a->verdicts.count, b->verdicts.count, a->outcomes.count, b->outcomes.count,
         a->classes.count, b->classes.count);
  return false;
}

static void count_program(struct totals *totals, const struct said *all,
                          const struct said *executions) {
  totals->programs++;
  totals->interleavings += all->runs;
  totals->executions += executions->runs;
  totals->flagged += all->flagged != 0;
}

// Returns whether there was no difference.
static bool end_comparison(const struct options *options, uint64_t i, const struct dpor_program *p,
                           struct said *all, struct said *executions, bool differ) {
  if (differ)
    print_program(options, i, p);
  said_free(all);
  said_free(executions);
  return !differ;
}

// False: a difference.
static bool compare_runs(const struct options *options, uint64_t i, struct totals *totals) {
  struct dpor_program p, without;
  uint64_t seed = rng_derive(options->seed, i);
  program_draw(&options->params, seed, &p);
  program_draw_orders(&p, rng_derive(seed, 1), options->seq_cst ? 60 : 0);
  // By brute force start and end of a thread are no steps: they would multiply the interleavings.
  without = p;
  without.bounds = false;
  struct said all = {.judge = options->seq_cst ? BY_EXPLICIT_CLOCKS : BY_DEFINITION};
  struct said executions = {.judge = BY_COMPACT_CLOCKS};
  all.alone = executions.alone = p.bounds;
  struct rsan_dpor d = {0};
  bool differ = false;
  if (enumerate_interleavings(&without, MOST_INTERLEAVINGS, see_run, &all)) {
    explore(&p, &all_of_them, see_execution, &executions, &d);
    differ = !same(&all, &executions);
    count_program(totals, &all, &executions);
    totals->raced += all.raced;
    totals->pairs += all.pairs.count;
    rsan_dpor_clear(&d);
  } else {
    totals->left_out++;
  }
  return end_comparison(options, i, &p, &all, &executions, differ);
}

// Makes fences of some of the program's accesses.
static void draw_fences(struct dpor_program *p, uint64_t seed) {
  struct rng rng = {seed};
  for (uint32_t t = 0; t < p->threads; t++)
    for (uint32_t k = 0; k < p->length[t]; k++)
      if (p->at[t][k].op <= I_EXCHANGE && rng_percent(&rng, 35))
        p->at[t][k] = (struct instruction){.op = I_FENCE, .order = TRACE_SC};
}

static void draw_fenced(const struct options *options, uint64_t i, struct dpor_program *p) {
  const uint64_t seed = rng_derive(options->seed, i);
  if (i % 2) {
    struct program program;
    fence_program(seed, &program);
    program_of_oracle(&program, p);
    return;
  }
  program_draw(&options->params, seed, p);
  draw_fences(p, rng_derive(seed, 2));
  program_draw_orders(p, rng_derive(seed, 1), options->seq_cst ? 60 : 0);
}

static bool count_execution(void *context, const struct dpor_program *p, const struct run *run) {
  (void)p;
  *(uint64_t *)context += run->ended == RSAN_DPOR_ENDED;
  return true;
}

static bool same_of_all(const struct said *all, const struct said *executions) {
  if (all->flagged == executions->flagged && hashes_equal(&all->outcomes, &executions->outcomes) &&
      all->apart_flagged <= (executions->apart_flagged || executions->flagged))
    return true;
  printf("difference: of interleavings and of executions with fences that commute: flagged %" PRIx64
         " %" PRIx64 ", outcomes %" PRIu32 " %" PRIu32 "\n",
         all->flagged, executions->flagged, all->outcomes.count, executions->outcomes.count);
  return false;
}

// The same.
static bool compare_fences(const struct options *options, uint64_t i, struct totals *totals) {
  struct dpor_program p;
  struct said all = {.judge = BY_COMPACT_CLOCKS, .apart = true},
              executions = {.judge = BY_COMPACT_CLOCKS, .apart = true};
  struct rsan_dpor d = {0};
  bool differ = false;
  draw_fenced(options, i, &p);
  if (enumerate_interleavings(&p, MOST_FENCED, see_run, &all)) {
    explore(&p, &all_of_them, count_execution, &totals->ordered, &d);
    rsan_dpor_clear(&d);
    p.commute = true;
    explore(&p, &all_of_them, see_execution, &executions, &d);
    rsan_dpor_clear(&d);
    differ = !same_of_all(&all, &executions);
    count_program(totals, &all, &executions);
    totals->apart += all.apart_flagged;
  } else {
    totals->left_out++;
  }
  return end_comparison(options, i, &p, &all, &executions, differ);
}

// The same.
static bool compare_robustness(const struct options *options, uint64_t i, struct totals *totals) {
  struct program_params params;
  struct program program;
  struct dpor_program p;
  struct said executions = {.judge = BY_COMPACT_CLOCKS};
  struct rsan_dpor d;
  program_params_default(&params);
  params.max_ops = options->params.operations;
  params.sc_percent = options->seq_cst ? 40 : 0;
  params.locations = 2 + i % 2;
  program_random(&params, rng_derive(options->seed, i), &program);
  for (uint32_t t = 0; t < program.threads; t++)
    for (uint32_t k = 0; k < program.length[t]; k++)
      if (program.ops[t][k].op == TRACE_WEAK_CAS)
        program.ops[t][k].op = TRACE_STRONG_CAS;
  program_of_oracle(&program, &p);
  explore(&p, &all_of_them, see_execution, &executions, &d);
  bool robust = options->seq_cst ? enumerate_robust_psc(&program, GRAPH_SC_CXX20, NULL)
                                 : enumerate_robust(&program, NULL);
  bool differ = robust != !executions.flagged;
  totals->programs++;
  totals->executions += executions.runs;
  totals->flagged += executions.flagged != 0;
  if (differ) {
    printf("difference: %s by definition, %s: ", robust ? "robust" : "not robust",
           executions.flagged ? "flagged" : "not flagged");
    print_program(options, i, &p);
    program_print(stdout, &program);
    putchar('\n');
  }
  rsan_dpor_clear(&d);
  said_free(&executions);
  return !differ;
}

static const char usage[] =
    "usage: dpor-verdicts runs|robust|fences --count N [--seed S] [--first I] [--seq-cst]\n"
    "                                        [--operations N] [--threads N] [--bounds]\n";

static bool read_options(int argc, char **argv, struct options *options) {
  static const struct option names[] = {
      {"count", required_argument, NULL, 'n'},   {"seed", required_argument, NULL, 's'},
      {"first", required_argument, NULL, 'f'},   {"seq-cst", no_argument, NULL, 'q'},
      {"bounds", no_argument, NULL, 'b'},        {"operations", required_argument, NULL, 'o'},
      {"threads", required_argument, NULL, 't'}, {NULL, 0, NULL, 0}};
  for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
    if (c == 'n')
      options->count = parse_count(optarg);
    else if (c == 's')
      options->seed = parse_count(optarg);
    else if (c == 'f')
      options->first = parse_count(optarg);
    else if (c == 'q')
      options->seq_cst = true;
    else if (c == 'b')
      options->params.bounds = true;
    else if (c == 'o')
      options->params.operations = (uint32_t)parse_count(optarg);
    else if (c == 't')
      options->params.threads = (uint32_t)parse_count(optarg);
    else
      return false;
  }
  if (optind + 1 != argc)
    return false;
  options->robust = strcmp(argv[optind], "robust") == 0;
  options->fences = strcmp(argv[optind], "fences") == 0;
  return options->count &&
         (options->robust || options->fences || strcmp(argv[optind], "runs") == 0) &&
         options->params.threads >= 2 && options->params.threads <= MOST_THREADS &&
         options->params.operations >= 2 && options->params.operations <= 24;
}

int main(int argc, char **argv) {
  struct options options = {.params = {.operations = 9, .threads = 3}, .seed = 1};
  struct totals totals = {0};
  if (!read_options(argc, argv, &options))
    return fputs(usage, stderr), 2;
  for (uint64_t i = options.first; i < options.first + options.count; i++)
    if (!(options.robust   ? compare_robustness
          : options.fences ? compare_fences
                           : compare_runs)(&options, i, &totals))
      return 1;
  printf("seed %" PRIu64 ": %" PRIu64 " programs, %" PRIu64 " left out as too large, %" PRIu64
         " interleavings, %" PRIu64 " executions; %" PRIu64 " programs flagged, %" PRIu64
         " with races of %" PRIu64 " pairs; no difference\n",
         options.seed, totals.programs, totals.left_out, totals.interleavings, totals.executions,
         totals.flagged, totals.raced, totals.pairs);
  if (options.fences)
    printf("%" PRIu64 " executions if fences depend on each other; %" PRIu64
           " programs flagged by C++20's fences alone somewhere\n",
           totals.ordered, totals.apart);
  return 0;
}
