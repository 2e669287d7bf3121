// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan run [OPTION...] -- COMMAND... Exit status: 66 reports, else that of the first run that
// failed, else 3 if nothing was checked, else 0; 2 wrong usage.

#include <argp.h>
#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "base/command.h"
#include "base/quantity.h"
#include "file/output.h"
#include "machines/asked.h"
#include "machines/campaign.h"
#include "printable.h"
#include "report/baseline.h"
#include "report/changed.h"
#include "report/classes.h"
#include "run/asked.h"
#include "run/checked.h"
#include "run/confirming.h"
#include "run/folder.h"
#include "run/guard.h"
#include "run/policy.h"
#include "run/runs.h"
#include "run/summary.h"

enum { DEFAULT_ITERATIONS = 100, DEFAULT_TIMEOUT = 600, DEFAULT_CONFIRM = 60, MAX_JOBS = 1024 };

static const char description[] =
    "Run COMMAND, a program or a whole test runner, many times, and print each report of its "
    "processes once."
    "\v"
    "Without --iterations, --time and --until-clean there are 100 runs. TIME is a number of "
    "seconds, or has one of the units s, m and h. RSAN_OPTIONS and TSAN_OPTIONS are kept, except "
    "where and how they say to write reports.\n"
    "\n"
    "Exit status: 66 there are reports that --baseline has not, of the classes of --fail-on; else "
    "the status of the first "
    "failed run (128 + its number "
    "for a signal, 124 if it hung, 127 or 126 if COMMAND cannot be started); 130 interrupted; 3 "
    "nothing was checked, or no atomic access was seen (--allow-empty: 0); 0 none of these; 2 "
    "wrong "
    "usage. With --on: 75 incomplete, no host made some of the runs.\n";

enum {
  KEY_UNTIL_CLEAN = 256,
  KEY_STOP,
  KEY_TIMEOUT,
  KEY_KEEP,
  KEY_SCHEDULE,
  KEY_WEAK,
  KEY_PER_TEST,
  KEY_BASELINE,
  KEY_CONFIRM,
  KEY_FAIL_ON,
  KEY_CHANGED
};

static const struct argp_option options[] = {
    {"iterations", 'n', "N", 0, "make N runs (100)", 0},
    {"time", 't', "TIME", 0, "start no run after TIME", 0},
    {"jobs", 'j', "N", 0, "make N runs at a time (1)", 0},
    {"until-clean", KEY_UNTIL_CLEAN, "N", 0, "stop after N runs in a row with nothing new", 0},
    {"stop-on-first", KEY_STOP, NULL, 0, "stop at the first report", 0},
    {"timeout", KEY_TIMEOUT, "TIME", 0, "end a run that takes longer (600; 0: none)", 0},
    {"baseline", KEY_BASELINE, "FILE", 0, "fail for findings alone that are not in FILE", 0},
    {"fail-on", KEY_FAIL_ON, "CLASSES", 0, "fail for defect, unknown or harmless findings", 0},
    {"changed-since", KEY_CHANGED, "REV", 0, "print findings in changed lines first", 0},
    {"output", 'o', "DIR", 0, "keep logs, output and cores in DIR", 0},
    {"keep", KEY_KEEP, NULL, 0, "keep the logs of clean runs as well", 0},
    {"schedule", KEY_SCHEDULE, "POLICY", OPTION_ARG_OPTIONAL,
     "choose who runs: random, pct, pos, delay (mix)", 0},
    {"weak", KEY_WEAK, NULL, 0, "give stale values at random; implies --schedule", 0},
    {"confirm", KEY_CONFIRM, "TIME", OPTION_ARG_OPTIONAL,
     "then try whether it fails by violations (60)", 0},
    {"per-test", KEY_PER_TEST, NULL, 0, "give each test its own seeds; implies --schedule", 0},
    {"verbose", 'v', NULL, 0, "print all reports, also more than 20", 0},
    ALLOW_EMPTY_OPTION,
    MACHINES_OPTIONS,
    RESUME_OPTIONS,
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  struct run_plan plan;
  const char *output;
  struct resumed resume;
  struct machines_asked machines;
  struct baseline baseline;
  double confirm; // seconds; 0: --confirm was not given
  bool jobs;      // --jobs was given
};

