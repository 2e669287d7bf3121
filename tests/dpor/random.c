// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dpor-random: random programs, explored and by brute force. Executions without those that were
// given up as known have to be as many as the classes, no class twice, and the outcomes the same.
//
//   dpor-random --count N [--seed S] [--first I] [--operations N] [--threads N] [--bounds]
//               [--jobs N] [--saves N] [--parts N] [--preemptions N] [--loop N] [--scheduled]
//
// --jobs N: N runs are under way at the same time. --saves N: after each N runs the exploration is
// saved and restored. --parts N: what is left after the first runs is cut into N parts, and so on
// in each round; some parts are lost, and each of the others is joined twice. --preemptions N: no
// run has more, and something is counted as cut unless all classes are executed; of the classes
// that have a run with so few it is counted how many are executed. Few executions may be given up
// as known. Exit status: 0, 1 a difference was found, 2 bad usage.

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "count.h"
#include "rng.h"

enum {
  MOST_INTERLEAVINGS = 200000,
  LEAST_AWAKE = 40, // executions for each that is given up as known,
  ENOUGH = 1000,    // if there are so many: of fewer the share says nothing
};

struct seen {
  struct hashes classes, outcomes;
  uint64_t twice;
};

static bool see(void *context, const struct dpor_program *p, const struct run *run) {
  struct seen *seen = context;
  if (run->ended != RSAN_DPOR_ENDED)
    return true;
  seen->twice += !hashes_add(&seen->classes, class_of(p, run));
  hashes_add(&seen->outcomes, program_outcome(&run->end));
  return true;
}

struct totals {
  uint64_t programs, left_out, interleavings, classes, executions, asleep, races, unmatched;
  uint64_t uncut, within, met; // with --preemptions
};

// One program. False: a difference.
static bool compare(const struct dpor_program *p, const struct way *way, struct totals *totals) {
  struct hashes classes = {0}, outcomes = {0};
  struct seen seen = {0};
  struct rsan_dpor d;
  uint64_t interleavings;
  // By brute force start and end of a thread are no steps: they would multiply the interleavings.
  struct dpor_program without = *p;
  without.bounds = false;
  bool all = enumerate_classes(&without, MOST_INTERLEAVINGS, &classes, &outcomes, &interleavings);
  bool same = true;
  if (all) {
    explore(p, way, see, &seen, &d);
    uint64_t complete = d.executions - d.asleep;
    same = complete == classes.count && !seen.twice && seen.classes.count == classes.count &&
           (p->bounds || hashes_equal(&seen.classes, &classes)) &&
           (p->bounds ? seen.outcomes.count == outcomes.count
                      : hashes_equal(&seen.outcomes, &outcomes)) &&
           !d.diverged && !d.unmatched && !d.cut;
    if (!same)
      printf("difference: %" PRIu64 " executions and %" PRIu64 " known ones for %" PRIu32
             " classes, %" PRIu64 " twice, %" PRIu32 " outcomes for %" PRIu32 ", %" PRIu64
             " diverged, %" PRIu64 " unmatched\n",
             complete, d.asleep, classes.count, seen.twice, seen.outcomes.count, outcomes.count,
             d.diverged, d.unmatched);
    totals->executions += complete;
    totals->asleep += d.asleep;
    totals->races += d.races;
    totals->classes += classes.count;
    totals->interleavings += interleavings;
    rsan_dpor_clear(&d);
  }
  totals->programs += all;
  totals->left_out += !all;
  hashes_free(&classes);
  hashes_free(&outcomes);
  hashes_free(&seen.classes);
  hashes_free(&seen.outcomes);
  return same;
}

// Switches from a thread that could go on.
static uint32_t preemptions_of(const struct dpor_program *p, const struct run *run) {
  struct state s;
  uint32_t count = 0, last = MOST_THREADS;
  program_begin(p, &s, NULL);
  for (uint32_t k = 0; k < run->count; k++) {
    const struct run_entry *entry = &run->entry[k];
    if (entry->is_choice) {
      program_choose(p, &s, entry->choice);
      continue;
    }
    count += last != MOST_THREADS && last != entry->thread && program_enabled(p, &s, last);
    last = entry->thread;
    program_step(p, &s, last);
  }
  return count;
}

struct bounded {
  uint32_t bound;
  struct hashes classes, within;
  uint64_t runs, over, twice;
};

static bool see_bounded(void *context, const struct dpor_program *p, const struct run *run) {
  struct bounded *seen = context;
  if (run->ended != RSAN_DPOR_ENDED)
    return true;
  uint64_t class = class_of(p, run);
  bool within = preemptions_of(p, run) <= seen->bound;
  seen->runs++;
  seen->over += !within;
  seen->twice += !hashes_add(&seen->classes, class);
  if (within)
    hashes_add(&seen->within, class);
  return true;
}

// The same with a bound of preemptions.
static bool compare_bounded(const struct dpor_program *p, const struct way *way,
                            struct totals *totals) {
  struct bounded all = {.bound = way->preemptions}, executed = {.bound = way->preemptions};
  struct rsan_dpor d = {0};
  bool small = enumerate_interleavings(p, MOST_INTERLEAVINGS, see_bounded, &all), same = true;
  if (small) {
    explore(p, way, see_bounded, &executed, &d);
    bool whole = hashes_equal(&executed.classes, &all.classes);
    same = !executed.over && !executed.twice && (d.cut || whole) && !d.unmatched && !d.diverged;
    if (!same)
      printf("difference: %" PRIu64 " executions with too many preemptions, %" PRIu64
             " twice; %" PRIu32 " classes of %" PRIu32 ", %" PRIu64 " cut\n",
             executed.over, executed.twice, executed.classes.count, all.classes.count, d.cut);
    totals->uncut += !d.cut;
    totals->classes += all.classes.count;
    totals->interleavings += all.runs;
    totals->executions += d.executions - d.asleep;
    totals->asleep += d.asleep;
    totals->races += d.races;
    totals->within += all.within.count;
    totals->met += executed.within.count;
    rsan_dpor_clear(&d);
  }
  totals->programs += small;
  totals->left_out += !small;
  hashes_free(&all.classes);
  hashes_free(&all.within);
  hashes_free(&executed.classes);
  hashes_free(&executed.within);
  return same;
}

