// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "summary.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/plural.h"
#include "checked.h"
#include "end.h"
#include "file/output.h"
#include "folder.h"
#include "printable.h"
#include "report/baseline.h"
#include "report/output.h"
#include "report/record.h"
#include "report/tests.h"
#include "report/utf8.h"
#include "trust/head.h"

#define VIOLATION "robustness violation"

static const char *merged(const struct run_plan *plan, bool json) {
  static char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/reports.%s", plan->folder, json ? "jsonl" : "txt");
  return path;
}

static size_t count_form(const struct runs *runs, bool json) {
  size_t count = 0;
  for (size_t i = 0; i < runs->records.count; i++)
    count += runs->records.at[i].json == json;
  return count;
}

static size_t count_fresh(const struct runs *runs, bool json) {
  size_t count = 0;
  for (size_t i = 0; i < runs->records.count; i++)
    count += runs->records.at[i].json == json && !runs->records.at[i].known;
  return count;
}

static bool write_form(const struct run_plan *plan, const struct runs *runs, bool json,
                       bool always) {
  char *text = NULL;
  size_t size = 0;
  if (!count_form(runs, json) && !always)
    return true;
  FILE *file = open_memstream(&text, &size);
  bool written = file;
  for (size_t i = 0; file && i < runs->records.count; i++)
    if (runs->records.at[i].json == json)
      written &= record_write(&runs->records.at[i], file);
  if (file)
    written &= fclose(file) == 0;
  written = written && file_output(merged(plan, json), text, size);
  if (!written)
    print_line(stderr, "%s: cannot write %s: %s", program_invocation_short_name, merged(plan, json),
               strerror(errno));
  free(text);
  return written;
}

bool summary_write(const struct run_plan *plan, const struct runs *runs, bool always) {
  bool written = write_form(plan, runs, true, always && checked_code(&runs->records));
  return write_form(plan, runs, false, false) && written;
}

// A file that is gone when it is closed, with the records that are not known, to be read from.
static FILE *fresh_records(const struct runs *runs) {
  FILE *file = tmpfile();
  for (size_t i = 0; file && i < runs->records.count; i++)
    if (runs->records.at[i].json && !runs->records.at[i].known)
      record_write(&runs->records.at[i], file);
  if (file && (fflush(file) != 0 || fseek(file, 0, SEEK_SET) != 0)) {
    fclose(file);
    return NULL;
  }
  return file;
}

