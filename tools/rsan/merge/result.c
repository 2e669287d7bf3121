// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "result.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/options.h"
#include "base/plural.h"
#include "complain.h"
#include "merge.h"
#include "printable.h"
#include "report/reader.h"
#include "report/record.h"
#include "run/checked.h"
#include "run/folder.h"
#include "run/summary.h"
#include "unit/manifest.h"
#include "units.h"

enum { EXIT_REFUSED = 1 };

void request_add_folder(struct merge_request *request, const char *folder) {
  size_t size = (request->folder_count + 1) * sizeof *request->folders;
  request->folders = must_alloc(request->folders, size);
  request->folders[request->folder_count++] = folder;
}

// -- which archives --

struct taking {
  const struct merge_request *request;
  struct merge *merge;
  struct units units;
  unsigned doubled, refused, missing;
  const struct listed_unit *last; // the one that was taken last
};

static void refuse(struct taking *taking, const struct listed_unit *unit, const char *reason) {
  print_line(stderr, "%s: %s is refused: %s", taking->request->name, unit->path, reason);
  taking->refused++;
}

// Runs between the last unit and this one that no archive has.
static void note_gap(struct taking *taking, const struct listed_unit *unit) {
  unsigned next = taking->last ? taking->last->last + 1 : unit->first;
  if (unit->first == next)
    return;
  print_line(stderr, "%s: no archive has the runs %u to %u", taking->request->name, next,
             unit->first - 1);
  taking->missing += unit->first - next;
}

static void take_unit(struct taking *taking, const struct listed_unit *unit, const cJSON *wanted,
                      size_t build) {
  char reason[3 * PATH_MAX];
  const struct listed_unit *last = taking->last;
  if (unit->build != build) {
    if (manifest_agrees(wanted, taking->units.builds[unit->build], reason, sizeof reason))
      snprintf(reason, sizeof reason, "it is not of the build of the others");
    refuse(taking, unit, reason);
  } else if (last && last->first == unit->first && last->last == unit->last) {
    taking->doubled++;
  } else if (last && unit->first <= last->last) {
    snprintf(reason, sizeof reason, "it has runs %u to %u, and %s has some of them already",
             unit->first, unit->last, last->path);
    refuse(taking, unit, reason);
  } else if (!merge_add(taking->merge, unit->path, reason, sizeof reason)) {
    refuse(taking, unit, reason);
  } else {
    note_gap(taking, unit);
    taking->last = unit;
  }
}

static void set_plan(struct merge *merge, const cJSON *build) {
  static const char *const off = "off";
  const char *schedule = record_text(build, "schedule");
  merge->plan.schedule = schedule && strcmp(schedule, off) != 0 ? schedule : NULL;
  merge->plan.weak = record_true(build, "weak");
}

static void say_taken(const struct taking *taking) {
  const struct merge *merge = taking->merge;
  fprintf(stderr, "%s: %u unit%s of %u run%s", taking->request->name, merge->units,
          plural(merge->units), merge->runs.made, plural(merge->runs.made));
  if (taking->doubled)
    fprintf(stderr, "; %u archive%s left out, whose runs others have", taking->doubled,
            plural(taking->doubled));
  if (taking->missing)
    fprintf(stderr, "; %u run%s missing", taking->missing, plural(taking->missing));
  if (taking->refused)
    fprintf(stderr, "; %u archive%s refused", taking->refused, plural(taking->refused));
  fputc('\n', stderr);
}

// -- what is printed --

static void print_format(const struct merge_request *request, const struct merge *merge) {
  char path[PATH_MAX + 16];
  struct collection collection = {
      .modules = {.sysroot = ""}, .strip_prefix = "", .source_root = "."};
  snprintf(path, sizeof path, "%s/reports.jsonl", merge->plan.folder);
  if (access(path, F_OK) == 0)
    read_reports(&collection, path);
  collection_finish(&collection);
  request->format(&collection, stdout);
  collection_clear(&collection);
}

static bool print(const struct merge_request *request, struct merge *merge) {
  bool worth = merge->runs.kept || merge->runs.records.count;
  if (worth)
    run_folder_keep();
  bool written = summary_write(&merge->plan, &merge->runs, request->output);
  if (request->format) {
    print_format(request, merge);
    if (worth && !request->output)
      print_line(stderr, "logs: %s", merge->plan.folder);
    checked_print(&merge->runs.records, request->name, request->allow_empty, stderr);
  } else {
    summary_print_reports(&merge->plan, &merge->runs);
    summary_print(&merge->plan, &merge->runs);
  }
  return written;
}

static int status_of(const struct taking *taking, bool written) {
  const struct runs *runs = &taking->merge->runs;
  if (!taking->merge->units)
    return EXIT_USAGE;
  int status = runs_status(&taking->merge->plan, runs);
  if (status != 66 && (taking->refused || complaint_status() != STATUS_DONE))
    status = EXIT_REFUSED;
  return written || status ? status : EXIT_USAGE;
}

static void open_history(struct merge *merge) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/runs.jsonl", merge->plan.folder);
  merge->plan.history = fopen(path, "we");
}

static bool close_history(const struct merge *merge) {
  bool fine = merge->plan.history && !ferror(merge->plan.history);
  if (merge->plan.history)
    fine &= fclose(merge->plan.history) == 0;
  if (!fine)
    print_line(stderr, "%s: cannot write %s/runs.jsonl: %s", program_invocation_short_name,
               merge->plan.folder, strerror(errno));
  return fine;
}

static int merge_into(struct taking *taking, const char *folder) {
  size_t build = 0;
  const struct merge_request *request = taking->request;
  struct merge *merge = taking->merge;
  const cJSON *wanted = units_build(&taking->units, &build);
  bool written = true;
  merge->plan.folder = folder;
  merge->plan.allow_empty = request->allow_empty;
  merge->plan.verbose = request->verbose;
  set_plan(merge, wanted);
  if (request->output)
    open_history(merge);
  for (size_t i = 0; i < taking->units.count; i++)
    take_unit(taking, &taking->units.at[i], wanted, build);
  merge_finish(merge);
  if (request->output)
    written = close_history(merge);
  say_taken(taking);
  if (merge->units)
    written &= print(request, merge);
  return status_of(taking, written);
}

int merge_archives(const struct merge_request *request) {
  char *prefix = options_value("strip_path_prefix"); // as the runtime has it
  struct merge merge = {.most_unpacked = request->most_unpacked,
                        .plan = {.keep = request->keep},
                        .symbols = {.modules = {.sysroot = ""},
                                    .strip_prefix = prefix ? prefix : "",
                                    .symbolizer = {.path = request->symbolizer}}};
  struct taking taking = {.request = request, .merge = &merge};
  const char *folder =
      request->made ? request->made : run_folder_make(request->name, request->output);
  if (!folder) {
    free(prefix);
    return EXIT_USAGE;
  }
  for (size_t i = 0; i < request->folder_count; i++) {
    struct modules *modules = &merge.symbols.modules;
    modules->folders =
        must_alloc(modules->folders, (modules->folder_count + 1) * sizeof *modules->folders);
    modules->folders[modules->folder_count++] = request->folders[i];
  }
  units_list(&taking.units, request->archives, request->name);
  taking.refused = taking.units.refused;
  int status = merge_into(&taking, folder);
  units_free(&taking.units);
  merge_free(&merge);
  free(prefix);
  return status;
}
