// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan confirm [OPTION...] -- COMMAND...: what stale values do to a program. Exit status: 66 a
// failure was confirmed; 0 none was; 130 interrupted; 3 nothing was checked; 127 or 126 if COMMAND
// cannot be started; 2 wrong usage.

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aim.h"
#include "arguments.h"
#include "base/command.h"
#include "base/options.h"
#include "base/quantity.h"
#include "complain.h"
#include "confirm.h"
#include "file/output.h"
#include "machines/campaign.h"
#include "printable.h"
#include "report/formats.h"
#include "report/output.h"
#include "run/asked.h"
#include "run/checked.h"
#include "run/folder.h"
#include "run/guard.h"

enum {
  EXIT_CONFIRMED = 66,
  EXIT_INTERRUPTED = 130,
  DEFAULT_RUNS = 40,
  DEFAULT_CONTROLS = 20,
  MAX_JOBS = 1024
};

static const char description[] =
    "Run COMMAND, built with rsan-clang, give its atomic accesses the stale values that the "
    "robustness violations are about, and watch what that does to the program: a use of freed "
    "memory, a crash, an assertion, an exit status, a hang, a data race."
    "\v"
    "Runs without stale values come first: they show the violations and how the program fails by "
    "itself. A failure is confirmed if two runs with stale values have it and no run without them "
    "has, not even with the same seed. `No failure seen' does not mean that there is none. TIME is "
    "a number of seconds, or has one of the units s, m and h.\n"
    "\n"
    "Exit status: 66 a failure was confirmed; 0 none was; 130 interrupted before one was; 3 "
    "nothing was checked, or no atomic access was seen (--allow-empty: 0); 127 or 126 COMMAND "
    "cannot be started; 2 wrong usage. With --on: 75 incomplete, no host made some of the runs.\n";

enum { KEY_CONTROLS = 256, KEY_TIMEOUT, KEY_SEED, KEY_LOGS, KEY_ONLY };

