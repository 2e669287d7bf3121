// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-replay: the analysis of a recorded run. The very core that the runtime links, fed from a
// file of traces. Exit status: 0, 1 a verdict differs from the file's, 2 bad usage or malformed
// input.

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arguments.h"
#include "bench.h"
#include "machines/names.h"
#include "printable.h"
#include "replay.h"

const char *argp_program_version = "rsan-replay " RSAN_VERSION;

struct arguments {
  struct rsan_options options;
  bool allow_sc, stats, compare, subset, bench;
  double seconds;
  uint64_t seed;
  const char *file;
};

// What was seen while reading the file.
struct totals {
  uint64_t traces, differences;
  uint64_t events;
  uint64_t expected_flags, missing_flags, extra_flags;
  double seconds; // in the core, on one trace after the other
  uint64_t stats[RSAN_STAT_COUNT];
};

enum {
  KEY_CLOCKS = 256,
  KEY_HISTORY,
  KEY_TARGET,
  KEY_SEQ_CST,
  KEY_ALLOW_SC,
  KEY_STATS,
  KEY_COMPARE,
  KEY_SUBSET,
  KEY_BENCH,
  KEY_SEED
};

static const struct argp_option options[] = {
    {"clocks", KEY_CLOCKS, "compact|explicit", 0, "choose the clocks (compact)", 0},
    {"history", KEY_HISTORY, "exact|bounded", 0, "choose what compact clocks keep (bounded)", 0},
    {"target", KEY_TARGET, "LIST", 0, "ask for c11, x86, armv8[-ldar][-lse], joined by +", 0},
    {"seq-cst", KEY_SEQ_CST, "exact|fence|acq_rel", OPTION_ARG_OPTIONAL,
     "accept seq_cst accesses (exact)", 0},
    {"allow-sc", KEY_ALLOW_SC, NULL, 0, "same as --seq-cst=fence", 0},
    {"stats", KEY_STATS, NULL, 0, "print what was counted to standard error", 0},
    {"compare", KEY_COMPARE, NULL, 0, "print only ids whose verdict differs from FILE", 1},
    {"subset", KEY_SUBSET, NULL, 0, "like --compare, without missing flags", 1},
    {"bench", KEY_BENCH, "SECONDS", OPTION_ARG_OPTIONAL, "print events a second", 2},
    {"seed", KEY_SEED, "N", 0, "make up runs by seed N", 2},
    {NULL, 0, NULL, 0, NULL, 0},
};

static void choose_clocks(struct arguments *arguments, const char *name, struct argp_state *state) {
  if (strcmp(name, "compact") == 0)
    arguments->options.clocks = RSAN_CLOCKS_COMPACT;
  else if (strcmp(name, "explicit") == 0)
    arguments->options.clocks = RSAN_CLOCKS_EXPLICIT;
  else
    arguments_error(state, "--clocks is compact or explicit, not %s", name);
}

static void choose_history(struct arguments *arguments, const char *name,
                           struct argp_state *state) {
  if (strcmp(name, "exact") == 0)
    arguments->options.history = RSAN_HISTORY_EXACT;
  else if (strcmp(name, "bounded") == 0)
    arguments->options.history = RSAN_HISTORY_BOUNDED;
  else
    arguments_error(state, "--history is exact or bounded, not %s", name);
}

static void choose_seq_cst(struct arguments *arguments, const char *name,
                           struct argp_state *state) {
  arguments->allow_sc = true;
  if (!name || strcmp(name, "exact") == 0)
    arguments->options.seq_cst = RSAN_SEQ_CST_EXACT;
  else if (strcmp(name, "fence") == 0)
    arguments->options.seq_cst = RSAN_SEQ_CST_FENCE;
  else if (strcmp(name, "acq_rel") == 0)
    arguments->options.seq_cst = RSAN_SEQ_CST_ACQ_REL;
  else
    arguments_error(state, "--seq-cst is exact, fence or acq_rel, not %s", name);
}

