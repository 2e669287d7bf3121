// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "verdict.h"

#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "ends.h"
#include "graphs.h"
#include "need.h"
#include "printable.h"
#include "reasons.h"
#include "run/folder.h"
#include "trust/head.h"

// (Executions that are known from others, that the program asked to give up, or that come to a
// bound which the verdict names, are not lost; nor are those of a proof for RC20's fences alone.
// And where there is no violation no object of more than eight bytes has older values to miss.)
bool verdict_is_loss(const struct progress *p, const struct counted *why) {
  static const char *const others[] = {"ASLEEP", "ASSUMED",  "LOOP",       "TURNS",
                                       "UNROLL", "SPURIOUS", "DEPARTURES", "CXX20"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(why->why, others[i]) == 0)
      return false;
  return p->violations || strcmp(why->why, "WIDE") != 0;
}

unsigned long long verdict_assumed(const struct progress *p) {
  return progress_counted(&p->given_up, "ASSUMED");
}

unsigned long long verdict_bounded(const struct progress *p) {
  return progress_counted(&p->given_up, "LOOP");
}

unsigned long long verdict_turned(const struct progress *p) {
  return progress_counted(&p->gaps, "TURNS");
}

unsigned long long verdict_unrolled(const struct progress *p) {
  return progress_counted(&p->gaps, "UNROLL");
}

unsigned long long verdict_spared(const struct progress *p) {
  return progress_counted(&p->gaps, "SPURIOUS");
}

unsigned long long verdict_retained(const struct progress *p) {
  return progress_counted(&p->gaps, "DEPARTURES");
}

unsigned long long verdict_apart(const struct progress *p) {
  return progress_counted(&p->gaps, "CXX20");
}

// A test none of whose executions comes to its end says nothing.
static bool is_vacuous(const struct progress *p) {
  return !p->whole && (verdict_assumed(p) || verdict_bounded(p));
}

static bool has_loss(const struct progress *p, const struct counted_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (verdict_is_loss(p, &list->at[i]))
      return true;
  return false;
}

static bool has_losses(const struct progress *p) {
  return has_loss(p, &p->given_up) || has_loss(p, &p->gaps) || p->cut || !p->ended ||
         !p->exhausted || is_vacuous(p);
}

bool verdict_is_whole(const struct progress *p) {
  return !has_losses(p);
}

unsigned long long verdict_executions(const struct progress *p) {
  return p->whole + verdict_bounded(p);
}

bool verdict_follows(const struct check_bounds *bounds) {
  return bounds->follow && bounds->departures;
}

enum verdict verdict_of(const struct progress *p) {
  if (p->findings)
    return VERDICT_FOUND;
  if (graphs_prove(p))
    return VERDICT_COMPLETE;
  if (has_losses(p))
    return VERDICT_NOT_FINISHED;
  return p->violations || p->departed ? VERDICT_COMPLETE : VERDICT_PROVED;
}

static void print_finding(const struct finding *finding, const struct records *records,
                          const char *folder) {
  const struct record *report = *finding->token ? records_find(records, finding->token) : NULL;
  printf("%s %llu: %s", finding->of_graph ? "execution graph" : "execution", finding->execution,
         ends_text(finding));
  printf(", after %llu steps", finding->steps);
  if (finding->departures)
    printf(" and %llu departure%s", finding->departures, plural(finding->departures));
  if (finding->preemptions >= 0 && !finding->of_graph)
    printf(" with at most %lld preemption%s", finding->preemptions, plural(finding->preemptions));
  if (strcmp(finding->what, "report") != 0)
    print_line(stdout, "; output: %s/run-%04u/output", folder, finding->run);
  else
    putchar('\n');
  if (report)
    print_line(stdout, "  %s%s%s", report->type, *report->place ? " at " : "", report->place);
  char *line = replay_line(finding->schedule, NULL);
  print_line(stdout, "  to repeat it: %s", line);
  free(line);
}

