// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// graph-random: the execution graphs of random programs, by the explorer and by brute force. They
// have to be the same, each of them once, with the same data races.
//
//   graph-random --count N [--seed S] [--first I] [--operations N] [--model sc|rc20|c20]
//   graph-random --named
//   graph-random --list --count N [--seed S] [--first I] [--operations N] [--model sc|rc20|c20]
//
// Without --model programs are judged by one of the three in turns. --named: of programs that are
// seldom drawn, each by all three. --list: nothing is compared; a line for each program says how
// many graphs it has by brute force, and how many of these are a deadlock or have a race. Exit
// status: 0, 1 a difference was found, 2 bad usage.

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "count.h"
#include "draw.h"

enum {
  MOST_STEPS = 60000, // consistent graphs, with those that have not come to their end
  MOST_RUNS = 20,     // for each graph
  FEW_RUNS = 1000,
};

static const char *const models[] = {
    [RSAN_GRAPH_SC] = "sc", [RSAN_GRAPH_RC20] = "rc20", [RSAN_GRAPH_CXX20] = "c20"};

static const char *const named[] = {
    // Store buffering: by relaxed and seq_cst accesses, with fences, and with compare-exchanges
    // that
    // fail by another order than they succeed by.
    "st 0 rlx 1; ld 1 rlx | st 1 rlx 1; ld 0 rlx",
    "st 0 sc 1; ld 1 sc | st 1 sc 1; ld 0 sc",
    "st 0 sc 1; ld 1 sc | st 1 sc 1; ld 0 acq",
    "st 0 rlx 1; fn sc; ld 1 rlx | st 1 rlx 1; fn sc; ld 0 rlx",
    "st 0 sc 1; cs 1 sc rlx 2 1 | st 1 sc 1; cs 0 sc rlx 2 1",
    "st 0 sc 1; cs 1 rlx sc 2 1 | st 1 sc 1; cs 0 rlx sc 2 1",
    // Message passing: by accesses, by fences, and along a release sequence.
    "st 0 rlx 1; st 1 rel 1 | ld 1 acq; ld 0 rlx",
    "st 0 rlx 1; st 1 rlx 1 | ld 1 acq; ld 0 rlx",
    "st 0 rlx 1; fn rel; st 1 rlx 1 | ld 1 rlx; fn acq; ld 0 rlx",
    "st 0 rlx 1; st 1 rel 1 | ld 1 rlx; fn acq; ld 0 rlx",
    "st 0 rlx 1; fn rel; st 1 rlx 1 | ld 1 acq; ld 0 rlx",
    "st 0 rlx 1; st 1 rel 1 | fa 1 rlx 1 | ld 1 acq; ld 0 rlx",
    "st 0 rlx 1; st 1 rel 1 | cs 1 acq acq 2 1; ld 0 rlx",
    "st 0 rlx 1; st 1 rel 1 | cs 1 acq rlx 2 1; ld 0 rlx",
    "wr 0; st 1 rel 1 | ld 1 acq; rd 0",
    "wr 0; st 1 rlx 1 | ld 1 acq; rd 0",
    // Independent reads of independent writes; two writes twice.
    "st 0 sc 1 | st 1 sc 1 | ld 0 sc; ld 1 sc | ld 1 sc; ld 0 sc",
    "st 0 rel 1 | st 1 rel 1 | ld 0 acq; ld 1 acq | ld 1 acq; ld 0 acq",
    "st 0 sc 1; st 1 sc 2 | st 1 sc 1; st 0 sc 2",
    // psc has po; hb; po, and not all of hb (Z6.U of P0668).
    "st 0 sc 1; st 1 rel 1 | ld 1 acq; ld 2 sc | st 2 sc 1; ld 0 sc",
    "st 0 sc 1; st 1 rel 1 | fa 1 sc 1; ld 1 rlx | st 1 sc 2; ld 0 sc",
    // RC20 orders any two fences (docs/internals/FENCES.md).
    "ld 1 rlx; fn sc; ld 2 rlx | st 2 rlx 1; fn sc; st 0 rlx 1 | ld 0 rlx; st 1 rlx 1",
    // Updates, waits and compare-exchanges that wait.
    "fa 0 rlx 1; fa 0 rlx 1 | fa 0 rlx 1; fa 0 rlx 1 | fa 0 rlx 1",
    "bc 0 acq 0 1; st 0 rel 0 | bc 0 acq 0 1; st 0 rel 0 | bc 0 acq 0 1; st 0 rel 0",
    "wt 0 acq 2; ld 1 rlx | st 1 rlx 1; fa 0 rel 1 | st 1 rlx 2; fa 0 rel 1",
};

struct totals {
  uint64_t programs, left_out, graphs, deadlocks, races, runs, waits, dropped, revisits, most_left;
};

struct arguments {
  uint64_t count, seed, first;
  uint32_t operations;
  int model; // -1: in turns
  bool named, list;
};

static void count_keys(const struct graph_keys *keys, struct totals *totals) {
  totals->graphs += keys->count;
  for (size_t i = 0; i < keys->count; i++) {
    totals->races += keys->at[i].bytes[KEY_RACE];
    totals->deadlocks += keys->at[i].bytes[KEY_DEADLOCK];
  }
}

