// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-oracle: verdicts by definition, for traces and for small programs.
// Exit status: 0, 1 a difference was found, 2 bad usage or malformed input.
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count.h"
#include "enumerate.h"
#include "gen.h"
#include "oracle.h"
#include "programs.h"

enum mode { MODE_VERDICT, MODE_COMPARE, MODE_PLACEMENTS, MODE_GEN, MODE_THEOREM, MODE_PROGRAM };

struct options {
  enum mode mode;
  bool allow_sc;
  uint64_t count;
  uint64_t seed;
  uint32_t max_ops;   // 0: the default
  uint32_t locations; // likewise
  const char *text;   // file or program
};

static const char usage[] =
    "usage: rsan-oracle [--allow-sc] FILE.jsonl    print the verdicts\n"
    "       rsan-oracle --compare FILE.jsonl       compare with those in FILE\n"
    "       rsan-oracle --placements FILE.jsonl    compare the table of checks\n"
    "                                              with what it stands for\n"
    "       rsan-oracle --gen N [--seed S] [--allow-sc]\n"
    "                                              print N random traces\n"
    "       rsan-oracle --theorem N [--seed S] [--max-ops M] [--locations L]\n"
    "                                              N random programs: robust\n"
    "                                              iff never flagged\n"
    "       rsan-oracle --program 'st 0 rel 1; ld 1 acq | ...'\n"
    "                                              one program, both sides\n";

static bool placements_agree(struct oracle *oracle, const struct trace *trace) {
  size_t next = 0;
  bool agree = true;
  for (size_t i = 0; i < trace->count; i++) {
    bool flagged = next < oracle->flags.count && oracle->flags.at[next] == i;
    next += flagged;
    if (!trace_op_is_checked(trace->events[i].op))
      continue;
    if (placements_violate(trace, i, GRAPH_SC_FENCE) == flagged)
      continue;
    printf("%s event %zu: %sflagged\n", trace->id, i, flagged ? "" : "not ");
    agree = false;
  }
  return agree;
}

// Prints the verdict, or on a difference the id. False: a difference.
static bool judge(enum mode mode, struct oracle *oracle, const struct trace *trace) {
  if (mode == MODE_VERDICT) {
    trace_write_verdict(stdout, trace->id, &oracle->flags, &oracle->races);
    return true;
  }
  if (mode == MODE_PLACEMENTS)
    return placements_agree(oracle, trace);
  if (trace_indices_equal(&oracle->flags, &trace->flags) &&
      trace_indices_equal(&oracle->races, &trace->races))
    return true;
  puts(trace->id);
  return false;
}

static int run_file(const struct options *options) {
  FILE *file = fopen(options->text, "r");
  if (!file) {
    fprintf(stderr, "%s: %s\n", options->text, strerror(errno));
    return 2;
  }
  struct trace_reader reader;
  struct trace trace = {0};
  struct trace_error error;
  struct oracle oracle = {0};
  trace_reader_init(&reader, file, options->allow_sc ? TRACE_ALLOW_SC : 0);
  uint64_t traces = 0, differences = 0;
  const char *bad = NULL;
  enum trace_result result;
  while ((result = trace_reader_next(&reader, &trace, &error)) == TRACE_READ) {
    if (options->mode == MODE_COMPARE && !trace.has_verdict)
      bad = "no verdict to compare with";
    else if (!oracle_run(&oracle, &trace))
      bad = "too many events for the oracle";
    if (bad)
      break;
    traces++;
    differences += !judge(options->mode, &oracle, &trace);
  }
  if (result == TRACE_MALFORMED)
    bad = error.reason;
  fflush(stdout); // the two may be one file
  if (bad)
    fprintf(stderr, "%s:%zu: %s\n", options->text, reader.line, bad);
  else if (options->mode != MODE_VERDICT)
    fprintf(stderr, "%" PRIu64 " traces, %" PRIu64 " differ\n", traces, differences);
  trace_reader_free(&reader);
  trace_free(&trace);
  oracle_free(&oracle);
  fclose(file);
  return bad ? 2 : differences != 0;
}

static int run_gen(const struct options *options) {
  struct gen_params params;
  struct trace trace = {0};
  struct oracle oracle = {0};
  gen_params_default(&params);
  if (options->allow_sc)
    params.sc_percent = 20;
  for (uint64_t i = 0; i < options->count; i++) {
    char id[64];
    gen_trace(&params, rng_derive(options->seed, i), &trace);
    snprintf(id, sizeof id, "gen-%" PRIu64 "-%" PRIu64, options->seed, i);
    trace_set_id(&trace, id);
    oracle_run(&oracle, &trace);
    trace.has_verdict = true;
    for (size_t k = 0; k < oracle.flags.count; k++)
      trace_indices_append(&trace.flags, oracle.flags.at[k]);
    for (size_t k = 0; k < oracle.races.count; k++)
      trace_indices_append(&trace.races, oracle.races.at[k]);
    trace_write(stdout, &trace);
  }
  trace_free(&trace);
  oracle_free(&oracle);
  return 0;
}