// Refuses options that cannot be combined, so that none is ignored silently.
static void check_arguments(const struct argp_state *state, const struct arguments *arguments) {
  const char *asked = arguments->output          ? "--output"
                      : arguments->plan.baseline ? "--baseline"
                      : arguments->plan.schedule ? "--schedule"
                      : arguments->plan.weak     ? "--weak"
                      : arguments->confirm > 0   ? "--confirm"
                      : arguments->plan.fail_on  ? "--fail-on"
                      : arguments->plan.per_test ? "--per-test"
                      : arguments->plan.command  ? "COMMAND"
                                                 : machines_asked_new(&arguments->machines);
  if (!arguments->resume.folder && !arguments->plan.command)
    arguments_error(state, "which COMMAND?");
  if (arguments->resume.folder && asked)
    arguments_error(state, "drop %s: --resume uses the original settings", asked);
  if (arguments->machines.on &&
      (arguments->plan.baseline || arguments->plan.fail_on || arguments->confirm > 0))
    arguments_error(state, "%s cannot be combined with --on",
                    arguments->plan.baseline  ? "--baseline"
                    : arguments->plan.fail_on ? "--fail-on"
                                              : "--confirm");
  if (arguments->machines.on && arguments->plan.per_test)
    arguments_error(state,
                    "--per-test cannot be combined with --on: hosts add no tests to reports");
  machines_asked_check(state, &arguments->machines,
                       arguments->machines.on || arguments->resume.folder, arguments->jobs);
}

static bool take_flag(int key, struct run_plan *plan) {
  plan->stop_on_first |= key == KEY_STOP;
  plan->keep |= key == KEY_KEEP;
  plan->verbose |= key == 'v';
  plan->weak |= key == KEY_WEAK;
  plan->per_test |= key == KEY_PER_TEST;
  return key == KEY_STOP || key == KEY_KEEP || key == 'v' || key == KEY_WEAK || key == KEY_PER_TEST;
}

