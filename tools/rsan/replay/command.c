// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan replay [--gdb] FILE [TOKEN]: runs the program of a recorded schedule again, by that
// schedule. FILE is the schedule, or the reports of `rsan run --schedule`. Exit status: that of the
// program; 2 wrong usage; 127 or 126 if the program cannot be started.

#include <argp.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "command.h"
#include "options.h"
#include "printable.h"
#include "report/record.h"

#define MAGIC     "rsan-schedule 1"
#define ARGUMENTS "arguments "
#define OPTIONS   "options "
#define STEPS     "steps" // the head's end

static const char description[] =
    "Runs the program of a recorded schedule again, with the same threads in the same order. FILE "
    "is the schedule (schedule_file= of RSAN_OPTIONS), or the reports of `rsan run --schedule' "
    "(reports.jsonl): then the schedule of the first report, or of the one with that TOKEN."
    "\v"
    "The program gets the arguments that it had, and RSAN_OPTIONS with replay=. If the run differs "
    "from the record, it says where.\n";

enum { KEY_GDB = 256 };

static const struct argp_option options[] = {
    {"gdb", KEY_GDB, NULL, 0, "run it in gdb", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  const char *file, *token;
  bool gdb;
};

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  switch (key) {
  case KEY_GDB:
    arguments->gdb = true;
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
  const char *own = record_text(record, "token"),
             *file = record_text(record_object(record, "schedule"), "file");
  char *found = file && (!token || (own && strcmp(own, token) == 0)) ? strdup(file) : NULL;
  cJSON_Delete(record);
  return found;
}

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Undoes "%20" and the like, in place.
static void unescape(char *text) {
  char *to = text;
  for (; *text; text++)
    if (*text == '%' && digit(text[1]) >= 0 && digit(text[2]) >= 0) {
      *to++ = (char)(digit(text[1]) << 4 | digit(text[2]));
      text += 2;
    } else {
      *to++ = *text;
    }
  *to = 0;
}

// The words of a line, behind `first` others. NULL at the end.
static char **split(char *line, size_t first) {
  size_t count = first;
  char **words = calloc(strlen(line) + first + 2, sizeof *words), *rest = NULL;
  if (!words)
    abort();
  for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    unescape(word);
    words[count++] = word;
  }
  return words;
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

// Reads a file that is a schedule, or names one. Gives the schedule's path in *FILE, which the
// caller frees, what its run departs by, and the line of its arguments; NULL, after a message, if
// there is none.
static char *find_arguments(const char *name, const char *token, char **file,
                            struct departs *departs) {
  FILE *in = fopen(*file, "r");
  char *line = NULL, *found = NULL;
  size_t size = 0;
  bool is_schedule = false, is_head = true;
  errno = in ? 0 : errno;
  for (unsigned number = 0; in && is_head && getline(&line, &size, in) >= 0; number++) {
    line[strcspn(line, "\n")] = 0;
    if (number == 0)
      is_schedule = strcmp(line, MAGIC) == 0;
    if (is_schedule && !found && strncmp(line, ARGUMENTS, strlen(ARGUMENTS)) == 0)
      found = strdup(line + strlen(ARGUMENTS));
    if (is_schedule && strncmp(line, OPTIONS, strlen(OPTIONS)) == 0)
      *departs = departs_of(line);
    is_head = !is_schedule || strcmp(line, STEPS) != 0;
    char *named = is_schedule ? NULL : schedule_of(line, token);
    if (named) {
      fclose(in);
      free(line);
      free(*file);
      *file = named;
      return find_arguments(name, NULL, file, departs);
    }
  }
  if (!in || ferror(in))
    print_line(stderr, "%s: %s: %s", name, *file, strerror(errno));
  else if (!found)
    print_line(stderr,
               "%s: %s: there is no schedule%s%s: record one with schedule_file=FILE in "
               "RSAN_OPTIONS, or make the runs with `rsan run --schedule'",
               name, *file, token ? " of a report with token " : "", token ? token : "");
  if (in)
    fclose(in);
  free(line);
  return found;
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

int command_replay(int argc, char **argv) {
  static const struct argp argp = {
      .options = options, .parser = parse_option, .args_doc = "FILE [TOKEN]", .doc = description};
  struct arguments arguments = {0};
  if (arguments_parse(&argp, argc, argv, 0, &arguments) != 0)
    return EXIT_USAGE;
  char *file = strdup(arguments.file);
  struct departs departs = {0};
  char *line = file ? find_arguments(argv[0], arguments.token, &file, &departs) : NULL;
  if (!line) {
    free(file);
    return EXIT_USAGE;
  }
  char **words = split(line, 2), **start = words + 2;
  if (arguments.gdb) {
    words[0] = (char *)"gdb";
    words[1] = (char *)"--args";
    start = words;
  }
  set_replay(file, &departs);
  int status = EXIT_USAGE;
  if (!start[0]) {
    print_line(stderr, "%s: %s: it does not say which program it is of", argv[0], file);
  } else {
    execvp(start[0], start);
    print_line(stderr, "%s: %s: %s", argv[0], start[0], strerror(errno));
    status = errno == ENOENT ? 127 : 126;
  }
  free(words);
  free(line);
  free(file);
  return status;
}
