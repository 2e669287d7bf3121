// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan unit --seeds F..L -o ARCHIVE -- COMMAND...: makes a share of many runs, on whatever host and
// started by whatever engine. Exit status: 0 all runs were made, whatever came of them; 3 the same,
// but nothing was checked in them; 99 the host is unfit; 127 or 126 COMMAND cannot be started; 130
// interrupted; 2 wrong usage.

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "archive.h"
#include "arguments.h"
#include "base/command.h"
#include "base/quantity.h"
#include "file/output.h"
#include "libraries.h"
#include "manifest.h"
#include "printable.h"
#include "run/checked.h"
#include "run/folder.h"
#include "run/guard.h"
#include "run/history.h"
#include "run/policy.h"
#include "run/shown.h"
#include "run/summary.h"
#include "tries.h"

enum { EXIT_UNFIT = 99, EXIT_INTERRUPTED = 130, DEFAULT_TIMEOUT = 600, MAX_JOBS = 1024 };

// Below that a run could lose what it writes, and nobody would know.
enum { LEAST_ROOM = 16 << 20 };

static const char description[] =
    "Make the runs F to L of COMMAND, whose numbers are their seeds, and write what they have "
    "shown to one ARCHIVE, which is there when it is whole. Any host and any engine may carry out "
    "a unit; `rsan merge ARCHIVE...' gives what `rsan run --schedule' gives for all of them."
    "\v"
    "TIME is a number of seconds, or has one of the units s, m and h. ARCHIVE is tar and gzip; - "
    "is standard output. For each report the archive keeps the run with the shortest schedule; it "
    "keeps all failed runs.\n"
    "\n"
    "Exit status: 0 carried out, whatever the runs were; 3 carried out, but nothing was checked in "
    "them, or no atomic access was seen (--allow-empty: 0); 99 this host cannot carry it out: "
    "another architecture or libc, another build of the program (--checksum), no room on the disk; "
    "127 or 126 COMMAND cannot be started; 130 interrupted; 2 wrong usage.\n";

enum {
  KEY_SEEDS = 256,
  KEY_SCHEDULE,
  KEY_WEAK,
  KEY_TIMEOUT,
  KEY_KEEP,
  KEY_ATTEMPT,
  KEY_CHECKSUM,
  KEY_PROGRAM,
  KEY_TRIES
};

