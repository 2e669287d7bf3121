// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan report: from the reports of many runs to one result.

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "base/command.h"
#include "changed.h"
#include "classes.h"
#include "collection.h"
#include "complain.h"
#include "file/output.h"
#include "formats.h"
#include "output.h"
#include "reader.h"

static const char description[] =
    "Read the reports in FILE... (- is standard input), written by programs as text or with "
    "RSAN_OPTIONS=report_format=json, between whatever else the files hold; merge those that are "
    "the same, and write the result."
    "\v"
    "Without --format the reports are written as text, and more than 20 findings as a summary.\n"
    "\n"
    "Raw frames (of RSAN_OPTIONS=symbolize=0, or without a symbolizer) are symbolized here; the "
    "modules must be the very builds that ran.\n"
    "\n"
    "Exit status: 66 with --baseline, there are findings that it has not, or with --fail-on "
    "findings "
    "of those classes; else 0 all was read; 1 "
    "something could not be read or symbolized, and the rest was "
    "written; 2 wrong usage, an input that cannot be opened, an output that cannot be written, or "
    "no symbolizer.\n";

enum {
  OPTION_SYMBOLIZER = 256,
  OPTION_SUPPRESSIONS,
  OPTION_SOURCE_ROOT,
  OPTION_CHANGED,
  OPTION_BASELINE,
  OPTION_COLOR,
  OPTION_FAIL_ON
};

static const struct argp_option options[] = {
    {"format", 'f', REPORT_FORMATS, 0, NULL, 0},
    {"changed-since", OPTION_CHANGED, "REV", 0, "put findings in changed lines first", 0},
    {"color", OPTION_COLOR, "auto|always|never", 0, "print the summary with colors (auto)", 0},
    {"suppressions", OPTION_SUPPRESSIONS, NULL, 0, "write a suppression file for these reports", 0},
    {"baseline", OPTION_BASELINE, "FILE", 0, "fail for findings alone that are not in FILE", 0},
    {"fail-on", OPTION_FAIL_ON, "CLASSES", 0, "fail for defect, unknown or harmless findings", 0},
    {"output", 'o', "FILE", 0, "write to FILE, all of it or nothing", 0},
    {"sysroot", 'r', "DIR", 0, "find programs and libraries below DIR", 0},
    {"module-dir", 'm', "DIR", 0, "look into DIR for modules first; may be repeated", 0},
    {"strip-prefix", 'p', "PREFIX", 0, "leave out source paths up to PREFIX", 0},
    {"source-root", OPTION_SOURCE_ROOT, "DIR", 0, "show lines of sources below DIR only (.)", 0},
    {"symbolizer", OPTION_SYMBOLIZER, "PATH", 0,
     "run that llvm-symbolizer (llvm-symbolizer-" RSAN_LLVM_MAJOR ")", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  struct collection collection;
  struct baseline baseline;
  unsigned fail_on;     // classes.h; 0: was not asked for
  report_writer *write; // NULL: none was asked for
  const char *output;   // NULL: standard output
  char **files;
};

static void choose_format(struct argp_state *state, struct arguments *arguments, const char *name) {
  arguments->write = report_format_find(name);
  if (!arguments->write)
    arguments_error(state, "there is no format %s: " REPORT_FORMATS, name);
}

static void choose_colour(struct argp_state *state, struct arguments *arguments, const char *when) {
  const char *off = getenv("NO_COLOR");
  if (strcmp(when, "auto") == 0)
    arguments->collection.colour = isatty(STDOUT_FILENO) && !(off && *off);
  else if (strcmp(when, "always") == 0 || strcmp(when, "never") == 0)
    arguments->collection.colour = *when == 'a';
  else
    arguments_error(state, "--color: it is auto, always or never");
}

static void add_folder(struct modules *modules, const char *folder) {
  modules->folders =
      must_alloc(modules->folders, (modules->folder_count + 1) * sizeof *modules->folders);
  modules->folders[modules->folder_count++] = folder;
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
  struct arguments *arguments = state->input;
  switch (key) {
  case 'f':
    choose_format(state, arguments, value);
    return 0;
  case OPTION_BASELINE:
    if (arguments->collection.baseline)
      arguments_error(state, "--baseline: there is one FILE");
    if (!baseline_read(&arguments->baseline, value))
      exit(EXIT_USAGE);
    arguments->collection.baseline = &arguments->baseline;
    return 0;
  case OPTION_FAIL_ON:
    arguments->fail_on = classes_parse(value);
    if (!arguments->fail_on)
      arguments_error(state, "--fail-on %s: write " CLASS_NAMES ", with commas between", value);
    return 0;
  case OPTION_CHANGED:
    changes_free(arguments->collection.changes);
    if (!(arguments->collection.changes = changes_read(value)))
      exit(EXIT_USAGE);
    return 0;
  case OPTION_COLOR:
    choose_colour(state, arguments, value);
    return 0;
  case OPTION_SUPPRESSIONS:
    arguments->write = write_suppressions;
    return 0;
  case 'o':
    arguments->output = value;
    return 0;
  case 'r':
    arguments->collection.modules.sysroot = value;
    return 0;
  case 'm':
    add_folder(&arguments->collection.modules, value);
    return 0;
  case 'p':
    arguments->collection.strip_prefix = value;
    return 0;
  case OPTION_SOURCE_ROOT:
    arguments->collection.source_root = value;
    return 0;
  case OPTION_SYMBOLIZER:
    arguments->collection.symbolizer.path = value;
    return 0;
  case ARGP_KEY_INIT:
    choose_colour(state, arguments, "auto");
    return 0;
  case ARGP_KEY_ARGS:
    arguments->files = state->argv + state->next;
    return 0;
  case ARGP_KEY_NO_ARGS:
    arguments_error(state, "which FILE? (- is standard input)");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void write_file(const struct arguments *arguments) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out)
    arguments->write(&arguments->collection, out);
  if (!out || fclose(out) != 0 || !file_output(arguments->output, text, size))
    complain(STATUS_FAILED, "cannot write %s: %s", arguments->output, strerror(errno));
  free(text);
}

static bool has_failing(const struct arguments *arguments) {
  const struct collection *collection = &arguments->collection;
  size_t count = 0;
  for (size_t i = 0; i < collection->fresh; i++)
    count += !arguments->fail_on || class_is_in(collection->at[i].record, arguments->fail_on);
  return count && (collection->baseline || arguments->fail_on);
}

int command_report(int argc, char **argv) {
  static const struct argp argp = {options, parse_option, "FILE...", description, NULL, NULL, NULL};
  struct arguments arguments = {
      .collection = {.modules = {.sysroot = ""}, .strip_prefix = "", .source_root = "."}};
  if (arguments_parse(&argp, argc, argv, 0, &arguments) != 0)
    return EXIT_USAGE;
  if (!arguments.write)
    arguments.write = arguments.output ? write_text : write_default;
  signal(SIGPIPE, SIG_IGN); // of the symbolizer that has ended, and of standard output
  bool any = false;
  for (char **file = arguments.files; *file; file++)
    any |= read_reports(&arguments.collection, *file);
  collection_finish(&arguments.collection);
  // Where nothing was opened, a result without a report would be taken for a clean one.
  if (!any)
    return complaint_status();
  if (arguments.output)
    write_file(&arguments);
  else
    arguments.write(&arguments.collection, stdout);
  const bool fails = has_failing(&arguments);
  collection_clear(&arguments.collection);
  baseline_clear(&arguments.baseline);
  return complaint_status() == STATUS_FAILED || !fails ? (int)complaint_status() : EXIT_REPORTS;
}