static void print_reasons(const struct progress *p, const struct counted_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (verdict_is_loss(p, &list->at[i]))
      printf("  %llu execution%s %s\n", list->at[i].executions, plural(list->at[i].executions),
             reason_text(list->at[i].why));
}

static void print_losses(const struct progress *p, const struct check_bounds *bounds,
                         const char *folder) {
  print_reasons(p, &p->given_up);
  print_reasons(p, &p->gaps);
  if (p->cut && bounds->preemptions >= 0)
    printf("  more executions need more than %lld preemption%s (--preemptions)\n",
           bounds->preemptions, plural(bounds->preemptions));
  if (!p->ended)
    puts("  the exploration did not come to its end");
  else if (!p->exhausted)
    puts("  it was stopped by --executions, --time or --stop-on-first");
  else if (is_vacuous(p))
    puts(verdict_turned(p)     ? "  none of them came to the program's end: try a larger --loop"
         : verdict_unrolled(p) ? "  none of them came to the program's end: try a larger --unroll"
                               : "  rsan_assume has given up each of them");
  if (!p->ended || !p->exhausted)
    print_line(stdout, "  to go on: rsan check --resume %s", run_folder_named(folder));
}

static void print_bounds(const struct check_bounds *bounds) {
  printf(" (--loop %u", bounds->loop);
  if (bounds->unroll)
    printf(", --unroll %u", bounds->unroll);
  if (bounds->spurious)
    printf(", --spurious %u", bounds->spurious);
  if (bounds->departures)
    printf(", --departures %u", bounds->departures);
  if (bounds->preemptions >= 0)
    printf(", --preemptions %lld", bounds->preemptions);
  if (bounds->executions)
    printf(", --executions %u", bounds->executions);
  if (bounds->time > 0)
    printf(", --time %g", bounds->time);
  putchar(')');
}

static void print_rate(const struct progress *p) {
  if (p->cpu > 0)
    printf(", %.0f executions a second of processor time",
           (double)(p->executions - p->executions_before) / p->cpu);
  putchar('\n');
}

char *verdict_within(const struct progress *p, const struct check_bounds *bounds) {
  const struct {
    const char *option;
    unsigned bound;
    bool is;
  } named[] = {{"--loop", p->loop, verdict_turned(p)},
               {"--unroll", p->unroll, verdict_unrolled(p)},
               {"--spurious", bounds->spurious, verdict_spared(p)}};
  int left = named[0].is + named[1].is + named[2].is;
  const char *word = "";
  char *text = NULL;
  size_t size = 0;
  FILE *out = need(open_memstream(&text, &size));
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    if (!named[i].is)
      continue;
    fprintf(out, "%s%s %u", word, named[i].option, named[i].bound);
    word = --left == 1 ? " and " : ", ";
  }
  fclose(out);
  return text;
}

static void print_within(const struct progress *p, const struct check_bounds *bounds) {
  char *within = verdict_within(p, bounds);
  if (*within)
    printf(" within %s", within);
  if (verdict_apart(p))
    fputs(" for RC20's fences", stdout);
  free(within);
}

static void print_proved(const struct progress *p, const struct check_bounds *bounds) {
  unsigned long long all = verdict_executions(p);
  fputs("proved", stdout);
  print_within(p, bounds);
  printf(": no finding in %llu execution%s, which are all there are; %llu were made", all,
         plural(all), p->executions);
}

static void print_complete(const struct progress *p, const struct check_bounds *bounds) {
  if (graphs_prove(p)) {
    graphs_print_proved(p, bounds->spurious);
    return;
  }
  unsigned long long all = verdict_executions(p);
  if (verdict_follows(bounds))
    fputs("not robust, and does not fail: ", stdout);
  fputs("no failure", stdout);
  print_within(p, bounds);
  printf(" in all behaviours with at most %u departure%s, which are %llu execution%s; %llu were "
         "made",
         bounds->departures, plural(bounds->departures), all, plural(all), p->executions);
}