static const char usage[] = "usage: dpor-random --count N [--seed S] [--first I] [--operations N] "
                            "[--threads N] [--bounds] [--jobs N] [--saves N] [--parts N] "
                            "[--preemptions N] [--loop N] [--scheduled]\n";

struct arguments {
  struct dpor_params params;
  struct way way;
  uint64_t count, seed, first;
};

static bool are_wrong(const struct arguments *a) {
  bool bounded = a->way.preemptions != RSAN_DPOR_UNBOUNDED;
  return !a->count || !a->way.jobs || a->way.jobs > MOST_JOBS || a->way.parts > MOST_PARTS ||
         a->params.threads < 2 || a->params.threads > MOST_THREADS || a->params.operations > 24 ||
         (bounded && a->params.bounds) || a->params.loop > UINT8_MAX ||
         (a->way.scheduled && a->way.jobs > 1);
}

static bool read_arguments(int argc, char **argv, struct arguments *a) {
  static const struct option options[] = {{"count", required_argument, NULL, 'n'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"first", required_argument, NULL, 'f'},
                                          {"bounds", no_argument, NULL, 'b'},
                                          {"operations", required_argument, NULL, 'o'},
                                          {"threads", required_argument, NULL, 't'},
                                          {"jobs", required_argument, NULL, 'j'},
                                          {"saves", required_argument, NULL, 'r'},
                                          {"preemptions", required_argument, NULL, 'p'},
                                          {"loop", required_argument, NULL, 'l'},
                                          {"scheduled", no_argument, NULL, 'c'},
                                          {"parts", required_argument, NULL, 'm'},
                                          {NULL, 0, NULL, 0}};
  for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    if (c == 'n')
      a->count = parse_count(optarg);
    else if (c == 's')
      a->seed = parse_count(optarg);
    else if (c == 'f')
      a->first = parse_count(optarg);
    else if (c == 'b')
      a->params.bounds = true;
    else if (c == 'o')
      a->params.operations = (uint32_t)parse_count(optarg);
    else if (c == 't')
      a->params.threads = (uint32_t)parse_count(optarg);
    else if (c == 'j')
      a->way.jobs = (uint32_t)parse_count(optarg);
    else if (c == 'r')
      a->way.saves = parse_count(optarg);
    else if (c == 'm')
      a->way.parts = (uint32_t)parse_count(optarg);
    else if (c == 'p')
      a->way.preemptions = (uint32_t)parse_count(optarg);
    else if (c == 'l')
      a->params.loop = (uint32_t)parse_count(optarg);
    else if (c == 'c')
      a->way.scheduled = true;
    else
      return false;
  }
  if (a->way.scheduled) { // what scheduled.h has
    a->params.bounds = true;
    a->params.groups = 3;
  }
  return !are_wrong(a);
}

// May the first thread turn in a loop while there are no others? As in the runtime it may turn more
// often then.
static bool turns_alone(const struct dpor_program *p) {
  const struct instruction *at = p->at[0];
  for (uint32_t k = 0; !p->all_run && k < p->length[0] && at[k].op != I_CREATE; k++)
    if (at[k].op == I_BACK || (at[k].op == I_TRY_LOCK && at[k + 1].op == I_CREATE))
      return true;
  return false;
}

int main(int argc, char **argv) {
  struct arguments a = {.params = {.operations = 9, .threads = 3},
                        .way = {.preemptions = RSAN_DPOR_UNBOUNDED, .jobs = 1},
                        .seed = 1};
  struct totals totals = {0};
  if (!read_arguments(argc, argv, &a))
    return fputs(usage, stderr), 2;
  const bool bounded = a.way.preemptions != RSAN_DPOR_UNBOUNDED;
  for (uint64_t i = a.first; i < a.first + a.count; i++) {
    struct dpor_program p;
    program_draw(&a.params, rng_derive(a.seed, i), &p);
    if (a.way.scheduled && turns_alone(&p)) {
      totals.left_out++;
      continue;
    }
    if ((bounded ? compare_bounded : compare)(&p, &a.way, &totals))
      continue;
    printf("program %" PRIu64 " of seed %" PRIu64 "%s: ", i, a.seed, p.all_run ? ", all run" : "");
    dpor_program_print(stdout, &p);
    return putchar('\n'), 1;
  }
  printf("%" PRIu64 " programs, %" PRIu64 " left out: %" PRIu64 " interleavings in %" PRIu64
         " classes; %" PRIu64 " executions and %" PRIu64 " given up as known, %" PRIu64
         " races reversed; no difference\n",
         totals.programs, totals.left_out, totals.interleavings, totals.classes, totals.executions,
         totals.asleep, totals.races);
  if (totals.executions >= ENOUGH && totals.asleep * LEAST_AWAKE > totals.executions)
    return puts("difference: too many are given up as known"), 1;
  if (bounded)
    printf("nothing was cut of %" PRIu64 " programs; of %" PRIu64
           " classes with a run of at most %" PRIu32 " preemptions %" PRIu64 " were executed\n",
           totals.uncut, totals.within, a.way.preemptions, totals.met);
  return 0;
}
