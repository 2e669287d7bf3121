// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-weak: runs in which accesses read stale values, against the axioms of the memory model. Exit
// status: 0, 1 a difference was found, 2 bad usage.

#define _POSIX_C_SOURCE 200809L

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "count.h"
#include "examples.h"
#include "explore.h"
#include "generate.h"

static const char usage[] =
    "usage: rsan-weak examples [NAME]\n"
    "       rsan-weak core|seq_cst|late_s [--count N] [--seed S] [--first I]\n"
    "       rsan-weak class-core|class-seq_cst [--one-of N] [--first I]\n"
    "       rsan-weak find RULE [--count N] [--seed S]\n"
    "  examples     programs that a wrong rule fails on: with the rule, and with the wrong one\n"
    "  core         random programs of up to 8 operations, none of them a seq_cst access: all\n"
    "               interleavings, all departures; seq_cst: the same with such accesses;\n"
    "               late_s: both, where S begins with the first seq_cst access\n"
    "  class-...    all programs of two threads with two accesses each, or every N-th: nothing\n"
    "               that must not be, and all outcomes that the memory model allows\n"
    "  find         looks for a small program on which the wrong rule of that number fails\n";

enum { ALL = PROGRAM_MAX_THREADS * PROGRAM_MAX_OPS }; // departures of a run

struct options {
  uint64_t count, seed, first, one_of;
};

static void print_sum(const struct explored *e) {
  printf("%" PRIu64 " runs, %" PRIu64 " with departures (%" PRIu64 "), %" PRIu64
         " graphs of them: %" PRIu64 " inconsistent, %" PRIu64 " not stale, %" PRIu64
         " wrong values, %" PRIu64 " false races, %" PRIu64 " missed\n",
         e->runs, e->departing, e->departures, e->graphs, e->inconsistent, e->not_stale,
         e->wrong_values, e->false_races, e->missed_races);
}

static void print_difference(const char *name, const struct program *program,
                             const struct explored *e) {
  printf("difference: %s: ", name);
  program_print(stdout, program);
  printf("\n  ");
  print_sum(e);
}

static bool run_example(const struct example *example) {
  struct program program;
  const char *reason;
  struct explored right = {0}, wrong = {0};
  if (!program_parse_plain(example->program, &program, &reason)) {
    printf("difference: %s: %s\n", example->name, reason);
    return false;
  }
  explore(&program, 0, ALL, false, &right, NULL);
  explore(&program, MODEL_LATE_S, ALL, false, &right, NULL);
  explore(&program, 1u << example->wrong, ALL, false, &wrong, NULL);
  bool good = !explored_bad(&right) && explored_bad(&wrong);
  printf("%-24s %4" PRIu64 " runs, %" PRIu64 " with departures; ", example->name, right.runs,
         right.departing);
  printf("when %s: %" PRIu64 " of %" PRIu64 " graphs inconsistent, %" PRIu64
         " false races, %" PRIu64 " missed, %" PRIu64 " not stale, %" PRIu64 " wrong values\n",
         model_wrong_rules[example->wrong], wrong.inconsistent, wrong.graphs, wrong.false_races,
         wrong.missed_races, wrong.not_stale, wrong.wrong_values);
  if (!good)
    print_difference(example->name, &program, explored_bad(&right) ? &right : &wrong);
  return good;
}

// That one, or all (NULL). An unknown name is a usage error.
static int run_examples(const char *name) {
  bool good = true, any = false;
  for (size_t i = 0; i < example_count; i++) {
    if (name && strcmp(name, examples[i].name) != 0)
      continue;
    any = true;
    good = run_example(&examples[i]) && good;
  }
  return any ? !good : 2;
}

enum programs { CORE, SEQ_CST, LATE_S };

static int run_programs(const struct options *options, enum programs programs) {
  const uint32_t rules = programs == LATE_S ? MODEL_LATE_S : 0;
  struct explored sum = {0};
  uint64_t differences = 0;
  for (uint64_t i = options->first; i < options->first + options->count; i++) {
    struct program program;
    struct explored one = {0};
    char name[32];
    snprintf(name, sizeof name, "program %" PRIu64, i);
    const bool seq_cst = programs == LATE_S ? i % 2 : programs == SEQ_CST;
    generate_program(rng_derive(options->seed, i), 8, seq_cst, &program);
    explore(&program, rules, ALL, false, &one, NULL);
    for (size_t k = 0; k < sizeof one / sizeof(uint64_t); k++)
      ((uint64_t *)&sum)[k] += ((uint64_t *)&one)[k];
    if (!explored_bad(&one))
      continue;
    differences++;
    print_difference(name, &program, &one);
  }
  printf("seed %" PRIu64 ": %" PRIu64 " programs, %" PRIu64 " differences; ", options->seed,
         options->count, differences);
  print_sum(&sum);
  return differences != 0;
}