// Says that it is not known whether the program fails, if no exploration with departures was made.
static void print_unfollowed(const struct progress *p, const struct check_bounds *bounds) {
  if (bounds->follow && !bounds->departures && p->violations)
    puts("  the program is not robust; whether it fails by that was not explored");
}

// Says which behaviours the executions have not covered.
static void print_departures(const struct progress *p, const struct check_bounds *bounds) {
  unsigned long long retained = verdict_retained(p);
  print_unfollowed(p, bounds);
  if (!bounds->departures)
    return;
  if (graphs_prove(p)) {
    printf("  it has %zu violation%s; no graph in which one happens fails\n", p->violations,
           plural(p->violations));
    return;
  }
  if (verdict_follows(bounds))
    printf("  the program is not robust: %zu violation%s, and %zu made it fail\n", p->violations,
           plural(p->violations), p->failing);
  else if (p->violations)
    printf("  the program is not robust: %zu violation%s\n", p->violations, plural(p->violations));
  else if (p->departed)
    puts("  it has no violation: only waits have departed whose values serve to end them and "
         "nothing else");
  if (retained)
    printf("  in %llu execution%s one more access might have departed (--departures)\n", retained,
           plural(retained));
  if (p->beyond)
    printf("  nor did one of %llu executions with at most %u departures, which are not all\n",
           p->beyond, bounds->departures + 1);
}

static void print_asides(const struct progress *p) {
  unsigned long long assumed = verdict_assumed(p), turned = verdict_turned(p),
                     unrolled = verdict_unrolled(p), spared = verdict_spared(p),
                     apart = verdict_apart(p);
  if (assumed)
    printf("  %llu execution%s given up by rsan_assume\n", assumed,
           assumed == 1 ? " was" : "s were");
  if (turned)
    printf("  %llu execution%s ended where a thread would turn once more in a loop that reads the "
           "same again\n",
           turned, plural(turned));
  if (unrolled)
    printf("  %llu execution%s ended where a thread would write once more at the same place\n",
           unrolled, plural(unrolled));
  if (spared)
    printf("  in %llu execution%s a weak compare-exchange might have failed although it found what "
           "it expected (--spurious)\n",
           spared, plural(spared));
  if (apart && !p->findings)
    printf("  in %llu execution%s C++20's fences, which are weaker than RC20's, allow more "
           "(docs/internals/FENCES.md)\n",
           apart, plural(apart));
}

void verdict_print_findings(const struct progress *p, const struct records *records,
                            const char *program, const char *folder) {
  for (size_t i = 0; i < p->findings; i++)
    if (!ends_is_known(&p->finding[i], program, records))
      print_finding(&p->finding[i], records, folder);
}

void verdict_print(const struct progress *p, const struct check_bounds *bounds,
                   const char *folder) {
  const char *runs = p->executions == 1 ? "execution" : "executions";
  switch (verdict_of(p)) {
  case VERDICT_PROVED:
    print_proved(p, bounds);
    break;
  case VERDICT_COMPLETE:
    print_complete(p, bounds);
    break;
  case VERDICT_FOUND:
    printf("%zu finding%s in %llu %s", p->findings, plural(p->findings), p->executions, runs);
    break;
  case VERDICT_NOT_FINISHED:
    printf("%s in %llu %s, but they are not all",
           verdict_follows(bounds)        ? "not robust: no failure"
           : p->violations || p->departed ? "no failure"
                                          : "not proved: no finding",
           p->executions, runs);
    break;
  }
  if (!graphs_prove(p))
    print_bounds(bounds);
  print_rate(p);
  graphs_print(p);
  print_departures(p, bounds);
  print_asides(p);
  if (verdict_of(p) == VERDICT_FOUND || verdict_of(p) == VERDICT_NOT_FINISHED)
    print_losses(p, bounds, folder);
  if (p->stopped_beyond) {
    puts("  it was stopped before all was explored within larger bounds of loops");
    print_line(stdout, "  to go on: rsan check --resume %s", run_folder_named(folder));
  }
}
