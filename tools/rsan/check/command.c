// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan check [OPTION...] -- COMMAND...: all schedules of a small test. Exit status: 0 proved, or,
// with --weak, all that was asked for was made; 66 findings; 3 neither; 2 wrong usage; 127 or 126
// if COMMAND cannot be started.

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "command.h"
#include "ends.h"
#include "kept.h"
#include "options.h"
#include "printable.h"
#include "quantity.h"
#include "run/folder.h"
#include "run/runs.h"
#include "run/summary.h"
#include "suspects.h"
#include "verdict.h"

enum {
  EXIT_FOUND = 66,
  EXIT_NOT_FINISHED = 3,
  DEFAULT_LOOP = 25,
  DEFAULT_DEPARTURES = 1,
  DEFAULT_TIMEOUT = 60,
  MAX_JOBS = 64
};

static const char description[] =
    "Makes one run of each class of schedules of COMMAND, a small test with threads. If none shows "
    "a "
    "robustness violation, a data race or a failure, and these are all, the program has no other "
    "behaviours under C11's memory model either: it is proved."
    "\v"
    "COMMAND has to be built with rsan-clang -fsanitize=robustness, and to depend on its schedule "
    "alone: not on time, random numbers or input. Bounds of preemptions are tried from 0 on. TIME "
    "is a number of seconds, or has one of the units s, m and h. RSAN_OPTIONS are kept: target= "
    "asks "
    "what machines can show.\n"
    "\n"
    "With --weak executions also do what violations say: accesses depart, that is, are given older "
    "values, each that may to each that the memory model allows. What fails then is a finding; the "
    "violations alone are none.\n"
    "\n"
    "Exit status: 0 proved, or, with --weak, no failure in all executions with so many departures; "
    "66 there are findings; 3 neither: the lines behind the verdict say why; "
    "127 or 126 COMMAND cannot be started; 2 wrong usage.\n";

enum {
  KEY_LOOP = 256,
  KEY_SPURIOUS,
  KEY_WEAK,
  KEY_DEPARTURES,
  KEY_TIMEOUT,
  KEY_STOP,
  KEY_RESUME,
  KEY_ON
};

