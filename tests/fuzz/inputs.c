// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets for what programs have printed, and the table of all targets. Each reader is followed by
// what a command makes of its result, because a wrong number is noticed only where it is used.

#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "check/ends.h"
#include "check/verdict.h"
#include "debug-lines/line-table.h"
#include "fix/problem.h"
#include "report-symbolizer/report.h"
#include "report/collection.h"
#include "report/formats.h"
#include "report/output.h"
#include "report/reader.h"
#include "run/departures.h"
#include "run/records.h"
#include "symbolizer.h"
#include "unit/progress.h"

static const struct input_target targets[] = {
    {"records", "reports.jsonl", false, input_reports},
    {"text", "reports.txt", false, input_reports},
    {"symbolize", NULL, false, input_symbolize},
    {"symbolizer", NULL, false, input_symbolizer},
    {"line-table", NULL, false, input_line_table},
    {"log", "report.1", false, input_log},
    {"progress", "execution", false, input_progress},
    {"departures", "weak.1", false, input_departures},
    {"options", NULL, false, input_options},
    {"schedule", "schedule.1", false, input_schedule},
    {"archive", "1-2.tgz", false, input_archive},
    {"manifest", NULL, false, input_manifest},
    {"check", "check.json", true, input_check},
    {"confirm", "confirm.json", true, input_confirm},
    {"campaign", "campaign.json", true, input_campaign},
    {"journal", "runs.jsonl", false, input_journal},
    {"runs", NULL, false, input_runs},
    {"tries", "tries.jsonl", false, input_tries},
    {"confirmed", "confirmed.jsonl", false, input_confirmed},
    {"rules", "rules", false, input_rules},
    {"trace", "trace.jsonl", false, input_trace},
    {"trusted", "rsan/trusted", false, input_trusted},
    {"elf", "program", false, input_elf},
};

enum { TARGETS = sizeof targets / sizeof *targets };

const struct input_target *input_target_find(const char *name) {
  for (size_t i = 0; i < TARGETS; i++)
    if (strcmp(targets[i].name, name) == 0)
      return &targets[i];
  return NULL;
}

void input_target_list(FILE *out) {
  for (size_t i = 0; i < TARGETS; i++)
    fprintf(out, "%s\n", targets[i].name);
}

// No other program is started.
static const struct symbolizer no_symbolizer = {.started = true, .broken = true};

static FILE *sink(void) {
  static FILE *out;
  if (!out && !(out = fopen("/dev/null", "w")))
    abort();
  return out;
}

void input_reports(const struct input *input) {
  char formats[] = REPORT_FORMATS, *rest = formats, *format;
  struct collection collection = {.modules = {.sysroot = ""},
                                  .symbolizer = no_symbolizer,
                                  .strip_prefix = "",
                                  .source_root = input->folder};
  read_reports(&collection, input->path);
  collection_finish(&collection);
  while ((format = strsep(&rest, "|")))
    report_format_find(format)(&collection, sink());
  write_suppressions(&collection, sink());
  collection_clear(&collection);
}

void input_symbolize(const struct input *input) {
  struct rewriter rewriter = {.sources = {.modules = {.sysroot = ""},
                                          .symbolizer = no_symbolizer,
                                          .strip_path_prefix = ""}};
  for (const char *at = input->text, *end = at + input->size; at < end;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop ? stop + 1 : end) - at);
    rewriter_line(&rewriter, at, length);
    at += length;
  }
  rewriter_flush(&rewriter);
  rewriter_end(&rewriter);
}

void input_symbolizer(const struct input *input) {
  struct symbolizer symbolizer = {.started = true};
  struct source_frames frames;
  struct source_data data;
  if (!input->size)
    return;
  symbolizer.to = fopen("/dev/null", "w");
  symbolizer.from = fmemopen(input->text, input->size, "r");
  if (!symbolizer.to || !symbolizer.from)
    abort();
  for (unsigned i = 0; !symbolizer.broken && !feof(symbolizer.from) && i < 1000; i++)
    if (i % 3 < 2 && symbolizer_code(&symbolizer, "/p/program", i, &frames))
      source_frames_clear(&frames);
    else if (i % 3 == 2 && symbolizer_data(&symbolizer, "/p/program", i, &data))
      free(data.name);
  symbolizer_end(&symbolizer);
}

static void visit_nothing(const struct line_file *file, void *context) {
  (void)context;
  if (file->name && file->path && strlen(file->path) < strlen(file->name))
    abort(); // a path ends in the name
}

void input_line_table(const struct input *input) {
  FILE *dump = input->size ? fmemopen(input->text, input->size, "r") : NULL;
  if (!dump)
    return;
  line_table_parse(dump, visit_nothing, NULL);
  fclose(dump);
}

// A run's log, and what `rsan run' and `rsan fix' make of it.
void input_log(const struct input *input) {
  static struct fix_problem problem;
  static bool chosen[FIX_MAX_RULES];
  struct records records = {0};
  struct records_seen seen;
  records_read(&records, input->path, 1, &seen);
  records_read(&records, input->path, 2, &seen);
  for (size_t i = 0; i < records.count; i++)
    record_write(&records.at[i], sink());
  unmatched_print(&records.unmatched, sink());
  memset(&problem, 0, sizeof problem);
  memset(chosen, 0, sizeof chosen);
  fix_add_records(&problem, &records, chosen);
  fix_cover(&problem, chosen);
  fix_free(&problem);
  records_free(&records);
}

void input_progress(const struct input *input) {
  struct progress progress = {.file = fopen(input->path, "r+")};
  struct records records = {0};
  const struct check_bounds bounds = {.preemptions = -1, .loop = 25};
  if (!progress.file)
    abort();
  progress_read(&progress);
  progress_settle(&progress);
  ends_add(&progress, "program", input->folder, &records);
  verdict_print_findings(&progress, &records, "program", input->folder);
  verdict_print(&progress, &bounds, input->folder);
  records_free(&records);
  progress_free(&progress);
}

void input_departures(const struct input *input) {
  struct departures departures = {0};
  departures_read_file(&departures, input->path);
  departures_ceased(&departures, 1);
  departures_free(&departures);
}

void input_options(const struct input *input) {
  static const char *const names[] = {"strip_path_prefix", "handle_abort", "a", ""};
  if (strlen(input->text) != input->size)
    return;
  setenv("TSAN_OPTIONS", input->text, 1);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    free(options_value(names[i]));
  options_failures();
  free(options_with("TSAN_OPTIONS", "a=b"));
  free(options_replay("a=b:", input->text));
  unsetenv("TSAN_OPTIONS");
}
