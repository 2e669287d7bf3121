// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan check [OPTION...] -- COMMAND...: all schedules of a small test. Exit status: 0 proved, or,
// with --weak, all that was asked for was made; 66 findings; 67, or --exit-code-harmless, if there
// are violations and the program does not fail; 3 neither, or nothing was checked; 2 wrong usage;
// 127 or 126 if COMMAND cannot be started.

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "base/command.h"
#include "base/options.h"
#include "base/quantity.h"
#include "consequence.h"
#include "ends.h"
#include "follow.h"
#include "home.h"
#include "kept.h"
#include "known.h"
#include "machines.h"
#include "machines/asked.h"
#include "machines/campaign.h"
#include "printable.h"
#include "report/changed.h"
#include "run/checked.h"
#include "run/folder.h"
#include "run/guard.h"
#include "run/runs.h"
#include "run/summary.h"
#include "suspects.h"
#include "verdict.h"

enum {
  EXIT_FOUND = 66,
  EXIT_NOT_FINISHED = 3,
  EXIT_HARMLESS = 67,
  DEFAULT_LOOP = 25,
  DEFAULT_DEPARTURES = 1, // with --weak
  DEFAULT_FOLLOW = 2,     // of the explorations that follow without it
  DEFAULT_TIMEOUT = 60,
  MAX_JOBS = 64
};

static const char description[] =
    "Run COMMAND, a small test with threads, once for each class of schedules. If no run shows a "
    "robustness violation, a data race or a failure, and all classes were run, the program has no "
    "other behaviours under C11's memory model either: it is proved."
    "\v"
    "COMMAND must be built with rsan-clang -fsanitize=robustness, and must depend on its schedule "
    "alone, not on time, random numbers or input. The bound of preemptions rises from 0. TIME is a "
    "number of seconds, or has one of the units s, m and h. RSAN_OPTIONS are kept: target= names "
    "the machines that violations are checked against.\n"
    "\n"
    "Where there is a violation, accesses then depart: each access that may gets each older value "
    "that the memory model allows, at most 1 of an execution. If none fails, all execution graphs "
    "that C++20 allows follow, which are a proof; else at most 2 depart. Each violation is "
    "said to fail, or not to fail. --departures=0 does without them. With "
    "--weak accesses depart at once, and only failures are findings. With --baseline findings of "
    "FILE are listed and do not count.\n"
    "\n"
    "Exit status: 0 proved, or, with --weak, no failure in all executions with so many departures; "
    "66 there are findings; 67 there are violations, and the program does not fail in all "
    "executions with so many departures; 3 neither: the lines behind the verdict say why; also if "
    "no atomic "
    "access was seen, or nothing was explored (--allow-empty: 0); "
    "75 with --on: no host could explore some parts; "
    "127 or 126 COMMAND cannot be started; 2 wrong usage.\n";

enum {
  KEY_LOOP = 256,
  KEY_UNROLL,
  KEY_SPURIOUS,
  KEY_WEAK,
  KEY_DEPARTURES,
  KEY_TIMEOUT,
  KEY_STOP,
  KEY_HARMLESS,
  KEY_BASELINE,
  KEY_CHANGED
};

static const struct argp_option options[] = {
    {"preemptions", 'p', "N", 0, "make no execution with more than N preemptions", 0},
    {"loop", KEY_LOOP, "N", 0, "stop idle loops after N turns (25)", 0},
    {"unroll", KEY_UNROLL, "N", 0, "stop a thread after N writes at one place", 0},
    {"spurious", KEY_SPURIOUS, "N", 0, "let N weak compare-exchanges fail (0)", 0},
    {"weak", KEY_WEAK, NULL, 0, "give accesses older values where C11 allows it", 0},
    {"departures", KEY_DEPARTURES, "N", 0, "at most N an execution (2; with --weak 1)", 0},
    {"exit-code-harmless", KEY_HARMLESS, "N", 0, "status of violations without a failure (67)", 0},
    {"executions", 'n', "N", 0, "stop after N executions", 0},
    {"time", 't', "TIME", 0, "stop after TIME", 0},
    {"timeout", KEY_TIMEOUT, "TIME", 0, "report an execution that takes longer (60)", 0},
    {"jobs", 'j', "N", 0, "make N executions at a time (1)", 0},
    {"stop-on-first", KEY_STOP, NULL, 0, "stop at the first finding", 0},
    {"baseline", KEY_BASELINE, "FILE", 0, "fail for findings alone that are not in FILE", 0},
    {"changed-since", KEY_CHANGED, "REV", 0, "print findings in changed lines first", 0},
    {"output", 'o', "DIR", 0, "keep schedules, reports and output in DIR", 0},
    RESUME_OPTIONS,
    ALLOW_EMPTY_OPTION,
    MACHINES_OPTIONS,
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  struct kept kept; // what is kept for --resume
  struct known known;
  unsigned jobs, departures, harmless;
  bool stop, weak, allow_empty, bounds_departures;
  struct machines_asked machines;
  struct resumed resume;
  const char *output, *changed_since;
  bool incomplete;   // with --on: not all of it could be made
  const char *asked; // the last option that says what is explored, NULL for none
};