static const struct argp_option options[] = {
    {"preemptions", 'p', "N", 0, "make no execution with more than N preemptions", 0},
    {"loop", KEY_LOOP, "N", 0,
     "stop a thread after N turns of a loop that only reads, and reads the same (25)", 0},
    {"spurious", KEY_SPURIOUS, "N", 0,
     "let N weak compare-exchanges of an execution fail although they find what they expect (0)",
     0},
    {"weak", KEY_WEAK, NULL, 0,
     "let accesses depart: give them older values where they may have them", 0},
    {"departures", KEY_DEPARTURES, "N", 0, "with --weak: at most N accesses of an execution (1)",
     0},
    {"executions", 'n', "N", 0, "stop after N executions", 0},
    {"time", 't', "TIME", 0, "stop after that time", 0},
    {"timeout", KEY_TIMEOUT, "TIME", 0, "an execution that takes longer is a finding (60)", 0},
    {"jobs", 'j', "N", 0, "have N executions at a time (1)", 0},
    {"stop-on-first", KEY_STOP, NULL, 0, "stop at the first finding", 0},
    {"output", 'o', "DIR", 0, "keep schedules, reports and output in DIR", 0},
    {"resume", KEY_RESUME, "DIR", 0,
     "in place of COMMAND: go on with the exploration that was interrupted, or stopped", 0},
    {"on", KEY_ON, "ENGINE", OPTION_HIDDEN, NULL, 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  struct kept kept; // what is kept for --resume
  unsigned jobs, departures;
  bool stop, weak;
  const char *output, *resume;
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
  if (arguments->resume && (arguments->asked || arguments->output || arguments->kept.command))
    arguments_error(state, "--resume goes on with what was asked for: leave %s away",
                    arguments->asked    ? arguments->asked
                    : arguments->output ? "--output"
                                        : "COMMAND");
  if (!arguments->resume && !arguments->kept.command)
    arguments_error(state, "which COMMAND?");
  if (arguments->departures && !arguments->weak)
    arguments_error(state, "--departures goes with --weak");
}

static void refuse_machines(const struct argp_state *state) {
  arguments_error(state, "--on: an exploration cannot be spread over machines, as each execution "
                         "says which others are needed; --jobs has several at a time here");
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  struct check_bounds *bounds = &arguments->kept.bounds;
  if (key == KEY_ON)
    refuse_machines(state);
  switch (key) {
  case 'p':
    arguments->asked = "--preemptions";
    bounds->preemptions = parse_bound(state, "--preemptions", text);
    return 0;
  case KEY_LOOP:
    arguments->asked = "--loop";
    bounds->loop = quantity_count(state, "--loop", text, INT_MAX);
    return 0;
  case KEY_SPURIOUS:
    arguments->asked = "--spurious";
    bounds->spurious = parse_bound(state, "--spurious", text);
    return 0;
  case KEY_WEAK:
    arguments->asked = "--weak";
    arguments->weak = true;
    return 0;
  case KEY_DEPARTURES:
    arguments->asked = "--departures";
    arguments->departures = quantity_count(state, "--departures", text, INT_MAX);
    return 0;
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
  case KEY_RESUME:
    arguments->resume = text;
    return 0;
  case ARGP_KEY_ARG:
    arguments->kept.command = arguments_command(state);
    return 0;
  case ARGP_KEY_END:
    check_arguments(state, arguments);
    if (arguments->weak)
      bounds->departures = arguments->departures ? arguments->departures : DEFAULT_DEPARTURES;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

struct watch {
  struct progress progress;
  double begun;
  unsigned long long before; // executions of earlier processes
  bool on_terminal;
};

// "about 240 more"; nothing where that is not even a guess.
static void print_estimate(const struct progress *p) {
  if (p->left_share > 999000 || !p->left_share)
    return;
  double all = (double)p->executions / (1 - p->left_share / 1e6);
  fprintf(stderr, ", about %.0f more", all - (double)p->executions);
}

static void look(void *context) {
  struct watch *watch = context;
  const struct progress *p = &watch->progress;
  progress_read(&watch->progress);
  if (!watch->on_terminal || !p->began)
    return;
  fprintf(stderr, "\rrsan check: %llu executions (%.0f/s), %llu of them known before their end, ",
          p->executions, (double)(p->executions - watch->before) / (now_seconds() - watch->begun),
          p->asleep);
  if (p->bound < 0)
    fputs("any number of preemptions, ", stderr);
  else
    fprintf(stderr, "up to %lld preemption%s, ", p->bound, p->bound == 1 ? "" : "s");
  fprintf(stderr, "%llu prefixes left", p->left);
  print_estimate(p);
  fprintf(stderr, ", %zu finding%s\033[K", p->findings, p->findings == 1 ? "" : "s");
  fflush(stderr);
}

// Options for the runtime, in static memory.
static const char *runtime_options(const struct arguments *arguments, const char *folder) {
  static char text[2 * PATH_MAX];
  const struct check_bounds *bounds = &arguments->kept.bounds;
  const char *quote = options_quote(folder);
  int used =
      snprintf(text, sizeof text,
               "history=exact:history_size=250:allocator_release_to_os_interval_ms=-1:explore=%s%s/"
               "execution%s:explore_preemptions=%lld:explore_loop=%u:"
               "explore_spurious=%u:"
               "explore_executions=%u:explore_time=%.0f:explore_timeout=%.0f:explore_first=%d:"
               "explore_jobs=%u:explore_resume=%d",
               quote, folder, quote, bounds->preemptions, bounds->loop, bounds->spurious,
               bounds->executions, bounds->time, arguments->kept.timeout, arguments->stop,
               arguments->jobs, arguments->resume != NULL);
  if (used > 0 && (size_t)used < sizeof text && bounds->departures)
    used += snprintf(text + used, sizeof text - (size_t)used, ":weak=explored:weak_departures=%u",
                     bounds->departures);
  return used > 0 && (size_t)used < sizeof text ? text : NULL;
}

// The file in which the explorer says what it does, and what other processes have said there. False
// with errno set.
static bool open_progress(struct progress *progress, const char *folder, bool resume) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/execution", folder);
  progress->file = fopen(path, resume ? "r+" : "w+");
  if (!progress->file)
    return false;
  progress_read(progress);
  long read = ftell(progress->file);
  fseek(progress->file, 0, SEEK_END);
  fprintf(progress->file, "run number=%u\n", progress->run + 1);
  fflush(progress->file);
  fseek(progress->file, read, SEEK_SET);
  return true;
}

static int print_nothing_explored(const struct runs *runs, const char *name) {
  if (runs->start_error)
    return runs->start_error == ENOENT ? 127 : 126;
  print_line(stdout,
             "%s: nothing was explored: the program has created no thread, or is not built with "
             "rsan-clang -fsanitize=robustness",
             name);
  return EXIT_NOT_FINISHED;
}

static int print_refused(const struct runs *runs) {
  for (size_t i = 0; i < runs->records.remark_count; i++)
    print_line(stderr, "%s", runs->records.remarks[i]);
  return EXIT_USAGE;
}

static int print(const struct arguments *arguments, const struct run_plan *plan, struct runs *runs,
                 const struct progress *progress) {
  static const int status[] = {[VERDICT_PROVED] = 0,
                               [VERDICT_COMPLETE] = 0,
                               [VERDICT_FOUND] = EXIT_FOUND,
                               [VERDICT_NOT_FINISHED] = EXIT_NOT_FINISHED};
  bool written = ends_add(progress, plan->command[0], plan->folder, &runs->records) &&
                 ends_write_places(progress) &&
                 kept_write(plan->folder, &arguments->kept, progress);
  if (!written)
    print_line(stderr, "rsan check: cannot write to %s: %s", plan->folder, strerror(errno));
  written &= summary_write(plan, runs, false);
  summary_print_reports(plan, runs);
  verdict_print(progress, &arguments->kept.bounds, plan->folder);
  return written ? status[verdict_of(progress)] : EXIT_USAGE;
}

static int explore(const struct arguments *arguments, struct run_plan *plan, const char *name) {
  struct watch watch = {.on_terminal = isatty(STDERR_FILENO), .begun = now_seconds()};
  struct progress *progress = &watch.progress;
  struct runs runs = {0};
  if (!open_progress(progress, plan->folder, arguments->resume) ||
      (!arguments->resume && !kept_write(plan->folder, &arguments->kept, NULL))) {
    print_line(stderr, "%s: %s: %s", name, plan->folder, strerror(errno));
    return EXIT_USAGE;
  }
  watch.before = progress->executions;
  plan->earlier = progress->run;
  plan->iterations = progress->run + 1;
  plan->watch = look;
  plan->watched = &watch;
  setenv("LD_BIND_NOW", "1", 0); // else each execution looks for the same symbols
  runs_do(plan, name, &runs);
  progress_read(progress);
  if (watch.on_terminal)
    fputs("\r\033[K", stderr);
  plan->timeout = arguments->kept.timeout;
  suspects_replay(plan, name, &arguments->kept.bounds, progress, &runs);
  int status = progress->refused  ? print_refused(&runs)
               : !progress->began ? print_nothing_explored(&runs, name)
                                  : print(arguments, plan, &runs, progress);
  progress_free(progress);
  records_free(&runs.records);
  return status;
}

static int check(struct arguments *arguments, const char *name) {
  static char resumed[PATH_MAX];
  struct run_plan plan = {.jobs = 1, .keep = true, .same_addresses = true};
  if (arguments->resume) {
    plan.folder = realpath(arguments->resume, resumed);
    if (!kept_read(plan.folder ? plan.folder : arguments->resume, name, &arguments->kept))
      return EXIT_USAGE;
  } else {
    plan.folder = run_folder_make(name, arguments->output);
  }
  if (!plan.folder)
    return EXIT_USAGE;
  plan.command = arguments->kept.command;
  plan.options = runtime_options(arguments, plan.folder);
  if (!plan.options) {
    print_line(stderr, "%s: %s: the path is too long", name, plan.folder);
    return EXIT_USAGE;
  }
  int status = explore(arguments, &plan, name);
  if (arguments->resume)
    kept_free(&arguments->kept);
  return status;
}

int command_check(int argc, char **argv) {
  static const struct argp argp = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "[--] COMMAND [ARGUMENT...]",
                                   .doc = description};
  struct arguments arguments = {
      .kept = {.bounds = {.preemptions = -1, .loop = DEFAULT_LOOP}, .timeout = DEFAULT_TIMEOUT},
      .jobs = 1};
  if (arguments_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments) != 0)
    return EXIT_USAGE;
  return check(&arguments, argv[0]);
}
