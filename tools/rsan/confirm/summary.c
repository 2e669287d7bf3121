// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is printed in the end: each violation with what came of it, those that fail first, and what
// limits that.

#include <stdlib.h>
#include <string.h>

#include "aim.h"
#include "base/plural.h"
#include "confirm.h"
#include "printable.h"
#include "report/confirmed.h"
#include "report/output.h"
#include "report/record.h"
#include "run/checked.h"
#include "run/folder.h"

static void print_violation(const cJSON *record) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    abort();
  write_violation_sites(record, out);
  write_confirmed_lines(record, "  ", out);
  fprintf(out, "  token %s\n", record_text(record, "token"));
  fclose(out);
  put_printable_lines(text, stdout);
  free(text);
}

static const char *confirms_nothing(enum failure_kind kind) {
  static const char *const words[] = {"this report",      "a crash", "an assertion",
                                      "this exit status", "a hang",  "this report"};
  return words[kind];
}

// Failures that runs without departures have, too: one of each kind, and how many others there are.
static void print_own_failures(const struct trials *trials) {
  for (int kind = 0; kind < FAILURE_KINDS; kind++) {
    const struct failure *example = NULL;
    size_t others = 0;
    for (size_t i = trials->without.count; i-- > 0;)
      if ((int)trials->without.at[i].kind == kind) {
        others += example != NULL;
        example = &trials->without.at[i];
      }
    if (!trials->failed_without[kind])
      continue;
    print_line(stdout, "fails without departures, too (%u of %u runs): %s",
               trials->failed_without[kind], trials->control_count, example->text);
    if (others)
      printf("  and in %zu other way%s of that kind\n", others, plural(others));
    printf("  so %s confirms nothing\n", confirms_nothing((enum failure_kind)kind));
  }
}

// Other lines of the logs, but for those that BEFORE has.
static void print_remarks(const struct records *records, const struct records *before) {
  for (size_t i = 0; i < records->remark_count; i++) {
    bool known = false;
    for (size_t j = 0; before && j < before->remark_count; j++)
      known |= strcmp(records->remarks[i], before->remarks[j]) == 0;
    if (!known)
      print_line(stdout, "a log says: %s", records->remarks[i]);
  }
  if (records->dropped_remarks)
    printf("and %lu more such lines in the logs\n", records->dropped_remarks);
}

static void print_limits(const struct confirm *confirm) {
  const struct trials *trials = &confirm->trials;
  size_t texts = 0;
  for (size_t i = 0; i < confirm->records.count; i++)
    texts += !confirm->records.at[i].json &&
             strcmp(confirm->records.at[i].type, "robustness violation") == 0;
  if (texts)
    printf("%zu violation%s could not be tried: the runtime writes no records of its reports\n",
           texts, plural(texts));
  for (size_t i = 0; i < trials->violation_count; i++)
    if (trials->violation[i].places.dropped)
      print_line(stdout, "%u of the program points of %s were left out",
                 trials->violation[i].places.dropped, trials->violation[i].place);
  print_remarks(&confirm->records, NULL);
  print_remarks(&confirm->later, &confirm->records);
}

static void print_unfinished(const struct confirm *confirm) {
  struct trial next;
  struct trials trials = confirm->trials;
  bool left = trials_next(&trials, &next);
  trials.controls_only = true;
  left |= trials_next(&trials, &next);
  if (!left && !confirm->interrupted)
    return;
  print_line(stdout, "not finished (%s): rsan confirm --resume %s",
             confirm->interrupted ? "interrupted" : "--time is over",
             run_folder_named(confirm->plan.folder));
}

static void print_verdict(const struct trials *trials) {
  size_t failing = 0, silent = 0, never = 0;
  for (size_t i = 0; i < trials->violation_count; i++) {
    const struct violation *violation = &trials->violation[i];
    if (trials_best(trials, violation))
      failing++;
    else if (violation->runs)
      silent++;
    else
      never++;
  }
  if (!trials->violation_count) {
    printf("no violation in %u run%s: nothing to confirm\n", trials->control_count,
           plural(trials->control_count));
    return;
  }
  printf("%zu violation%s: %zu fail%s, %zu without a failure seen, %zu not tried\n",
         trials->violation_count, plural(trials->violation_count), failing, failing == 1 ? "s" : "",
         silent, never);
}

void confirm_print(const struct confirm *confirm, const struct collection *collection) {
  const struct records *records = &confirm->records;
  bool lacks = checked_print(records, "", confirm->plan.allow_empty, stdout);
  if (lacks && !checked_code(records))
    return;
  for (size_t i = 0; i < collection->count; i++)
    if (record_is_violation(collection->at[i].record)) {
      print_violation(collection->at[i].record);
      putchar('\n');
    }
  aim_print(confirm);
  print_own_failures(&confirm->trials);
  print_limits(confirm);
  print_unfinished(confirm);
  if (confirm->trials.violation_count || confirm->trials.without.count)
    print_line(stdout, "logs: %s", confirm->plan.folder);
  if (!lacks)
    print_verdict(&confirm->trials);
}