static const struct argp_option options[] = {
    {"runs", 'n', "N", 0, "make N runs with departures for each (40)", 0},
    {"controls", KEY_CONTROLS, "N", 0, "make N runs without departures first (20)", 0},
    {"only", KEY_ONLY, "WHAT", 0, "try only a token, group, file or function", 0},
    {"seed", KEY_SEED, "N", 0, "begin with seed N (1)", 0},
    {"time", 't', "TIME", 0, "start no run after TIME", 0},
    {"timeout", KEY_TIMEOUT, "TIME", 0, "end a run that takes longer (10 longest runs)", 0},
    {"jobs", 'j', "N", 0, "make N runs at a time (1)", 0},
    {"output", 'o', "DIR", 0, "keep logs, schedules and reports in DIR", 0},
    ALLOW_EMPTY_OPTION,
    MACHINES_OPTIONS,
    {"logs", KEY_LOGS, "DIR", OPTION_HIDDEN, NULL, 0},
    RESUME_OPTIONS,
    {"format", 'f', REPORT_FORMATS, 0, NULL, 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  struct confirm confirm;
  struct resumed resume;
  const char *output;
  const char *asked; // the last option that is not for --resume, NULL for none
  struct machines_asked machines;
  bool jobs;             // --jobs was given
  char *incomplete;      // the message about runs that no host made; owned
  report_writer *format; // NULL: a summary
};

static void check_arguments(const struct argp_state *state, struct arguments *arguments) {
  struct trials *trials = &arguments->confirm.trials;
  bool command = arguments->confirm.plan.command;
  const char *asked =
      arguments->asked ? arguments->asked : machines_asked_new(&arguments->machines);
  if (arguments->resume.folder && (asked || command))
    arguments_error(state, "drop %s: --resume uses the original settings",
                    asked ? asked : "COMMAND");
  machines_asked_check(state, &arguments->machines, arguments->machines.on, arguments->jobs);
  if (!arguments->resume.folder && !command)
    arguments_error(state, "which COMMAND?");
  if (arguments->resume.folder)
    return;
  trials->runs = trials->runs ? trials->runs : DEFAULT_RUNS;
  trials->controls = trials->controls ? trials->controls : DEFAULT_CONTROLS;
  trials->first_seed = trials->first_seed ? trials->first_seed : 1;
}

static report_writer *parse_format(struct argp_state *state, const char *name) {
  report_writer *format = report_format_find(name);
  if (!format)
    arguments_error(state, "there is no format %s: " REPORT_FORMATS, name);
  return strcmp(name, "text") == 0 ? NULL : format;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  struct confirm *confirm = &arguments->confirm;
  if (machines_asked_take(state, key, text, &arguments->machines) ||
      checked_take_option(key, &confirm->plan.allow_empty) ||
      run_resume_take_option(key, text, &arguments->resume))
    return 0;
  switch (key) {
  case 'n':
    confirm->trials.runs = quantity_count(state, "--runs", text, TRIALS_MOST);
    return 0;
  case KEY_CONTROLS:
    arguments->asked = "--controls";
    confirm->trials.controls = quantity_count(state, "--controls", text, TRIALS_MOST);
    confirm->all_controls = true;
    return 0;
  case KEY_ONLY:
    arguments->asked = "--only";
    aim_add(confirm, text);
    return 0;
  case KEY_SEED:
    arguments->asked = "--seed";
    confirm->trials.first_seed = quantity_count(state, "--seed", text, INT_MAX / 2);
    return 0;
  case 't':
    confirm->time = quantity_seconds(state, "--time", text);
    if (confirm->time <= 0)
      arguments_error(state, "--time: it must be more than 0");
    return 0;
  case KEY_TIMEOUT:
    confirm->timeout = quantity_seconds(state, "--timeout", text);
    if (confirm->timeout <= 0)
      arguments_error(state, "--timeout: it must be more than 0");
    return 0;
  case 'j':
    confirm->plan.jobs = quantity_count(state, "--jobs", text, MAX_JOBS);
    arguments->jobs = true;
    return 0;
  case 'o':
  case KEY_LOGS:
    arguments->asked = "--output";
    arguments->output = text;
    return 0;
  case 'f':
    arguments->format = parse_format(state, text);
    return 0;
  case ARGP_KEY_ARG:
    confirm->plan.command = arguments_command(state);
    return 0;
  case ARGP_KEY_END:
    check_arguments(state, arguments);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static bool write_reports(const struct confirm *confirm, const struct collection *collection) {
  char path[PATH_MAX + 16], *text = NULL;
  size_t size = 0;
  snprintf(path, sizeof path, "%s/reports.jsonl", confirm->plan.folder);
  FILE *out = open_memstream(&text, &size);
  if (!out)
    abort();
  write_json(collection, out);
  bool written = fclose(out) == 0 && file_output(path, text, size);
  if (!written)
    print_line(stderr, "%s: cannot write %s: %s", confirm->name, path, strerror(errno));
  free(text);
  return written;
}

// Is the folder a temporary one in which nothing is worth keeping: no violation, no failure?
static bool is_idle(const struct arguments *arguments) {
  const struct trials *trials = &arguments->confirm.trials;
  return !arguments->output && !arguments->resume.folder && !trials->violation_count &&
         !trials->without.count;
}

// Writes and prints what is known. The exit status.
static int tell(struct arguments *arguments) {
  struct confirm *confirm = &arguments->confirm;
  char *prefix = options_value("strip_path_prefix"); // as the runtime has it
  struct collection collection = {
      .modules = {.sysroot = ""}, .strip_prefix = prefix ? prefix : "", .source_root = "."};
  bool confirmed = false;
  signal(SIGPIPE, SIG_IGN); // of a symbolizer that has ended, and of standard output
  confirm->records.checked |= checked_read(confirm->plan.folder);
  confirm_collect(confirm, &collection);
  for (size_t i = 0; i < confirm->trials.violation_count; i++)
    confirmed |= trials_best(&confirm->trials, &confirm->trials.violation[i]) != NULL;
  if (!is_idle(arguments))
    run_folder_keep();
  bool written = write_reports(confirm, &collection) && !confirm->unwritten;
  if (arguments->format) {
    arguments->format(&collection, stdout);
    if (!is_idle(arguments) && !arguments->output && !arguments->resume.folder)
      print_line(stderr, "logs: %s", confirm->plan.folder);
    checked_print(&confirm->records, confirm->name, confirm->plan.allow_empty, stderr);
  } else {
    confirm_print(confirm, &collection);
  }
  if (arguments->incomplete)
    fputs(arguments->incomplete, stdout);
  collection_clear(&collection);
  free(prefix);
  if (aim_is_vain(confirm) && !arguments->format)
    printf("nothing was tried: --only names none of the %zu violations\n",
           confirm->trials.violation_count);
  return !written                                         ? EXIT_USAGE
         : arguments->incomplete && !confirm->interrupted ? EXIT_INCOMPLETE
         : confirmed                                      ? EXIT_CONFIRMED
         : confirm->interrupted                           ? EXIT_INTERRUPTED
         : aim_is_vain(confirm) && !confirm->plan.allow_empty
             ? EXIT_EMPTY
             : checked_status(&confirm->records, confirm->plan.allow_empty, 0);
}

static int run(struct arguments *arguments) {
  struct confirm *confirm = &arguments->confirm;
  bool resumed = arguments->resume.folder && campaign_is_kept(confirm->plan.folder);
  if (arguments->resume.folder && arguments->machines.on && !resumed) {
    print_line(stderr, "%s: --resume %s: its runs were made here, and go on without --on",
               confirm->name, arguments->resume.folder);
    return EXIT_USAGE;
  }
  bool runs = resumed || arguments->machines.on
                  ? confirm_runs_on(confirm, &arguments->machines, resumed, &arguments->incomplete)
                  : confirm_runs(confirm);
  if (confirm->start_error)
    return runs_start_status(confirm->start_error);
  return runs ? tell(arguments) : EXIT_USAGE;
}

static int start(struct arguments *arguments) {
  struct confirm *confirm = &arguments->confirm;
  char **command = NULL;
  if (arguments->resume.folder) {
    confirm->plan.folder =
        run_folder_resume(confirm->name, &arguments->resume, "confirm.json", "nothing");
    if (!confirm->plan.folder || !confirm_resume(confirm, &command))
      return EXIT_USAGE;
  } else {
    confirm->plan.folder = run_folder_make(confirm->name, arguments->output);
    if (!confirm->plan.folder)
      return EXIT_USAGE;
  }
  // Of --resume too: --runs may be others now.
  int status = confirm_keep(confirm) ? run(arguments) : EXIT_USAGE;
  asked_free(command);
  return status;
}

int command_confirm(int argc, char **argv) {
  static const struct argp argp = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "[--] COMMAND [ARGUMENT...]",
                                   .doc = description};
  struct arguments arguments = {.confirm = {.name = argv[0],
                                            .timeout = -1,
                                            .on_terminal = isatty(STDERR_FILENO),
                                            .plan = {.jobs = 1}}};
  if (arguments_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments) != 0)
    return EXIT_USAGE;
  const char *resumed = arguments.resume.folder;
  if (!arguments.machines.on && !(resumed && campaign_is_kept(resumed)))
    guard_begin();
  int status = start(&arguments);
  confirm_free(&arguments.confirm);
  free(arguments.machines.with);
  free(arguments.incomplete);
  return status;
}
