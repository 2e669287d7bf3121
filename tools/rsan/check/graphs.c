// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "graphs.h"

#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "need.h"
#include "printable.h"
#include "reasons.h"

// Gaps of interleavings that graphs do not have.
static bool is_loss(const struct counted *why) {
  static const char *const others[] = {"SPURIOUS", "CXX20",    "OLDER",      "HISTORY", "TURNS",
                                       "UNROLL",   "VERSIONS", "DEPARTURES", "WIDE"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(why->why, others[i]) == 0)
      return false;
  return true;
}

static bool has_loss(const struct counted_list *gaps) {
  for (size_t i = 0; i < gaps->count; i++)
    if (is_loss(&gaps->at[i]))
      return true;
  return false;
}

static bool are_all(const struct progress_graphs *g) {
  return g->any && g->graphs && !g->endless && !g->cut && !g->diverged && !*g->unmade;
}

bool graphs_decide(const struct progress *graphs) {
  return !graphs->findings && graphs->ended && graphs->exhausted && are_all(&graphs->graphs) &&
         !has_loss(&graphs->gaps);
}

// `but_for` may be null.
static void add_losses(struct counted_list *to, const struct counted_list *from,
                       const char *but_for) {
  for (size_t i = 0; i < from->count; i++) {
    const char *why = from->at[i].why;
    if (!is_loss(&from->at[i]) || progress_counted(to, why) || (but_for && !strcmp(why, but_for)))
      continue;
    to->at = need(realloc(to->at, (to->count + 1) * sizeof *to->at));
    to->at[to->count].why = need(strdup(why));
    to->at[to->count++].executions = from->at[i].executions;
  }
}

void graphs_settle(struct progress *progress, struct progress *graphs) {
  progress->graphs = graphs->graphs;
  graphs->graphs.unmade = NULL;
  progress->graphs.spared = progress_counted(&graphs->gaps, "SPURIOUS");
  progress->graphs_stopped = progress->graphs.any && !(graphs->ended && graphs->exhausted);
  add_losses(&progress->graph_gaps, &graphs->gaps, NULL);
  add_losses(&progress->graph_gaps, &graphs->given_up, NULL);
  // An interleaving may hide a violation, which does not concern graphs. If it hides a failure, the
  // graph of the same execution hides the failure as well, and is counted.
  add_losses(&progress->graph_gaps, &progress->gaps, "SUPPRESSED");
}

bool graphs_prove(const struct progress *p) {
  return are_all(&p->graphs) && !p->graphs.failed && !p->graphs_stopped && !p->graph_gaps.count;
}

static void print_bounds(const struct progress_graphs *g) {
  if (g->turned)
    printf("  %llu run%s ended where a thread would read the same once more in a loop\n", g->turned,
           plural(g->turned));
}

char *graphs_within(const struct progress *p, unsigned spurious) {
  const struct progress_graphs *g = &p->graphs;
  char *text = NULL;
  size_t size = 0;
  FILE *out = need(open_memstream(&text, &size));
  if (g->turned)
    fprintf(out, "--loop %u", g->turns);
  if (g->spared)
    fprintf(out, "%s--spurious %u", g->turned ? " and " : "", spurious);
  fclose(out);
  return text;
}

void graphs_print_proved(const struct progress *p, unsigned spurious) {
  const struct progress_graphs *g = &p->graphs;
  char *within = graphs_within(p, spurious);
  fputs("proved correct, not robust", stdout);
  if (*within)
    printf(", within %s", within);
  free(within);
  printf(": no failure in %llu execution graph%s, which are all that C++20 allows (%llu not "
         "sequentially consistent)",
         g->graphs, plural(g->graphs), g->weak);
}

static void print_losses(const struct progress *p) {
  const struct progress_graphs *g = &p->graphs;
  for (size_t i = 0; i < p->graph_gaps.count; i++)
    printf("  %llu execution%s %s\n", p->graph_gaps.at[i].executions,
           plural(p->graph_gaps.at[i].executions), reason_text(p->graph_gaps.at[i].why));
  if (g->endless)
    printf("  %llu run%s ended in a loop that no other thread ends: a livelock, unless it ends "
           "after more than %u turns\n",
           g->endless, plural(g->endless), g->turns);
  if (g->cut)
    printf("  %llu graph%s had more than 4,096 operations\n", g->cut, plural(g->cut));
  if (g->diverged)
    printf("  %llu graph%s given up: the program did something else when it was run again\n",
           g->diverged, g->diverged == 1 ? " was" : "s were");
  if (p->graphs_stopped)
    puts("  it was stopped by a limit");
}

void graphs_print(const struct progress *p) {
  const struct progress_graphs *g = &p->graphs;
  if (!g->any)
    return;
  if (g->failed) {
    printf("  fails in %llu of %llu execution graphs that C++20 allows (%llu not sequentially "
           "consistent)\n",
           g->failed, g->graphs, g->weak);
  } else if (*g->unmade) {
    print_line(stdout,
               "  it is not known whether the program is correct, because execution graphs do not "
               "have this operation: %s",
               g->unmade);
  } else if (!graphs_prove(p)) {
    printf("  no failure in %llu execution graph%s that C++20 allows (%llu not sequentially "
           "consistent), but they are not all:\n",
           g->graphs, plural(g->graphs), g->weak);
    print_losses(p);
  }
  print_bounds(g);
}