// One program. False: a difference.
static bool compare(const struct program *program, enum rsan_graph_model model,
                    struct totals *totals) {
  struct graph_keys forced = {0}, found = {0};
  bool same = true, all = find_by_force(program, model, MOST_STEPS, &forced);
  if (all) {
    struct explored x =
        find_by_exploring(program, model, MOST_RUNS * forced.count + FEW_RUNS, &found);
    keys_sort(&found);
    same = keys_equal(&forced, &found) && !found.twice && !x.diverged && !x.given_up && !x.unread;
    if (!same)
      printf("difference: %zu graphs for %zu, %" PRIu64 " twice, %" PRIu64 " runs, %" PRIu64
             " diverged%s%s\n",
             found.count, forced.count, found.twice, x.runs, x.diverged,
             x.given_up ? ", given up" : "", x.unread ? ", one read otherwise" : "");
    count_keys(&forced, totals);
    totals->runs += x.runs;
    totals->waits += x.waits;
    totals->dropped += x.dropped;
    totals->revisits += x.revisits;
    totals->most_left = x.most_left > totals->most_left ? x.most_left : totals->most_left;
  }
  totals->programs += all;
  totals->left_out += !all;
  keys_free(&forced);
  keys_free(&found);
  return same;
}

static int parse_model(const char *name) {
  for (int i = 0; i < 3; i++)
    if (!strcmp(name, models[i]))
      return i;
  return 3;
}

static bool read_arguments(int argc, char **argv, struct arguments *a) {
  static const struct option options[] = {
      {"count", required_argument, NULL, 'n'}, {"seed", required_argument, NULL, 's'},
      {"first", required_argument, NULL, 'f'}, {"operations", required_argument, NULL, 'o'},
      {"model", required_argument, NULL, 'm'}, {"named", no_argument, NULL, 'N'},
      {"list", no_argument, NULL, 'l'},        {NULL, 0, NULL, 0}};
  for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    if (c == 'n')
      a->count = parse_count(optarg);
    else if (c == 's')
      a->seed = parse_count(optarg);
    else if (c == 'f')
      a->first = parse_count(optarg);
    else if (c == 'o')
      a->operations = (uint32_t)parse_count(optarg);
    else if (c == 'm')
      a->model = parse_model(optarg);
    else if (c == 'N')
      a->named = true;
    else if (c == 'l')
      a->list = true;
    else
      return false;
  }
  return (a->count != 0) != a->named && optind == argc && a->operations >= 3 &&
         a->operations <= MOST_NODES && a->model < 3;
}

// Compares, and says which program is different.
static bool compare_and_tell(const struct program *program, int model, struct totals *totals,
                             const char *which, uint64_t number) {
  if (compare(program, (enum rsan_graph_model)model, totals))
    return true;
  printf("%s %" PRIu64 ", %s: ", which, number, models[model]);
  program_print(stdout, program);
  putchar('\n');
  return false;
}

static bool compare_drawn(const struct arguments *a, struct totals *totals) {
  for (uint64_t i = a->first; i < a->first + a->count; i++) {
    struct program program;
    draw_program(a->seed, i, a->operations, &program);
    if (!compare_and_tell(&program, a->model < 0 ? (int)(i % 3) : a->model, totals, "program", i))
      return false;
  }
  return true;
}

static void list_drawn(const struct arguments *a) {
  for (uint64_t i = a->first; i < a->first + a->count; i++) {
    struct program program;
    struct graph_keys forced = {0};
    size_t failures = 0;
    draw_program(a->seed, i, a->operations, &program);
    if (!find_by_force(&program, (enum rsan_graph_model)(a->model < 0 ? (int)(i % 3) : a->model),
                       MOST_STEPS, &forced))
      fputs("too many graphs: ", stdout);
    for (size_t k = 0; k < forced.count; k++)
      failures += forced.at[k].bytes[KEY_RACE] || forced.at[k].bytes[KEY_DEADLOCK];
    printf("%zu graphs, %zu fail: ", forced.count, failures);
    program_print(stdout, &program);
    putchar('\n');
    keys_free(&forced);
  }
}

static bool compare_named(struct totals *totals) {
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    struct program program;
    const char *reason;
    bool plain = strstr(named[i], "wr ");
    if (!(plain ? program_parse_plain : program_parse_sc)(named[i], &program, &reason))
      return printf("difference: %s: %s\n", named[i], reason), false;
    for (int model = 0; model < 3; model++)
      if (!compare_and_tell(&program, model, totals, "named program", i))
        return false;
  }
  return true;
}

int main(int argc, char **argv) {
  struct arguments a = {.seed = 1, .operations = 8, .model = -1};
  struct totals t = {0};
  if (!read_arguments(argc, argv, &a))
    return fputs("usage: graph-random --count N [--seed S] [--first I] [--operations 3..20] "
                 "[--model sc|rc20|c20] [--list]\n       graph-random --named\n",
                 stderr),
           2;
  if (a.list)
    return list_drawn(&a), 0;
  if (!(a.named ? compare_named(&t) : compare_drawn(&a, &t)))
    return printf("seed %" PRIu64 "\n", a.seed), 1;
  printf("%" PRIu64 " programs, %" PRIu64 " left out: %" PRIu64 " graphs, %" PRIu64
         " deadlocks and %" PRIu64 " races among them; %" PRIu64 " runs, %" PRIu64
         " that wait, %" PRIu64 " graphs dropped, %" PRIu64 " revisits, at most %" PRIu64
         " graphs left; no difference\n",
         t.programs, t.left_out, t.graphs, t.deadlocks, t.races, t.runs, t.waits, t.dropped,
         t.revisits, t.most_left);
  return 0;
}