static unsigned parse_bound(const struct argp_state *state, const char *option, const char *text) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || value > INT_MAX)
    arguments_error(state, "%s: it must be a number from 0 on, not %s", option, text);
  return (unsigned)value;
}

// What another call has asked for stays as it is.
static void check_arguments(const struct argp_state *state, const struct arguments *arguments) {
  if (arguments->resume.folder &&
      (arguments->asked || arguments->output || arguments->kept.command))
    arguments_error(state, "drop %s: --resume uses the original settings",
                    arguments->asked    ? arguments->asked
                    : arguments->output ? "--output"
                                        : "COMMAND");
  if (!arguments->resume.folder && !arguments->kept.command)
    arguments_error(state, "which COMMAND?");
  machines_asked_check(state, &arguments->machines, arguments->machines.on, arguments->jobs);
  if (arguments->known.asked && arguments->stop)
    arguments_error(state, "--stop-on-first does not go with --baseline: the first finding may be "
                           "a known one");
  if (arguments->weak && arguments->bounds_departures && !arguments->departures)
    arguments_error(state, "--departures=0 does not go with --weak");
}

// Departures are made from the first exploration on, or in those that follow it. (On other machines
// none follows.)
static void set_departures(struct arguments *arguments) {
  unsigned most = arguments->departures;
  if (!arguments->bounds_departures)
    most = arguments->weak ? DEFAULT_DEPARTURES : DEFAULT_FOLLOW;
  if (arguments->weak)
    arguments->kept.bounds.departures = most;
  else if (!arguments->machines.on)
    arguments->kept.bounds.follow = most;
}

// Options for older values.
static bool take_weak(const struct argp_state *state, int key, const char *text,
                      struct arguments *arguments) {
  if (key == KEY_WEAK) {
    arguments->asked = "--weak";
    arguments->weak = true;
  } else if (key == KEY_DEPARTURES) {
    arguments->asked = "--departures";
    arguments->departures = parse_bound(state, "--departures", text);
    arguments->bounds_departures = true;
  } else if (key == KEY_HARMLESS) {
    arguments->harmless = parse_bound(state, "--exit-code-harmless", text);
    if (arguments->harmless > 255)
      arguments_error(state, "--exit-code-harmless: it must be at most 255");
  }
  return key == KEY_WEAK || key == KEY_DEPARTURES || key == KEY_HARMLESS;
}

// Options for what is reported first, or not at all.
static bool take_known(const struct argp_state *state, int key, const char *text,
                       struct arguments *arguments) {
  struct known *known = &arguments->known;
  if (key == KEY_CHANGED && !changes_are_known(arguments->changed_since = text))
    exit(EXIT_USAGE);
  if (key != KEY_BASELINE)
    return key == KEY_CHANGED;
  if (known->asked)
    arguments_error(state, "--baseline: there is one FILE");
  if (!baseline_read(&known->baseline, text))
    exit(EXIT_USAGE);
  return known->asked = true;
}

