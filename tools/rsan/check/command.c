// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan check [OPTION...] -- COMMAND...: all schedules of a small test. Exit status: 0 proved; 66
// findings; 3 neither; 2 wrong usage; 127 or 126 if COMMAND cannot be started.

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "command.h"
#include "options.h"
#include "printable.h"
#include "quantity.h"
#include "run/folder.h"
#include "run/runs.h"
#include "run/summary.h"
#include "verdict.h"

enum { EXIT_FOUND = 66, EXIT_NOT_FINISHED = 3, DEFAULT_LOOP = 25, DEFAULT_TIMEOUT = 60 };

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
    "Exit status: 0 proved; 66 there are findings; 3 neither: the lines behind the verdict say "
    "why; "
    "127 or 126 COMMAND cannot be started; 2 wrong usage.\n";

enum { KEY_LOOP = 256, KEY_EXECUTIONS, KEY_TIMEOUT, KEY_STOP };

static const struct argp_option options[] = {
    {"preemptions", 'p', "N", 0, "make no execution with more than N preemptions", 0},
    {"loop", KEY_LOOP, "N", 0,
     "give up an execution in which a thread makes more turns of a loop that only reads (25)", 0},
    {"executions", 'n', "N", 0, "stop after N executions", 0},
    {"time", 't', "TIME", 0, "stop after that time", 0},
    {"timeout", KEY_TIMEOUT, "TIME", 0, "an execution that takes longer is a finding (60)", 0},
    {"stop-on-first", KEY_STOP, NULL, 0, "stop at the first finding", 0},
    {"output", 'o', "DIR", 0, "keep schedules, reports and output in DIR", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  struct check_bounds bounds;
  double timeout;
  bool stop;
  const char *output;
  char **command;
};

static long long parse_preemptions(const struct argp_state *state, const char *text) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || value > INT_MAX)
    arguments_error(state, "--preemptions: it must be a number from 0 on, not %s", text);
  return value;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  switch (key) {
  case 'p':
    arguments->bounds.preemptions = parse_preemptions(state, text);
    return 0;
  case KEY_LOOP:
    arguments->bounds.loop = quantity_count(state, "--loop", text, INT_MAX);
    return 0;
  case 'n':
    arguments->bounds.executions = quantity_count(state, "--executions", text, INT_MAX);
    return 0;
  case 't':
    arguments->bounds.time = quantity_seconds(state, "--time", text);
    return 0;
  case KEY_TIMEOUT:
    arguments->timeout = quantity_seconds(state, "--timeout", text);
    return 0;
  case KEY_STOP:
    arguments->stop = true;
    return 0;
  case 'o':
    arguments->output = text;
    return 0;
  case ARGP_KEY_ARG:
    arguments->command = state->argv + state->next - 1;
    state->next = state->argc; // the rest is the command's
    return 0;
  case ARGP_KEY_NO_ARGS:
    arguments_error(state, "which COMMAND?");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

struct watch {
  struct progress progress;
  bool on_terminal;
};

static void look(void *context) {
  struct watch *watch = context;
  const struct progress *p = &watch->progress;
  progress_read(&watch->progress);
  if (!watch->on_terminal || !p->began)
    return;
  fprintf(stderr, "\rrsan check: %llu executions, %llu of them known before their end, ",
          p->executions, p->asleep);
  if (p->bound < 0)
    fputs("any number of preemptions, ", stderr);
  else
    fprintf(stderr, "up to %lld preemption%s, ", p->bound, p->bound == 1 ? "" : "s");
  fprintf(stderr, "%zu finding%s\033[K", p->findings, p->findings == 1 ? "" : "s");
  fflush(stderr);
}

// Options for the runtime, in static memory; the file is made.
static const char *runtime_options(const struct arguments *arguments, const char *folder,
                                   struct progress *progress) {
  static char text[2 * PATH_MAX];
  char path[PATH_MAX + 16];
  const char *quote = options_quote(folder);
  snprintf(path, sizeof path, "%s/execution", folder);
  progress->file = fopen(path, "w+");
  if (!progress->file)
    return NULL;
  int used = snprintf(
      text, sizeof text,
      "history=exact:history_size=250:explore=%s%s%s:explore_preemptions=%lld:explore_loop=%u:"
      "explore_executions=%u:explore_time=%.0f:explore_timeout=%.0f:explore_first=%d",
      quote, path, quote, arguments->bounds.preemptions, arguments->bounds.loop,
      arguments->bounds.executions, arguments->bounds.time, arguments->timeout, arguments->stop);
  return used > 0 && (size_t)used < sizeof text ? text : NULL;
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

static int print(const struct arguments *arguments, const struct run_plan *plan,
                 const struct runs *runs, const struct progress *progress) {
  static const int status[] = {[VERDICT_PROVED] = 0,
                               [VERDICT_FOUND] = EXIT_FOUND,
                               [VERDICT_NOT_FINISHED] = EXIT_NOT_FINISHED};
  bool written = summary_write(plan, runs, false);
  summary_print_reports(plan, runs);
  verdict_print(progress, &arguments->bounds, run_folder(plan, 1));
  return written ? status[verdict_of(progress)] : EXIT_USAGE;
}

static int check(const struct arguments *arguments, const char *name) {
  struct watch watch = {.on_terminal = isatty(STDERR_FILENO)};
  struct run_plan plan = {.command = arguments->command,
                          .jobs = 1,
                          .iterations = 1,
                          .keep = true,
                          .watch = look,
                          .watched = &watch};
  struct runs runs = {0};
  plan.folder = run_folder_make(name, arguments->output);
  if (!plan.folder)
    return EXIT_USAGE;
  plan.options = runtime_options(arguments, plan.folder, &watch.progress);
  if (!plan.options) {
    print_line(stderr, "%s: %s: %s", name, plan.folder, strerror(errno));
    return EXIT_USAGE;
  }
  runs_do(&plan, name, &runs);
  progress_read(&watch.progress);
  if (watch.on_terminal)
    fputs("\r\033[K", stderr);
  int status = watch.progress.began ? print(arguments, &plan, &runs, &watch.progress)
                                    : print_nothing_explored(&runs, name);
  progress_free(&watch.progress);
  records_free(&runs.records);
  return status;
}

int command_check(int argc, char **argv) {
  static const struct argp argp = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "[--] COMMAND [ARGUMENT...]",
                                   .doc = description};
  struct arguments arguments = {.bounds = {.preemptions = -1, .loop = DEFAULT_LOOP},
                                .timeout = DEFAULT_TIMEOUT};
  if (arguments_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments) != 0)
    return EXIT_USAGE;
  return check(&arguments, argv[0]);
}
