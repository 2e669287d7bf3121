// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan merge ARCHIVE...: one result of what many units have made. Exit status: as of rsan run, and
// 1 if an archive was refused; 2 wrong usage, or nothing that could be merged.

#include <argp.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "base/command.h"
#include "base/quantity.h"
#include "result.h"
#include "run/checked.h"

static const char description[] =
    "Read archives of `rsan unit', in any order, and print what `rsan run' prints of all their "
    "runs: each report once, and in how many runs it was seen. Each run counts once: an archive of "
    "runs that another one has is left out."
    "\v"
    "An archive that is cut off or damaged, of another build of the program, or made with other "
    "options than most, is refused and named; the others are merged.\n"
    "\n"
    "Without --format the reports are printed as `rsan run' prints them. Raw frames (of "
    "RSAN_OPTIONS=symbolize=0) are symbolized here, by build id.\n"
    "\n"
    "Exit status: 66 there are reports; else 1 if an archive was refused, or frames could not be "
    "symbolized; else as of `rsan run': the status of the first failed run, or 3 if nothing "
    "was checked, or no atomic access was seen (--allow-empty: 0), or 0; 2 wrong usage, or no "
    "archive that can be merged.\n";

enum { KEY_KEEP = 256, KEY_SYMBOLIZER, KEY_MAX_UNPACKED };
enum { MOST_UNPACKED = 1024, LIMIT_UNPACKED = 1 << 24 }; // MB

static const struct argp_option options[] = {
    {"output", 'o', "DIR", 0, "keep reports and folders of runs in DIR", 0},
    {"format", 'f', REPORT_FORMATS, 0, NULL, 0},
    {"verbose", 'v', NULL, 0, "print all reports, also more than 20", 0},
    {"keep", KEY_KEEP, NULL, 0, "keep the folders of all runs", 0},
    ALLOW_EMPTY_OPTION,
    {"module-dir", 'm', "DIR", 0, "look into DIR for modules first; may be repeated", 0},
    {"max-unpacked", KEY_MAX_UNPACKED, "MB", 0, "refuse an archive with more bytes (1024)", 0},
    {"symbolizer", KEY_SYMBOLIZER, "PATH", 0,
     "run that llvm-symbolizer (llvm-symbolizer-" RSAN_LLVM_MAJOR ")", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct merge_request *request = state->input;
  if (checked_take_option(key, &request->allow_empty))
    return 0;
  switch (key) {
  case 'o':
    request->output = text;
    return 0;
  case 'f':
    request->format = report_format_find(text);
    if (!request->format)
      arguments_error(state, "there is no format %s: " REPORT_FORMATS, text);
    if (strcmp(text, "text") == 0) {
      request->format = NULL; // what `rsan run' prints
      request->verbose = true;
    }
    return 0;
  case 'v':
    request->verbose = true;
    return 0;
  case KEY_KEEP:
    request->keep = true;
    return 0;
  case 'm':
    request_add_folder(request, text);
    return 0;
  case KEY_MAX_UNPACKED:
    request->most_unpacked = (uint64_t)quantity_count(state, "--max-unpacked", text, LIMIT_UNPACKED)
                             << 20;
    return 0;
  case KEY_SYMBOLIZER:
    request->symbolizer = text;
    return 0;
  case ARGP_KEY_ARGS:
    request->archives = state->argv + state->next;
    return 0;
  case ARGP_KEY_NO_ARGS:
    arguments_error(state, "which ARCHIVE?");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int command_merge(int argc, char **argv) {
  static const struct argp argp = {options, parse_option, "ARCHIVE...", description,
                                   NULL,    NULL,         NULL};
  struct merge_request request = {.name = argv[0], .most_unpacked = (uint64_t)MOST_UNPACKED << 20};
  if (arguments_parse(&argp, argc, argv, 0, &request) != 0)
    return EXIT_USAGE;
  signal(SIGPIPE, SIG_IGN); // of a symbolizer that has ended, and of standard output
  int status = merge_archives(&request);
  free(request.folders);
  return status;
}
