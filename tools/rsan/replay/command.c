// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan replay [--gdb] [--trust] FILE [TOKEN]: runs a program again in the order that a recorded
// schedule has. FILE is the schedule, or the reports of `rsan run --schedule`. The exit status is
// the program's; 2: wrong usage, or a program that is not trusted; 127 or 126: the program cannot
// be started.

#include <argp.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "base/command.h"
#include "base/options.h"
#include "base/shell.h"
#include "file/line.h"
#include "need.h"
#include "printable.h"
#include "replay/trusted.h"
#include "report/record.h"
#include "trust/head.h"

static const char description[] =
    "Run the program of a recorded schedule again, with the same threads in the same order. FILE "
    "is the schedule (schedule_file= of RSAN_OPTIONS), or the reports of `rsan run --schedule' "
    "(reports.jsonl): then the schedule of the first report, or of the one with that TOKEN."
    "\v"
    "The program gets the arguments that it had, and RSAN_OPTIONS with replay=. If the run differs "
    "from the record, it says where. A program whose runs rsan run, check or confirm has not had "
    "recorded for this user, with these arguments, is only run with --trust.\n";

enum { KEY_GDB = 256, KEY_TRUST };

static const struct argp_option options[] = {
    {"gdb", KEY_GDB, NULL, 0, "run it in gdb", 0},
    {"trust", KEY_TRUST, NULL, 0, "run a program that was not recorded here", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  const char *file, *token;
  bool gdb, trust;
};

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  switch (key) {
  case KEY_GDB:
    arguments->gdb = true;
    return 0;
  case KEY_TRUST:
    arguments->trust = true;
    return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1)
      arguments_error(state, "%s: what is this? There is one FILE and one TOKEN", text);
    *(state->arg_num ? &arguments->token : &arguments->file) = text;
    return 0;
  case ARGP_KEY_NO_ARGS:
    arguments_error(state, "which FILE?");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

// The schedule that the line's report names, if it is the wanted one. The caller frees it.
static char *schedule_of(const char *line, const char *token) {
  cJSON *record = cJSON_Parse(line);
  const char *own = record_text(record, "token"), *old = record_text(record, "token_v1"),
             *file = record_text(record_object(record, "schedule"), "file");
  char *found =
      file && (!token || (own && strcmp(own, token) == 0) || (old && strcmp(old, token) == 0))
          ? strdup(file)
          : NULL;
  cJSON_Delete(record);
  return found;
}

// How the recorded run departs from sequential consistency, as the options of its schedule say.
struct departs {
  bool any, explored;
  unsigned most; // departures; 0: any number
};

static struct departs departs_of(const char *text) {
  const char *weak = strstr(text, ":weak="), *most = strstr(text, ":weak_departures=");
  return (struct departs){
      .any = weak,
      .explored = weak && strncmp(weak, ":weak=explored:", strlen(":weak=explored:")) == 0,
      .most = most ? (unsigned)strtoul(most + strlen(":weak_departures="), NULL, 10) : 0};
}

// Returns the path of the schedule that the report with the token names; without a token, of the
// first report that names one. Returns NULL if no report does. The caller frees it.
static char *find_schedule(const char *reports, const char *token) {
  FILE *in = fopen(reports, "r");
  char *line = NULL, *found = NULL;
  size_t size = 0;
  while (in && !found && file_line(&line, &size, in) >= 0)
    found = schedule_of(line, token);
  if (in)
    fclose(in);
  free(line);
  return found;
}

// Reads the head of the schedule *FILE. If *FILE has reports instead, replaces it by the schedule
// that they name. Returns false after a message if there is no schedule. The caller frees *FILE and
// the head.
static bool find_head(const char *name, const char *token, char **file,
                      struct schedule_head *head) {
  bool is_schedule, read = schedule_head_read(*file, head, &is_schedule);
  char *named = read && !is_schedule ? find_schedule(*file, token) : NULL;
  if (named) {
    free(*file);
    *file = named;
    read = schedule_head_read(*file, head, &is_schedule);
  }
  if (!read)
    print_line(stderr, "%s: %s: %s", name, *file,
               errno == EINVAL ? "not a regular file" : strerror(errno));
  else if (!is_schedule || !head->arguments)
    print_line(stderr,
               "%s: %s: there is no schedule%s%s: record one with schedule_file=FILE in "
               "RSAN_OPTIONS, or make the runs with `rsan run --schedule'",
               name, *file, token && !named ? " of a report with token " : "",
               token && !named ? token : "");
  return read && is_schedule && head->arguments;
}

// Returns whether rsan has recorded this program; otherwise prints what would be run.
static bool is_trusted(const char *name, const char *file, const struct schedule_head *head,
                       char *const *words) {
  enum schedule_trust trust = schedule_trusted(head, words[0]);
  if (trust == SCHEDULE_TRUSTED)
    return true;
  print_line(stderr, "%s: %s %s, so its program is not run. Add --trust to run it:", name, file,
             trust == SCHEDULE_FOREIGN ? "was not recorded by a command of rsan here"
                                       : "was recorded with another build of the program");
  char *line = shell_line((const char *const *)words);
  print_line(stderr, "  %s", line);
  free(line);
  return false;
}

// Returns whether the recorded run followed an execution graph, which is in the file FILE.graph.
static bool follows_graph(const struct schedule_head *head) {
  return head->options && strstr(head->options, ":graph=1");
}

static void set_graph(const char *file) {
  const char *quote = options_quote(file);
  char *more = NULL;
  if (asprintf(&more,
               "%s:explore_by_graphs=0:history=exact:history_size=250:explore_graph=%s%s.graph%s:",
               options_failures() + 1, quote, file, quote) < 0)
    abort();
  char *options = options_replay(more, "");
  options_add("RSAN_OPTIONS", options);
  free(options);
  free(more);
}

static void set_replay(const char *file, const struct departs *departs) {
  char weak[256];
  int used = snprintf(weak, sizeof weak, "%s:", options_failures() + 1);
  if (departs->any)
    snprintf(weak + used, sizeof weak - (size_t)used, "%sweak_departures=%u:",
             departs->explored ? "history=exact:history_size=250:weak=explored:" : "weak=random:",
             departs->most);
  char *more = options_replay(weak, file);
  options_add("RSAN_OPTIONS", more);
  free(more);
}

static int run(const char *name, char **words) {
  execvp(words[0], words);
  print_line(stderr, "%s: %s: %s", name, words[0], strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

int command_replay(int argc, char **argv) {
  static const struct argp argp = {
      .options = options, .parser = parse_option, .args_doc = "FILE [TOKEN]", .doc = description};
  struct arguments arguments = {0};
  if (arguments_parse(&argp, argc, argv, 0, &arguments) != 0)
    return EXIT_USAGE;
  char *file = need(strdup(arguments.file)), **words = NULL;
  struct schedule_head head;
  int status = EXIT_USAGE;
  if (find_head(argv[0], arguments.token, &file, &head)) {
    char *line = need(strdup(head.arguments));
    words = schedule_words(line, 2);
    words[0] = (char *)"gdb";
    words[1] = (char *)"--args";
    if (!words[2]) {
      print_line(stderr, "%s: %s: it does not say which program it is of", argv[0], file);
    } else if (arguments.trust || is_trusted(argv[0], file, &head, words + 2)) {
      const struct departs departs = departs_of(head.options ? head.options : "");
      if (follows_graph(&head))
        set_graph(file);
      else
        set_replay(file, &departs);
      status = run(argv[0], arguments.gdb ? words : words + 2);
    }
    free(line);
  }
  free(words);
  schedule_head_free(&head);
  free(file);
  return status;
}