static int run_class(const struct options *options, bool seq_cst) {
  struct class_result result = {0};
  class_run(seq_cst, options->one_of, options->first, &result);
  printf("%" PRIu64 " programs, %" PRIu64 " not robust; %" PRIu64
         " outcomes that no sequentially consistent run has, %" PRIu64 " not reached; ",
         result.programs, result.weak_programs, result.weak, result.not_reached);
  print_sum(&result.sum);
  return result.not_reached || explored_bad(&result.sum);
}

static bool fails(const struct program *program, uint32_t wrong) {
  struct explored sum = {0};
  explore(program, wrong, ALL, true, &sum, NULL);
  return explored_bad(&sum);
}

// Takes out one operation after the other as long as the wrong rule fails.
static void shrink(struct program *program, uint32_t wrong) {
  for (uint32_t t = 0; t < program->threads; t++)
    for (uint32_t i = 0; i < program->length[t]; i++) {
      struct program smaller = *program;
      memmove(&smaller.ops[t][i], &smaller.ops[t][i + 1],
              (PROGRAM_MAX_OPS - i - 1) * sizeof smaller.ops[t][i]);
      smaller.length[t]--;
      struct program relaxed = *program;
      if (!trace_op_is_plain(relaxed.ops[t][i].op) && relaxed.ops[t][i].op != TRACE_FENCE)
        relaxed.ops[t][i].order = relaxed.ops[t][i].failure = TRACE_RLX;
      bool changes = memcmp(&relaxed, program, sizeof relaxed) != 0;
      if (fails(&smaller, wrong)) {
        *program = smaller;
        shrink(program, wrong);
        return;
      }
      if (changes && fails(&relaxed, wrong)) {
        *program = relaxed;
        shrink(program, wrong);
        return;
      }
    }
}

static int run_find(const struct options *options, uint64_t rule) {
  for (uint64_t i = options->first; i < options->first + options->count; i++) {
    struct program program;
    generate_program(rng_derive(options->seed, i), 8, i % 2, &program);
    if (!fails(&program, 1u << rule))
      continue;
    shrink(&program, 1u << rule);
    printf("%s, by program %" PRIu64 ":\n", model_wrong_rules[rule], i);
    program_print(stdout, &program);
    putchar('\n');
    return 0;
  }
  printf("%s: none in %" PRIu64 " programs\n", model_wrong_rules[rule], options->count);
  return 1;
}

int main(int argc, char **argv) {
  static const struct option long_options[] = {{"count", required_argument, NULL, 'c'},
                                               {"seed", required_argument, NULL, 's'},
                                               {"first", required_argument, NULL, 'f'},
                                               {"one-of", required_argument, NULL, 'o'},
                                               {NULL, 0, NULL, 0}};
  struct options options = {.count = 1000, .seed = 1, .one_of = 1};
  int option;
  while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
    if (option == 'c')
      options.count = parse_count(optarg);
    else if (option == 's')
      options.seed = parse_count(optarg);
    else if (option == 'f')
      options.first = parse_count(optarg);
    else if (option == 'o')
      options.one_of = parse_count(optarg);
    else
      optind = argc; // prints the usage
  }
  const char *mode = optind < argc ? argv[optind] : "";
  if (strcmp(mode, "find") == 0 && optind + 2 == argc) {
    uint64_t rule = parse_count(argv[optind + 1]);
    if (rule < MODEL_WRONG_RULE_COUNT)
      return run_find(&options, rule);
  }
  if (strcmp(mode, "examples") == 0 && optind + 2 >= argc)
    return run_examples(argv[optind + 1]);
  if (optind + 1 != argc)
    mode = "";
  if (strcmp(mode, "core") == 0)
    return run_programs(&options, CORE);
  if (strcmp(mode, "seq_cst") == 0)
    return run_programs(&options, SEQ_CST);
  if (strcmp(mode, "late_s") == 0)
    return run_programs(&options, LATE_S);
  if (strcmp(mode, "class-core") == 0 && options.one_of)
    return run_class(&options, false);
  if (strcmp(mode, "class-seq_cst") == 0 && options.one_of)
    return run_class(&options, true);
  fputs(usage, stderr);
  return 2;
}