static const struct argp_option options[] = {
    {"seeds", KEY_SEEDS, "F..L", 0, "make the runs F to L", 0},
    {"output", 'o', "ARCHIVE", 0, "write ARCHIVE", 0},
    {"schedule", KEY_SCHEDULE, "POLICY", 0, "random, pct, pos, delay, or off (mix)", 0},
    {"weak", KEY_WEAK, NULL, 0, "give stale values at random", 0},
    {"jobs", 'j', "N", 0, "make N runs at a time (1)", 0},
    {"time", 't', "TIME", 0, "start no run after TIME", 0},
    {"timeout", KEY_TIMEOUT, "TIME", 0, "end a run that takes longer (600; 0: none)", 0},
    {"keep", KEY_KEEP, NULL, 0, "put the logs of all runs into the archive", 0},
    ALLOW_EMPTY_OPTION,
    {"attempt", KEY_ATTEMPT, "N", 0, "note that this is the Nth try of the unit (1)", 0},
    {"program", KEY_PROGRAM, "FILE", 0, "name FILE in the manifest, if COMMAND starts it", 0},
    {"tries", KEY_TRIES, "FILE", 0, "make the runs that FILE describes", 0},
    {"checksum", KEY_CHECKSUM, "HEX", 0, "end with 99 if the program has another sha256", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  struct unit unit;
  struct tries tries;
  const char *output, *sha256, *program, *tries_file;
  bool keep, full;
};

static void parse_seeds(const struct argp_state *state, const char *text, struct run_plan *plan) {
  unsigned first, last;
  int length = 0;
  if (sscanf(text, "%u..%u%n", &first, &last, &length) != 2 || text[length] || strchr(text, '-') ||
      !first || last < first || last == UINT_MAX)
    arguments_error(state, "--seeds: it must be F..L, two numbers from 1 on, not %s", text);
  plan->earlier = first - 1;
  plan->iterations = last;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  struct run_plan *plan = &arguments->unit.plan;
  if (checked_take_option(key, &plan->allow_empty))
    return 0;
  switch (key) {
  case KEY_SEEDS:
    parse_seeds(state, text, plan);
    return 0;
  case 'o':
    arguments->output = text;
    return 0;
  case KEY_SCHEDULE:
    plan->schedule = strcmp(text, "off") == 0 ? NULL : policy_parse(state, text);
    return 0;
  case KEY_WEAK:
    plan->weak = true;
    return 0;
  case 'j':
    plan->jobs = quantity_count(state, "--jobs", text, MAX_JOBS);
    return 0;
  case 't':
    plan->time = quantity_seconds(state, "--time", text);
    if (plan->time <= 0)
      arguments_error(state, "--time: it must be more than 0");
    return 0;
  case KEY_TIMEOUT:
    plan->timeout = quantity_seconds(state, "--timeout", text);
    return 0;
  case KEY_KEEP:
    arguments->keep = true;
    return 0;
  case KEY_ATTEMPT:
    arguments->unit.attempt = quantity_count(state, "--attempt", text, UINT_MAX);
    return 0;
  case KEY_CHECKSUM:
    arguments->sha256 = text;
    return 0;
  case KEY_PROGRAM:
    arguments->program = text;
    return 0;
  case KEY_TRIES:
    arguments->tries_file = text;
    return 0;
  case ARGP_KEY_ARG:
    plan->command = arguments_command(state);
    return 0;
  case ARGP_KEY_NO_ARGS:
    arguments_error(state, "which COMMAND?");
    return 0;
  case ARGP_KEY_END:
    if (!plan->iterations)
      arguments_error(state, "which runs? Name them: --seeds 1..100");
    if (!arguments->output)
      arguments_error(state, "which ARCHIVE? Name it: --output unit.tgz, or - for standard output");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static bool has_room(const char *folder) {
  struct statvfs status;
  return statvfs(folder, &status) != 0 ||
         (unsigned long long)status.f_bavail * status.f_frsize >= LEAST_ROOM;
}

// Called while runs are made. What a run wrote to a full disk is not what it wanted to write.
static void watch(void *context) {
  struct arguments *arguments = context;
  arguments->full |= !has_room(arguments->unit.plan.folder);
}

static int say_unfit(const char *name, const char *reason) {
  print_line(stderr, "%s: this host is not fit: %s", name, reason);
  return EXIT_UNFIT;
}

static int check_host(struct arguments *arguments, const char *name) {
  char reason[2 * PATH_MAX];
  struct program *program = &arguments->unit.program;
  const char *file = arguments->program ? arguments->program : arguments->unit.plan.command[0];
  if (!program_find(file, program)) {
    int error = errno;
    print_line(stderr, "%s: %s: %s", name, file, strerror(error));
    return error == ENOENT ? 127 : 126;
  }
  if (arguments->sha256 && strcmp(arguments->sha256, program->sha256) != 0) {
    snprintf(reason, sizeof reason, "%s is another build: sha256 %s, not %s", program->path,
             program->sha256, arguments->sha256);
    return say_unfit(name, reason);
  }
  if (!program_fits(program, reason, sizeof reason))
    return say_unfit(name, reason);
  if (strcmp(arguments->output, "-") != 0 && !file_output_check(arguments->output)) {
    print_line(stderr, "%s: cannot write %s: %s", name, arguments->output, strerror(errno));
    return EXIT_UNFIT;
  }
  return 0;
}

// Removes the folders of runs with reports, except the run that each report was taken from.
static void prune(const struct run_plan *plan, const struct records *records, FILE *history) {
  static const char *tokens[HISTORY_TOKENS];
  char *line = NULL;
  size_t room = 0, count;
  rewind(history);
  while (getline(&line, &room, history) >= 0) {
    struct past_run run;
    cJSON *tree;
    if (history_read(line, &run, tokens, &count, &tree) && run.end == RUN_REPORTING && !run.core &&
        !run_is_shown(plan, records, run.number))
      run_folder_remove(plan, run.number);
    cJSON_Delete(tree);
  }
  free(line);
}

// The status of a unit whose archive is written. Failures are no empty result: `rsan merge' has a
// status for them. Tries are judged by `rsan confirm' or `rsan check'.
static int judge_checked(const struct arguments *arguments, const struct runs *runs,
                         const char *name) {
  bool allowed = arguments->unit.plan.allow_empty;
  if (arguments->tries_file || runs->records.count || runs->first_failed)
    return 0;
  checked_print(&runs->records, name, allowed, stderr);
  return checked_status(&runs->records, allowed, 0);
}

static int finish(struct arguments *arguments, struct runs *runs, const char *name) {
  const struct run_plan *plan = &arguments->unit.plan;
  char reason[2 * PATH_MAX];
  bool no_room = runs_start_status(runs->start_error) == EXIT_USAGE;
  if (runs->start_error && !no_room)
    return runs_start_status(runs->start_error);
  if (runs->interrupted)
    return EXIT_INTERRUPTED;
  if (*arguments->tries.unfit)
    return say_unfit(name, arguments->tries.unfit);
  watch(arguments);
  if (no_room || arguments->full || ferror(plan->history) || fflush(plan->history) != 0) {
    snprintf(reason, sizeof reason, "%s has less than %d MB of room left", plan->folder,
             LEAST_ROOM >> 20);
    return say_unfit(name, reason);
  }
  if (!arguments->keep && !plan->guide)
    prune(plan, &runs->records, plan->history);
  if (!summary_write(plan, runs, true))
    return EXIT_UNFIT;
  char *manifest = manifest_text(&arguments->unit, runs);
  bool written = archive_write(plan->folder, manifest, arguments->output, reason, sizeof reason);
  free(manifest);
  if (!written)
    print_line(stderr, "%s: cannot write %s: %s", name, arguments->output, reason);
  return written ? judge_checked(arguments, runs, name) : EXIT_UNFIT;
}

// False after a message.
static bool take_tries(struct arguments *arguments, const char *name) {
  char reason[2 * PATH_MAX];
  struct run_plan *plan = &arguments->unit.plan;
  if (!arguments->tries_file)
    return true;
  bool read = tries_read(&arguments->tries, arguments->tries_file, plan->earlier + 1,
                         plan->iterations, reason, sizeof reason);
  if (!read)
    say_unfit(name, reason);
  tries_guide(&arguments->tries, plan);
  arguments->unit.tries = arguments->tries.digest;
  if (plan->same_addresses)
    libraries_pin(&arguments->unit.program);
  return read;
}

static int carry_out(struct arguments *arguments, const char *name) {
  struct run_plan *plan = &arguments->unit.plan;
  struct runs runs = {.records = {.by_stacks = true}};
  char path[PATH_MAX + 32];
  struct timespec now;
  snprintf(path, sizeof path, "%s/runs.jsonl", plan->folder);
  plan->history = fopen(path, "w+e");
  plan->watch = watch;
  plan->watched = arguments;
  clock_gettime(CLOCK_REALTIME, &now);
  arguments->unit.begun = (double)now.tv_sec;
  int status;
  if (!plan->history) {
    status = say_unfit(name, strerror(errno));
  } else {
    runs_do(plan, name, &runs);
    status = finish(arguments, &runs, name);
    fclose(plan->history);
  }
  records_free(&runs.records);
  return status;
}

int command_unit(int argc, char **argv) {
  static const struct argp argp = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "[--] COMMAND [ARGUMENT...]",
                                   .doc = description};
  struct arguments arguments = {.unit = {.attempt = 1,
                                         .plan = {.jobs = 1,
                                                  .timeout = DEFAULT_TIMEOUT,
                                                  .schedule = "mix",
                                                  .elsewhere = true,
                                                  .progress = stderr}}};
  struct run_plan *plan = &arguments.unit.plan;
  if (arguments_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments) != 0)
    return EXIT_USAGE;
  guard_begin();
  int unfit = check_host(&arguments, argv[0]);
  if (unfit)
    return unfit;
  plan->keep = arguments.keep;
  plan->folder = take_tries(&arguments, argv[0]) ? run_folder_make(argv[0], NULL) : NULL;
  int status = plan->folder ? carry_out(&arguments, argv[0]) : EXIT_UNFIT;
  tries_free(&arguments.tries);
  return status;
}