static void take_baseline(const struct argp_state *state, struct arguments *arguments,
                          const char *name) {
  if (arguments->plan.baseline)
    arguments_error(state, "--baseline: there is one FILE");
  if (!baseline_read(&arguments->baseline, name))
    exit(EXIT_USAGE);
  arguments->plan.baseline = name;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  struct run_plan *plan = &arguments->plan;
  if (machines_asked_take(state, key, text, &arguments->machines) ||
      checked_take_option(key, &plan->allow_empty) ||
      run_resume_take_option(key, text, &arguments->resume) || take_flag(key, plan))
    return 0;
  switch (key) {
  case 'n':
    plan->iterations = quantity_count(state, "--iterations", text, UINT_MAX);
    return 0;
  case 't':
    plan->time = quantity_seconds(state, "--time", text);
    if (plan->time <= 0)
      arguments_error(state, "--time: it must be more than 0");
    return 0;
  case 'j':
    plan->jobs = quantity_count(state, "--jobs", text, MAX_JOBS);
    arguments->jobs = true;
    return 0;
  case KEY_UNTIL_CLEAN:
    plan->until_clean = quantity_count(state, "--until-clean", text, UINT_MAX);
    return 0;
  case KEY_TIMEOUT:
    plan->timeout = quantity_seconds(state, "--timeout", text);
    return 0;
  case KEY_CONFIRM:
    arguments->confirm = text ? quantity_seconds(state, "--confirm", text) : DEFAULT_CONFIRM;
    if (arguments->confirm <= 0)
      arguments_error(state, "--confirm: it must be more than 0");
    return 0;
  case KEY_BASELINE:
    take_baseline(state, arguments, text);
    return 0;
  case KEY_FAIL_ON:
    plan->fail_on = classes_parse(text);
    if (!plan->fail_on)
      arguments_error(state, "--fail-on %s: write " CLASS_NAMES ", with commas between", text);
    return 0;
  case KEY_CHANGED:
    if (!changes_are_known(text))
      exit(EXIT_USAGE);
    plan->changed_since = text;
    return 0;
  case 'o':
    arguments->output = text;
    return 0;
  case KEY_SCHEDULE:
    plan->schedule = policy_parse(state, text);
    return 0;
  case ARGP_KEY_ARG:
    plan->command = arguments_command(state);
    return 0;
  case ARGP_KEY_END:
    check_arguments(state, arguments);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

// The command, beside the reports.
static bool store_command(const struct run_plan *plan, const char *name) {
  char path[PATH_MAX + 16];
  cJSON *json = cJSON_CreateObject();
  asked_add(json, plan->command);
  char *text = cJSON_Print(json);
  snprintf(path, sizeof path, "%s/run.json", plan->folder);
  const bool written = text && file_output(path, text, strlen(text));
  if (!written)
    print_line(stderr, "%s: %s: %s", name, path, strerror(errno));
  cJSON_free(text);
  cJSON_Delete(json);
  return written;
}

// What each run was, the same.
static bool open_history(struct run_plan *plan, const char *name) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/runs.jsonl", plan->folder);
  plan->history = fopen(path, "we");
  if (!plan->history)
    print_line(stderr, "%s: %s: %s", name, path, strerror(errno));
  return plan->history;
}

static int run_on_machines(struct arguments *arguments, const char *name) {
  char **command = NULL;
  struct campaign campaign = campaign_of(name, &arguments->plan, &arguments->machines);
  campaign.resumed = arguments->resume.folder != NULL;
  if (arguments->resume.folder) {
    campaign.plan.folder = run_folder_resume(name, &arguments->resume, "campaign.json", "nothing");
    if (!campaign.plan.folder || !campaign_resume(&campaign, &command)) {
      campaign_free(&campaign);
      return EXIT_USAGE;
    }
  }
  int status = campaign_run(&campaign);
  asked_free(command);
  return status;
}

static int run_here(struct arguments *arguments, const char *name) {
  struct run_plan *plan = &arguments->plan;
  struct runs runs = {0};
  bool written = true;
  if (plan->fail_on)
    plan->options = "exitcode=0"; // the reports decide
  if (plan->baseline) {
    runs.records.baseline = &arguments->baseline;
    plan->options = "exitcode=0"; // what is known is no failure of a process
  }
  if (arguments->output && (!store_command(plan, name) || !open_history(plan, name)))
    return EXIT_USAGE;
  bool any = runs_do(plan, name, &runs);
  if (runs.kept || runs.records.count)
    run_folder_keep();
  if (plan->history && fclose(plan->history) != 0)
    written = false;
  if (any && arguments->confirm > 0)
    confirming_run(plan, &runs, arguments->confirm);
  if (any) {
    written &= summary_write(plan, &runs, arguments->output);
    summary_print_reports(plan, &runs);
    summary_print(plan, &runs);
    if (arguments->confirm > 0)
      confirming_print(plan, &runs);
  }
  int status = runs_status(plan, &runs);
  if (!written && !status)
    status = EXIT_USAGE;
  records_free(&runs.records);
  baseline_clear(&arguments->baseline);
  return status;
}

int command_run(int argc, char **argv) {
  static const struct argp argp = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "[--] COMMAND [ARGUMENT...]",
                                   .doc = description};
  struct arguments arguments = {
      .plan = {.jobs = 1, .timeout = DEFAULT_TIMEOUT, .progress = stderr}};
  struct run_plan *plan = &arguments.plan;
  if (arguments_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments) != 0)
    return EXIT_USAGE;
  if (!plan->iterations && !plan->time && !plan->until_clean && !arguments.resume.folder)
    plan->iterations = DEFAULT_ITERATIONS;
  if ((plan->weak || plan->per_test) && !plan->schedule)
    plan->schedule = "mix";
  if (!arguments.machines.on && !arguments.resume.folder)
    guard_begin();
  if (!arguments.resume.folder && !(plan->folder = run_folder_make(argv[0], arguments.output)))
    return EXIT_USAGE;
  int status = arguments.machines.on || arguments.resume.folder
                   ? run_on_machines(&arguments, argv[0])
                   : run_here(&arguments, argv[0]);
  free(arguments.machines.with);
  return status;
}