// `rsan report' of this very program.
static void print_json(const struct run_plan *plan, const struct runs *runs) {
  FILE *records = fresh_records(runs);
  fflush(NULL);
  pid_t child = records ? fork() : -1;
  if (child == 0) {
    const char *words[7] = {"rsan", "report", "-"};
    int count = 3;
    if (plan->verbose)
      words[count++] = "--format=text";
    if (plan->changed_since) {
      words[count++] = "--changed-since";
      words[count++] = plan->changed_since;
    }
    if (dup2(fileno(records), STDIN_FILENO) == STDIN_FILENO)
      execv("/proc/self/exe", (char *const *)words); // which leaves the strings as they are
    perror("rsan run: rsan report");
    _exit(127);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    print_line(stderr, "%s: rsan report could not print %s", program_invocation_short_name,
               merged(plan, true));
  if (records)
    fclose(records);
}

void summary_print_reports(const struct run_plan *plan, const struct runs *runs) {
  for (size_t i = 0; i < runs->records.count; i++)
    if (!runs->records.at[i].json && !runs->records.at[i].known) {
      puts("==================");
      const char *text = runs->records.at[i].text;
      char *clean = utf8_clean(text, strlen(text)); // without colours
      put_printable_lines(clean, stdout);
      free(clean);
      puts("\n==================");
    }
  if (count_fresh(runs, true))
    print_json(plan, runs);
}

// "seeds 3, 8, 12 and 28 more"
static void print_seeds(const struct run_plan *plan, const struct record *record) {
  unsigned listed = record->runs < RECORD_SEEDS ? record->runs : RECORD_SEEDS;
  printf("  seed%s ", plural(record->runs));
  for (unsigned i = 0; i < listed; i++)
    printf("%s%u", i ? ", " : "", record->seeds[i]);
  if (record->runs > listed)
    printf(" and %u more", record->runs - listed);
  if (record->schedule && record->json) {
    char *line = replay_line(merged(plan, true), record->token);
    print_line(stdout, "; to repeat it: %s", line);
    free(line);
  } else {
    putchar('\n');
  }
}

// "  test Queue.Pop: seeds 3, 8 and 28 more: RSAN_OPTIONS=... ./queue_test ..."
static void print_test(const cJSON *alone) {
  const cJSON *seed, *seeds = record_list(alone, "seeds");
  int listed = cJSON_GetArraySize(seeds), runs = (int)record_number(alone, "runs");
  char *line = tests_line(alone);
  printf("  test ");
  put_printable(record_text(alone, "test"), stdout);
  printf(", seed%s ", plural(runs));
  cJSON_ArrayForEach(seed, seeds)
      printf("%s%.0f", seed == seeds->child ? "" : ", ", seed->valuedouble);
  if (runs > listed)
    printf(" and %d more", runs - listed);
  print_line(stdout, ": %s", line ? line : "no command that runs it alone is known");
  free(line);
}

static void print_tests(const struct record *record) {
  const cJSON *alone;
  cJSON_ArrayForEach(alone, record_list(record->tests, "alone")) print_test(alone);
}

static void print_list(const struct run_plan *plan, const struct runs *runs, unsigned made) {
  const struct records *records = &runs->records;
  for (size_t i = 0; i < records->count; i++) {
    const struct record *record = &records->at[i];
    print_line(stdout, "%sin %u of %u run%s, first in run %u: %s%s%s",
               record->known ? "known, " : "", record->runs, made, plural(made), record->first_run,
               record->type, *record->place ? " " : "", record->place);
    if (plan->schedule)
      print_seeds(plan, record);
    if (plan->per_test)
      print_tests(record);
  }
}

static void print_gone(const struct records *records, unsigned made) {
  char where[40];
  snprintf(where, sizeof where, "in %u run%s", made, plural(made));
  if (records->baseline)
    baseline_write_gone(records->baseline, where, stdout);
}

static void print_tally(const struct runs *runs) {
  static const char *const names[] = {"clean", "with reports", "failed", "hung", "ended early"};
  const char *separator = "";
  for (int end = 0; end < RUN_ENDS; end++) {
    if (!runs->count[end])
      continue;
    printf("%s%u %s", separator, runs->count[end], names[end]);
    separator = ", ";
  }
  if (runs->cores)
    printf(", %u core%s kept", runs->cores, plural(runs->cores));
  putchar('\n');
}

// "no violation in 7 runs, 2 data races"; never more than was seen.
static void print_verdict(const struct runs *runs) {
  const struct records *records = &runs->records;
  size_t violations = records_of_type(records, VIOLATION);
  unsigned whole = runs_ended(runs),
           made = whole + runs->count[RUN_HUNG] + runs->count[RUN_STOPPED];
  if (violations)
    printf("%zu %s%s in %u run%s", violations, VIOLATION, plural(violations), made, plural(made));
  else
    printf("no %sviolation in %u run%s", records_known(records) ? "new " : "", whole,
           plural(whole));
  for (size_t i = 0; i < records->count; i++) {
    const char *type = records->at[i].type;
    bool first = !records->at[i].known && strcmp(type, VIOLATION) != 0 &&
                 !end_is_type(type); // (those are counted as runs)
    for (size_t j = 0; j < i; j++)
      first &= records->at[j].known || strcmp(type, records->at[j].type) != 0;
    size_t count = records_of_type(records, type);
    if (!first)
      continue;
    printf(", %zu ", count);
    put_printable(*type ? type : "other report", stdout);
    fputs(plural(count), stdout);
  }
  if (records->baseline)
    printf(", %zu known", records_known(records));
  putchar('\n');
}

void summary_print(const struct run_plan *plan, const struct runs *runs) {
  const struct records *records = &runs->records;
  unsigned made = runs_ended(runs) + runs->count[RUN_HUNG] + runs->count[RUN_STOPPED];
  if (plan->verbose || count_fresh(runs, true) <= REPORTS_IN_FULL)
    print_list(plan, runs, made);
  else
    puts("--verbose prints the runs that showed each of them, too");
  print_gone(records, made);
  for (size_t i = 0; i < records->remark_count; i++)
    print_line(stdout, "a log says: %s", records->remarks[i]);
  if (records->dropped_remarks)
    printf("and %lu more such lines in the logs\n", records->dropped_remarks);
  unmatched_print(&records->unmatched, stdout);
  if (plan->per_test && records->runtime_seen && !records->tests)
    puts("--per-test: no process has named a test, so the seeds are those of whole runs; "
         "TEST-NAMES.md says how tests are named");
  if (made != runs->count[RUN_CLEAN])
    print_tally(runs);
  if (plan->weak)
    printf("stale values were given in %u of %u run%s\n", runs->departed, made, plural(made));
  if (runs->interrupted)
    puts("interrupted");
  if (runs->kept || records->count)
    print_line(stdout, "logs: %s", run_folder_named(plan->folder));
  if (!checked_print(records, "", plan->allow_empty, stdout))
    print_verdict(runs);
}