static int run_theorem(const struct options *options) {
  struct program_params params;
  struct oracle oracle = {0};
  program_params_default(&params);
  if (options->max_ops)
    params.max_ops = options->max_ops;
  if (options->locations)
    params.locations = options->locations;
  uint64_t robust = 0, differences = 0, graphs = 0, steps = 0;
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (uint64_t i = 0; i < options->count; i++) {
    struct program program;
    uint64_t more_graphs, more_steps;
    program_random(&params, rng_derive(options->seed, i), &program);
    bool is_robust = enumerate_robust(&program, &more_graphs);
    bool flagged = enumerate_flagged(&program, &oracle, &more_steps);
    robust += is_robust;
    graphs += more_graphs;
    steps += more_steps;
    if (is_robust != flagged)
      continue;
    differences++;
    printf("program %" PRIu64 " of seed %" PRIu64 ": %s, %s: ", i, options->seed,
           is_robust ? "robust" : "not robust", flagged ? "flagged" : "not flagged");
    program_print(stdout, &program);
    putchar('\n');
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("seed %" PRIu64 ": %" PRIu64 " programs, %" PRIu64 " robust, %" PRIu64
         " not robust, %" PRIu64 " differences\n",
         options->seed, options->count, robust, options->count - robust, differences);
  fprintf(stderr, "%" PRIu64 " consistent graphs, %" PRIu64 " steps of runs, %.1f s\n", graphs,
          steps, (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
  oracle_free(&oracle);
  return differences != 0;
}

static int run_program(const struct options *options) {
  struct program program;
  const char *reason;
  if (!program_parse(options->text, &program, &reason)) {
    fprintf(stderr, "program: %s\n", reason);
    return 2;
  }
  struct oracle oracle = {0};
  uint64_t flagged, all;
  bool robust = enumerate_robust(&program, NULL);
  enumerate_count(&program, &oracle, &flagged, &all);
  printf("%s, flagged in %" PRIu64 " of %" PRIu64 " interleavings\n",
         robust ? "robust" : "not robust", flagged, all);
  oracle_free(&oracle);
  return robust != (flagged == 0);
}

static void parse_option(struct options *options, int option) {
  switch (option) {
  case 'c':
    options->mode = MODE_COMPARE;
    break;
  case 'a':
    options->allow_sc = true;
    break;
  case 'g':
  case 't':
    options->mode = option == 'g' ? MODE_GEN : MODE_THEOREM;
    options->count = parse_count(optarg);
    break;
  case 's':
    options->seed = parse_count(optarg);
    break;
  case 'm':
    options->max_ops = (uint32_t)parse_count(optarg);
    break;
  case 'l':
    options->locations = (uint32_t)parse_count(optarg);
    break;
  case 'p':
    options->mode = MODE_PROGRAM;
    options->text = optarg;
    break;
  case 'x':
    options->mode = MODE_PLACEMENTS;
    break;
  case 'h':
    fputs(usage, stdout);
    exit(0);
  default:
    fputs(usage, stderr);
    exit(2);
  }
}

static bool options_fit(const struct options *options, int arguments) {
  bool file = options->mode <= MODE_PLACEMENTS;
  if (arguments != (file ? 1 : 0))
    return false;
  // At least one operation for each thread, and no more than fit.
  if (options->max_ops && (options->max_ops < PROGRAM_MAX_THREADS || options->max_ops > 12))
    return false;
  return options->locations <= PROGRAM_MAX_LOCATIONS;
}

int main(int argc, char **argv) {
  static const struct option long_options[] = {{"compare", no_argument, NULL, 'c'},
                                               {"placements", no_argument, NULL, 'x'},
                                               {"allow-sc", no_argument, NULL, 'a'},
                                               {"gen", required_argument, NULL, 'g'},
                                               {"theorem", required_argument, NULL, 't'},
                                               {"seed", required_argument, NULL, 's'},
                                               {"max-ops", required_argument, NULL, 'm'},
                                               {"locations", required_argument, NULL, 'l'},
                                               {"program", required_argument, NULL, 'p'},
                                               {"help", no_argument, NULL, 'h'},
                                               {NULL, 0, NULL, 0}};
  struct options options = {.seed = 1};
  int option;
  while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
    parse_option(&options, option);
  if (!options_fit(&options, argc - optind)) {
    fputs(usage, stderr);
    return 2;
  }
  if (optind < argc)
    options.text = argv[optind];
  switch (options.mode) {
  case MODE_GEN:
    return run_gen(&options);
  case MODE_THEOREM:
    return run_theorem(&options);
  case MODE_PROGRAM:
    return run_program(&options);
  default:
    return run_file(&options);
  }
}
