// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "merge.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content.h"
#include "file/temporary.h"
#include "past.h"
#include "report/record.h"
#include "reports.h"
#include "run/files.h"
#include "run/shown.h"
#include "unit/manifest.h"

// -- folders of runs, which are in a folder of their own until the archive is read --

static const char *stage_of(const struct merge *merge) {
  static char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/.unit", merge->plan.folder);
  return path;
}

static void note_folder(struct merge *merge, unsigned number) {
  size_t size = (merge->folder_count + 1) * sizeof *merge->folders;
  merge->folders = realloc(merge->folders, size);
  if (!merge->folders)
    abort();
  merge->folders[merge->folder_count++] = number;
}

// Keeps the run's folder. A run with reports loses it unless a merged report names that run.
static void keep_folder(struct merge *merge, const struct past_run *run) {
  char from[PATH_MAX], to[PATH_MAX];
  struct run_plan stage = {.folder = stage_of(merge)};
  bool reporting = run->end == RUN_REPORTING && !run->core;
  if (reporting && !merge->plan.keep &&
      !run_is_shown(&merge->plan, &merge->runs.records, run->number))
    return;
  snprintf(from, sizeof from, "%s", run_folder(&stage, run->number));
  snprintf(to, sizeof to, "%s", run_folder(&merge->plan, run->number));
  if (rename(from, to) != 0)
    return; // a clean run's
  merge->runs.kept++;
  if (reporting && !merge->plan.keep)
    note_folder(merge, run->number);
}

void merge_finish(struct merge *merge) {
  for (size_t i = 0; i < merge->folder_count; i++)
    if (!run_is_shown(&merge->plan, &merge->runs.records, merge->folders[i])) {
      run_folder_remove(&merge->plan, merge->folders[i]);
      merge->runs.kept--;
    }
  merge->folder_count = 0;
}

// -- runs --

static void count_run(struct merge *merge, const struct past_line *line,
                      const struct unit_reports *reports) {
  struct runs *runs = &merge->runs;
  const struct past_run *run = &line->run;
  const cJSON *token;
  bool fresh = false, bad = run->end == RUN_FAILED || run->end == RUN_HUNG;
  runs->made++;
  runs->count[run->end]++;
  runs->departed += run->departed;
  runs->cores += run->core;
  if (bad && !runs->first_failed) {
    runs->first_failed = run->number;
    runs->failure = run->status;
  }
  cJSON_ArrayForEach(token, record_list(line->tree, "tokens")) {
    const struct unit_report *report = unit_reports_find(reports, token->valuestring);
    struct record *record = &runs->records.at[report->merged];
    fresh |= record->runs == 0;
    record_note_run(record, run->number);
  }
  if (fresh || bad)
    runs->without_news = 0;
  else if (run->end != RUN_STOPPED)
    runs->without_news++;
  if (merge->plan.history)
    history_write(merge->plan.history, run, &runs->records);
}

// Does each run name reports that are there, and each report a run?
static bool check_tokens(const struct past *past, const struct unit_reports *reports, char *reason,
                         size_t size) {
  const cJSON *token;
  for (size_t i = 0; i < past->count; i++)
    cJSON_ArrayForEach(token, record_list(past->at[i].tree, "tokens")) {
      if (unit_reports_find(reports, token->valuestring))
        continue;
      snprintf(reason, size, "run %u had the report %.40s, which the archive does not have",
               past->at[i].run.number, token->valuestring);
      return false;
    }
  return true;
}

static void take(struct merge *merge, const struct manifest *manifest, const struct past *past,
                 struct unit_reports *reports) {
  const char *folder = record_text(manifest->json, "folder");
  unit_reports_add(reports, merge, folder ? folder : "");
  manifest_add_remarks(manifest->json, &merge->runs.records);
  for (size_t i = 0; i < past->count; i++) {
    count_run(merge, &past->at[i], reports);
    keep_folder(merge, &past->at[i].run);
  }
  merge->units++;
}

// Refuses tries: only `rsan confirm' can judge them.
static bool has_seeds(const struct manifest *manifest, char *reason, size_t size) {
  bool tries = record_text(manifest->json, "tries");
  if (tries)
    snprintf(reason, size, "its runs are tries of rsan confirm");
  return !tries;
}

bool merge_add(struct merge *merge, const char *path, char *reason, size_t size) {
  const char *stage = stage_of(merge);
  struct content content;
  struct manifest manifest = {0};
  struct past past = {0};
  struct unit_reports reports = {0};
  if (mkdir(stage, 0777) != 0) {
    snprintf(reason, size, "%s: %s", stage, strerror(errno));
    return false;
  }
  bool read = content_read(path, stage, merge->most_unpacked, &content, reason, size) &&
              manifest_read(&manifest, content.manifest, reason, size) &&
              has_seeds(&manifest, reason, size) &&
              past_read(&past, content.runs, manifest.first, manifest.last, reason, size) &&
              unit_reports_read(&reports, merge, &content, reason, size) &&
              check_tokens(&past, &reports, reason, size);
  if (read)
    take(merge, &manifest, &past, &reports);
  unit_reports_free(&reports);
  past_free(&past);
  manifest_free(&manifest);
  content_free(&content);
  file_remove_tree(stage_of(merge));
  return read;
}

void merge_free(struct merge *merge) {
  records_free(&merge->runs.records);
  collection_clear(&merge->symbols);
  free(merge->keys);
  free(merge->folders);
}