static void choose_bench(struct arguments *arguments, const char *text, struct argp_state *state) {
  char *end = NULL;
  arguments->bench = true;
  if (!text)
    return;
  arguments->seconds = strtod(text, &end);
  if (*end || !(arguments->seconds > 0))
    arguments_error(state, "--bench takes a number of seconds, not %s", text);
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  char *end = NULL;
  switch (key) {
  case KEY_CLOCKS:
    choose_clocks(arguments, text, state);
    return 0;
  case KEY_HISTORY:
    choose_history(arguments, text, state);
    return 0;
  case KEY_TARGET:
    if (!rsan_targets_parse(text, &arguments->options.targets))
      arguments_error(state, "--target is " RSAN_TARGETS_WANTED ", not %s", text);
    return 0;
  case KEY_SEQ_CST:
    choose_seq_cst(arguments, text, state);
    return 0;
  case KEY_ALLOW_SC:
    choose_seq_cst(arguments, "fence", state);
    return 0;
  case KEY_STATS:
    arguments->stats = true;
    return 0;
  case KEY_SUBSET:
    arguments->subset = true;
    arguments->compare = true;
    return 0;
  case KEY_COMPARE:
    arguments->compare = true;
    return 0;
  case KEY_BENCH:
    choose_bench(arguments, text, state);
    return 0;
  case KEY_SEED:
    arguments->seed = strtoull(text, &end, 0);
    if (!*text || *end)
      arguments_error(state, "--seed takes a number, not %s", text);
    return 0;
  case ARGP_KEY_ARG:
    if (arguments->file)
      arguments_error(state, "one FILE only");
    arguments->file = text;
    return 0;
  case ARGP_KEY_END:
    if (!arguments->file && !arguments->bench)
      arguments_error(state, "which FILE?");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// Elements of `a` that are not in `b`; both ascend.
static uint64_t count_missing(const struct trace_indices *a, const struct trace_indices *b) {
  uint64_t missing = 0;
  size_t k = 0;
  for (size_t i = 0; i < a->count; i++) {
    while (k < b->count && b->at[k] < a->at[i])
      k++;
    missing += k == b->count || b->at[k] != a->at[i];
  }
  return missing;
}

static void compare(const struct arguments *arguments, const struct trace *trace,
                    const struct trace_indices *flags, const struct trace_indices *races,
                    struct totals *totals) {
  uint64_t missing = count_missing(&trace->flags, flags);
  uint64_t extra = count_missing(flags, &trace->flags);
  totals->expected_flags += trace->flags.count;
  totals->missing_flags += missing;
  totals->extra_flags += extra;
  if (!extra && (arguments->subset || !missing) && trace_indices_equal(&trace->races, races))
    return;
  totals->differences++;
  print_line(stdout, "%s", trace->id);
}

static void write_shown(const struct trace_indices *flags, const struct trace_indices *shown,
                        uint32_t bit) {
  struct trace_indices own = {0};
  for (size_t k = 0; k < flags->count; k++)
    if (shown->at[k] & bit)
      trace_indices_append(&own, flags->at[k]);
  trace_write_indices(stdout, &own);
  free(own.at);
}

// {"id":...,"flags":[...],"races":[...],"targets":{"x86":[...]}}
static void write_verdict(const struct arguments *arguments, const struct trace *trace,
                          const struct trace_indices *flags, const struct trace_indices *shown,
                          const struct trace_indices *races) {
  if (!(arguments->options.targets & ~(uint32_t)RSAN_TARGET_C11)) {
    trace_write_verdict(stdout, trace->id, flags, races);
    return;
  }
  trace_write_verdict_open(stdout, trace->id, flags, races);
  const char *before = ",\"targets\":{";
  const struct rsan_target_name *target;
  for (unsigned i = 0; (target = rsan_target_at(i)); i++) {
    if (!(target->bit & arguments->options.targets))
      continue;
    printf("%s\"%s\":", before, target->option);
    write_shown(flags, shown, target->bit);
    before = ",";
    if (target->definite == target->bit)
      continue;
    printf(",\"%s-definite\":", target->option);
    write_shown(flags, shown, target->definite);
  }
  puts("}}");
}

static void replay_one(const struct arguments *arguments, const struct trace *trace,
                       struct totals *totals) {
  struct trace_indices flags = {0}, shown = {0}, races = {0};
  double begin = now(), end;
  uint64_t rounds = 0;
  do { // once, or as often as the time to measure has room for
    flags.count = shown.count = races.count = 0;
    replay_trace_shown(&arguments->options, trace, &flags, &shown, &races,
                       rounds ? NULL : totals->stats);
    rounds++;
    end = now();
  } while (arguments->bench && end - begin < arguments->seconds && trace->count);
  totals->traces++;
  totals->events += rounds * trace->count;
  totals->seconds += end - begin;
  if (arguments->compare)
    compare(arguments, trace, &flags, &races, totals);
  else if (!arguments->bench)
    write_verdict(arguments, trace, &flags, &shown, &races);
  free(flags.at);
  free(shown.at);
  free(races.at);
}

// What is said after the last trace. Standard output is done first: the two may be one file.
static void summarize(const struct arguments *arguments, const struct totals *totals) {
  static const char *const texts[] = {
#define TEXT(name, text) #name ": " text,
      RSAN_STATS(TEXT)
#undef TEXT
  };
  if (arguments->bench)
    printf("%.0f events a second (%" PRIu64 " events in %.2f s)\n",
           (double)totals->events / totals->seconds, totals->events, totals->seconds);
  fflush(stdout);
  if (arguments->compare) {
    fprintf(stderr, "%" PRIu64 " traces, %" PRIu64 " differ", totals->traces, totals->differences);
    fprintf(stderr, "; %" PRIu64 " flags, %" PRIu64 " missing, %" PRIu64 " extra\n",
            totals->expected_flags, totals->missing_flags, totals->extra_flags);
  }
  for (int stat = 0; arguments->stats && stat < RSAN_STAT_COUNT; stat++)
    fprintf(stderr, "%12" PRIu64 " %s\n", totals->stats[stat], texts[stat]);
}

static int replay_file(const struct arguments *arguments) {
  bool standard_input = strcmp(arguments->file, "-") == 0;
  FILE *file = standard_input ? stdin : fopen(arguments->file, "r");
  if (!file) {
    print_line(stderr, "rsan-replay: %s: %s", arguments->file, strerror(errno));
    return 2;
  }
  struct trace_reader reader;
  struct trace trace = {0};
  struct trace_error error;
  struct totals totals = {0};
  const char *bad = NULL;
  enum trace_result result;
  trace_reader_init(&reader, file, arguments->allow_sc ? TRACE_ALLOW_SC : 0);
  while ((result = trace_reader_next(&reader, &trace, &error)) == TRACE_READ) {
    if (arguments->compare && !trace.has_verdict) {
      bad = "no verdict to compare with";
      break;
    }
    replay_one(arguments, &trace, &totals);
  }
  if (result == TRACE_MALFORMED)
    bad = error.reason;
  if (bad) {
    fflush(stdout);
    print_line(stderr, "rsan-replay: %s:%zu: %s", standard_input ? "<stdin>" : arguments->file,
               result == TRACE_MALFORMED ? error.line : reader.line, bad);
  } else {
    summarize(arguments, &totals);
  }
  trace_reader_free(&reader);
  trace_free(&trace);
  fclose(file);
  return bad ? 2 : totals.differences != 0;
}

int main(int argc, char **argv) {
  static const struct argp argp = {
      .options = options,
      .parser = parse_option,
      .args_doc = "FILE",
      .doc =
          "Replay recorded runs, one a line, through RSan's analysis, and print for each which "
          "events violate robustness and which race: {\"id\":...,\"flags\":[...],\"races\":[...]}. "
          "FILE may be - for standard input."
          "\vExit status: 0; 1 if a verdict differs from the file's; 2 on bad usage and on "
          "malformed input, with file, line and reason.",
  };
  struct arguments arguments = {.seconds = 1, .seed = 1};
  argp_err_exit_status = 2;
  arguments_parse(&argp, argc, argv, 0, &arguments);
  int status =
      arguments.file ? replay_file(&arguments) : bench_table(arguments.seconds, arguments.seed);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "rsan-replay: cannot write: %s\n", strerror(errno));
    return 2;
  }
  return status;
}
