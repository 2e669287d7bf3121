// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "graphs.h"
#include "need.h"
#include "printable.h"

// With at most 2 departures or more each step that may depart depends on all others
// (docs/guide/CHECK.md), so there may be very many more executions than with 1. An exploration
// stops after FACTOR times as many as the one before has made, and LEAST more.
enum { FACTOR = 10, LEAST = 1000 };

// What is left for the next exploration, in seconds and in executions; less than 1: nothing.
static double left_of_time(const struct home *home) {
  double time = home->kept->bounds.time;
  return time > 0 ? time - (now_seconds() - home->started) : 0;
}

static long long left_of_executions(const struct home *home) {
  unsigned limit = home->kept->bounds.executions;
  return limit ? (long long)limit - (long long)home->made : 0;
}

static bool has_bounds_left(const struct home *home) {
  const struct check_bounds *bounds = &home->kept->bounds;
  return !(bounds->time > 0 && left_of_time(home) < 1) &&
         !(bounds->executions && left_of_executions(home) < 1);
}

static bool is_due(const struct home *home) {
  const struct progress *p = &home->progress;
  const struct check_bounds *bounds = &home->kept->bounds;
  if (bounds->departures >= bounds->follow || home->runs.interrupted || !p->began || !p->ended)
    return false;
  if ((home->stop && p->findings) || !has_bounds_left(home) || graphs_decide(&home->graphs))
    return false;
  return bounds->departures ? verdict_of(p) == VERDICT_COMPLETE && verdict_retained(p)
                            : p->violations > 0;
}

static bool write_kept(const struct home *home, const struct kept *kept) {
  if (kept_write(home->plan.folder, kept, NULL))
    return true;
  print_line(stderr, "%s: %s: %s", home->name, home->plan.folder, strerror(errno));
  return false;
}

// Begins an exploration with so many departures at most.
static bool open_next(struct home *home, struct kept *kept, unsigned departures) {
  struct progress *earlier = kept->bounds.departures ? &home->complete : &home->first;
  unsigned run = home->progress.run;
  progress_free(earlier);
  *earlier = home->progress;
  home->progress = (struct progress){.run = run};
  home->goes_on = false;
  kept->bounds.departures = departures;
  return write_kept(home, kept) && home_open(home);
}

static void explore_next(struct home *home, const struct home_bounds *here) {
  struct home_bounds bounds = *here;
  unsigned long long before = home->complete.executions;
  if (bounds.time > 0)
    bounds.time = left_of_time(home);
  if (bounds.executions > 0)
    bounds.executions = left_of_executions(home);
  long long most = (long long)(FACTOR * before + LEAST);
  if (home->kept->bounds.departures > 1 && (!bounds.executions || bounds.executions > most))
    bounds.executions = most;
  home_explore(home, &bounds);
  home->made += home->progress.executions;
}

// The runtime refuses departures with some options, such as target=: then violations are findings,
// and all of the first exploration is made.
static bool explore_without(struct home *home, struct kept *kept, const struct home_bounds *here) {
  size_t remarks = home->runs.records.remark_count;
  print_line(stderr, "%s: stale values cannot be explored: %s", home->name,
             remarks ? home->runs.records.remarks[remarks - 1] : "the program did not begin");
  kept->bounds.follow = 0;
  if (!open_next(home, kept, 0))
    return false;
  home_explore(home, here);
  return true;
}

// Graphs are due if all executions with at most one departure were made and none of them fails.
// Then all interleavings were made too, so it is known whether one has met what graphs do not
// cover.
static bool are_graphs_due(const struct home *home) {
  const struct progress *p = &home->progress;
  char *option = options_value("explore_graphs");
  bool wanted = !option || strcmp(option, "0") != 0;
  free(option);
  return wanted && home->kept->bounds.departures == 1 && !home->graphs.file &&
         !home->runs.interrupted && p->violations && !p->findings && p->ended && p->exhausted &&
         !p->cut && has_bounds_left(home);
}

// Writes the newest run's number to the file, because --resume must not use it again.
static void note_run(const struct progress *p) {
  fseek(p->file, 0, SEEK_END);
  fprintf(p->file, "replayed number=%u\n", p->run);
  fflush(p->file);
}

// Explores execution graphs. Without `here` it only reads what an earlier call has found, if there
// is one. Keeps the progress of the exploration before. Returns false after a message.
static bool explore_graphs(struct home *home, struct kept *kept, const struct home_bounds *here) {
  struct progress before = home->progress;
  bool goes_on = home->goes_on;
  kept->bounds.graphs = true;
  home->goes_on = home->resumes && access(home_file(home, 0), F_OK) == 0;
  if (!here && !home->goes_on) {
    kept->bounds.graphs = false;
    home->goes_on = goes_on;
    return true;
  }
  home->progress = (struct progress){.run = before.run};
  bool opened = home_open(home);
  // (Graphs that were not all followed are followed anew.)
  if (opened && here && !(home->progress.ended && home->progress.exhausted))
    explore_next(home, here);
  kept->bounds.graphs = false;
  home->graphs = home->progress;
  for (size_t i = 0; i < home->graphs.findings; i++)
    home->graphs.finding[i].of_graph = true;
  if (home->graphs.run > before.run)
    before.run = home->graphs.run;
  home->progress = before;
  if (here)
    note_run(&home->progress);
  home->goes_on = goes_on;
  return opened;
}

bool follow_explore(struct home *home, struct kept *kept, const struct home_bounds *here) {
  home->made += home->progress.executions;
  if (kept->bounds.departures > 1 && !explore_graphs(home, kept, NULL))
    return false;
  while (is_due(home)) {
    if (!open_next(home, kept, kept->bounds.departures + 1))
      return false;
    explore_next(home, here);
    if (!home->progress.began && !home->runs.interrupted && !home->runs.start_error)
      return explore_without(home, kept, here);
    if (are_graphs_due(home) && !explore_graphs(home, kept, here))
      return false;
  }
  return true;
}

// -- at the end --

static bool has_finding(const struct progress *p, unsigned long long number) {
  for (size_t i = 0; i < p->findings; i++)
    if (p->finding[i].number == number)
      return true;
  return false;
}

// (It would be found again, unless the exploration that follows was stopped early.)
static void take_findings(struct progress *p, struct progress *first) {
  for (size_t i = 0; i < first->findings; i++) {
    struct finding *finding = &first->finding[i];
    if (has_finding(p, finding->number))
      continue;
    p->finding = need(realloc(p->finding, (p->findings + 1) * sizeof *p->finding));
    p->finding[p->findings++] = *finding;
    *finding = (struct finding){0};
  }
}

void follow_settle(struct home *home, struct kept *kept) {
  struct check_bounds *bounds = &kept->bounds;
  if (!verdict_follows(bounds))
    return;
  progress_settle(&home->complete);
  if (home->complete.file && verdict_of(&home->progress) == VERDICT_NOT_FINISHED) {
    struct progress longer = home->progress;
    home->complete.has_beyond = true;
    home->complete.beyond = longer.executions;
    home->complete.run = longer.run;
    home->progress = home->complete;
    home->complete = longer;
    bounds->departures--;
  }
  take_findings(&home->progress, &home->first);
  take_findings(&home->progress, &home->graphs);
  graphs_settle(&home->progress, &home->graphs);
}

void follow_free(struct home *home) {
  progress_free(&home->first);
  progress_free(&home->complete);
  progress_free(&home->graphs);
}