// The options that bound executions. False: it is none of them.
static bool take_bound(const struct argp_state *state, int key, const char *text,
                       struct arguments *arguments) {
  struct check_bounds *bounds = &arguments->kept.bounds;
  switch (key) {
  case 'p':
    arguments->asked = "--preemptions";
    bounds->preemptions = parse_bound(state, "--preemptions", text);
    return true;
  case KEY_LOOP:
    arguments->asked = "--loop";
    bounds->loop = quantity_count(state, "--loop", text, INT_MAX);
    return true;
  case KEY_UNROLL:
    arguments->asked = "--unroll";
    bounds->unroll = quantity_count(state, "--unroll", text, INT_MAX);
    return true;
  case KEY_SPURIOUS:
    arguments->asked = "--spurious";
    bounds->spurious = parse_bound(state, "--spurious", text);
    return true;
  default:
    return false;
  }
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  struct check_bounds *bounds = &arguments->kept.bounds;
  if (machines_asked_take(state, key, text, &arguments->machines) ||
      checked_take_option(key, &arguments->allow_empty) || take_weak(state, key, text, arguments) ||
      take_bound(state, key, text, arguments) || take_known(state, key, text, arguments) ||
      run_resume_take_option(key, text, &arguments->resume))
    return 0;
  switch (key) {
  case KEY_TIMEOUT:
    arguments->asked = "--timeout";
    arguments->kept.timeout = quantity_seconds(state, "--timeout", text);
    return 0;
  case 'n':
    bounds->executions = quantity_count(state, "--executions", text, INT_MAX);
    return 0;
  case 't':
    bounds->time = quantity_seconds(state, "--time", text);
    return 0;
  case 'j':
    arguments->jobs = quantity_count(state, "--jobs", text, MAX_JOBS);
    return 0;
  case KEY_STOP:
    arguments->stop = true;
    return 0;
  case 'o':
    arguments->output = text;
    return 0;
  case ARGP_KEY_ARG:
    arguments->kept.command = arguments_command(state);
    return 0;
  case ARGP_KEY_END:
    check_arguments(state, arguments);
    set_departures(arguments);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

// The program may also have ended before its first thread, or be another one than that which was
// built with RSan.
static int print_nothing_explored(const struct runs *runs, const char *name, bool allowed) {
  if (runs->start_error)
    return runs_start_status(runs->start_error);
  if (runs->interrupted)
    return EXIT_NOT_FINISHED;
  if (checked_code(&runs->records))
    print_line(stdout, "%s: nothing was explored: the program has created no thread%s", name,
               allowed ? "" : "; --allow-empty allows it");
  else
    checked_print(&runs->records, name, allowed, stdout);
  return allowed ? 0 : EXIT_EMPTY;
}

static int print_refused(const struct runs *runs) {
  for (size_t i = 0; i < runs->records.remark_count; i++)
    print_line(stderr, "%s", runs->records.remarks[i]);
  return EXIT_USAGE;
}

// Returns the status if the baseline has any of the findings. Known findings do not make the check
// fail. The status is 0 only if all executions were made, because the others may have new findings.
static int status_beside_known(const struct arguments *arguments, const struct home *home) {
  const struct check_bounds *bounds = &arguments->kept.bounds;
  const struct records *records = &home->runs.records;
  bool whole = verdict_is_whole(&home->progress);
  if (known_fresh(&home->progress, records, home->plan.command[0]))
    return EXIT_FOUND;
  if (bounds->follow && known_fresh_violations(records))
    return whole && verdict_follows(bounds) ? (int)arguments->harmless : EXIT_FOUND;
  return whole ? 0 : EXIT_NOT_FINISHED;
}

// A violation whose consequence was not explored to the end is a finding.
static int status_of(const struct arguments *arguments, const struct home *home) {
  static const int status[] = {[VERDICT_PROVED] = 0,
                               [VERDICT_COMPLETE] = 0,
                               [VERDICT_FOUND] = EXIT_FOUND,
                               [VERDICT_NOT_FINISHED] = EXIT_NOT_FINISHED};
  const struct check_bounds *bounds = &arguments->kept.bounds;
  const struct progress *progress = &home->progress;
  enum verdict verdict = verdict_of(progress);
  if (records_known(&home->runs.records))
    return status_beside_known(arguments, home);
  if (verdict_follows(bounds))
    return verdict == VERDICT_COMPLETE ? (int)arguments->harmless : EXIT_FOUND;
  if (bounds->follow && progress->violations)
    return EXIT_FOUND;
  return status[verdict];
}

static int print(struct arguments *arguments, struct home *home) {
  const struct run_plan *plan = &home->plan;
  const struct check_bounds *bounds = &arguments->kept.bounds;
  struct progress *progress = &home->progress;
  struct runs *runs = &home->runs;
  bool worth = runs->records.count || progress->findings;
  if (worth)
    run_folder_keep();
  bool written = ends_add(progress, plan->command[0], plan->folder, &runs->records) &&
                 ends_write_places(progress);
  if (verdict_follows(bounds))
    consequence_add(plan, progress, bounds, &runs->records);
  known_mark(&arguments->known, &runs->records);
  written = written && kept_write(plan->folder, &arguments->kept, progress);
  if (!written)
    print_line(stderr, "rsan check: cannot write to %s: %s", plan->folder, strerror(errno));
  written &= summary_write(plan, runs, false);
  summary_print_reports(plan, runs);
  verdict_print_findings(progress, &runs->records, plan->command[0], plan->folder);
  if (verdict_follows(bounds))
    consequence_print(&runs->records);
  known_print(&arguments->known, &runs->records, progress->executions);
  verdict_print(progress, bounds, plan->folder);
  known_print_counts(&arguments->known, &runs->records);
  checked_print(&runs->records, home->name, arguments->allow_empty, stdout);
  if (worth && !arguments->output && !arguments->resume.folder)
    print_line(stdout, "logs: %s", plan->folder);
  if (arguments->incomplete)
    print_line(stdout, "incomplete: no host explored some parts; see %s/engine.log",
               run_folder_named(plan->folder));
  return !written ? EXIT_USAGE
         : arguments->incomplete
             ? EXIT_INCOMPLETE
             : checked_status(&runs->records, arguments->allow_empty, status_of(arguments, home));
}

static int tell(struct arguments *arguments, struct home *home) {
  struct progress *progress = &home->progress;
  home->plan.timeout = arguments->kept.timeout;
  suspects_replay(&home->plan, home->name, &arguments->kept.bounds, progress, &home->runs);
  progress_settle(progress);
  follow_settle(home, &arguments->kept);
  // A part of what was written proves nothing.
  if (home->runs.start_error && !progress->findings)
    return runs_start_status(home->runs.start_error);
  return progress->refused ? print_refused(&home->runs)
         : !progress->began
             ? print_nothing_explored(&home->runs, home->name, arguments->allow_empty)
             : print(arguments, home);
}

static int explore(struct arguments *arguments, struct home *home) {
  const struct check_bounds *bounds = &arguments->kept.bounds;
  const struct home_bounds here = {.executions = bounds->executions, .time = bounds->time};
  bool spread = arguments->machines.on || campaign_is_kept(home->plan.folder);
  if (!home_open(home))
    return EXIT_USAGE;
  if (!arguments->resume.folder && !kept_write(home->plan.folder, &arguments->kept, NULL)) {
    print_line(stderr, "%s: %s: %s", home->name, home->plan.folder, strerror(errno));
    return EXIT_USAGE;
  }
  home->started = now_seconds();
  if (!spread)
    home_explore(home, &here);
  if (spread ? !check_on_machines(home, &arguments->machines, &arguments->incomplete)
             : !follow_explore(home, &arguments->kept, &here))
    return EXIT_USAGE;
  int status = tell(arguments, home);
  follow_free(home);
  progress_free(&home->progress);
  records_free(&home->runs.records);
  return status;
}

static int check(struct arguments *arguments, const char *name) {
  struct home home = {.name = name,
                      .kept = &arguments->kept,
                      .plan = {.jobs = 1,
                               .keep = true,
                               .same_addresses = true,
                               .changed_since = arguments->changed_since},
                      .jobs = arguments->jobs ? arguments->jobs : 1,
                      .stop = arguments->stop,
                      .goes_on = arguments->resume.folder != NULL,
                      .resumes = arguments->resume.folder != NULL};
  if (arguments->resume.folder) {
    home.plan.folder = run_folder_resume(name, &arguments->resume, "check.json", "no exploration");
    if (!home.plan.folder || !kept_read(home.plan.folder, name, &arguments->kept))
      return EXIT_USAGE;
  } else {
    home.plan.folder = run_folder_make(name, arguments->output);
  }
  if (!home.plan.folder)
    return EXIT_USAGE;
  home.plan.command = arguments->kept.command;
  int status = explore(arguments, &home);
  if (arguments->resume.folder)
    kept_free(&arguments->kept);
  free(arguments->machines.with);
  baseline_clear(&arguments->known.baseline);
  return status;
}

int command_check(int argc, char **argv) {
  static const struct argp argp = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "[--] COMMAND [ARGUMENT...]",
                                   .doc = description};
  struct arguments arguments = {
      .harmless = EXIT_HARMLESS,
      .kept = {.bounds = {.preemptions = -1, .loop = DEFAULT_LOOP}, .timeout = DEFAULT_TIMEOUT}};
  if (arguments_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments) != 0)
    return EXIT_USAGE;
  const char *resumed = arguments.resume.folder;
  if (!arguments.machines.on && !(resumed && campaign_is_kept(resumed)))
    guard_begin();
  return check(&arguments, argv[0]);
}
