// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan baseline write FILE REPORTS...: the findings that are known from now on. rsan baseline diff
// OLD NEW: what has come and what has gone.

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/command.h"
#include "base/plural.h"
#include "complain.h"
#include "file/output.h"
#include "printable.h"
#include "report/baseline.h"
#include "report/output.h"
#include "report/reader.h"

static const char description[] =
    "Work with files of known findings: `write FILE REPORTS...' or `diff OLD NEW'. `write' reads "
    "the reports in REPORTS..., as `rsan report' does, and writes a line for each of "
    "them to FILE: these findings are known. `diff' prints the findings that only one of two such "
    "files has."
    "\v"
    "`rsan run --baseline FILE' and `rsan report --baseline FILE' fail for other findings alone.\n"
    "\n"
    "Exit status: 0 FILE was written, or the two files have the same findings; 1 they have not, or "
    "something in REPORTS could not be read or symbolized, and the rest was written; 2 wrong "
    "usage, a file that cannot be opened, or FILE cannot be written.\n";

struct arguments {
  char **words; // what to do, and files; NULL at the end
};

static size_t count_words(char *const *words) {
  size_t count = 0;
  while (words[count])
    count++;
  return count;
}

static void check_words(const struct argp_state *state, char *const *words) {
  size_t count = count_words(words);
  bool writes = strcmp(*words, "write") == 0, compares = strcmp(*words, "diff") == 0;
  if (!writes && !compares)
    arguments_error(state, "%s: unknown word; use write or diff", *words);
  if (writes && count < 3)
    arguments_error(state, "write: which FILE, and which REPORTS? (- is standard input)");
  if (compares && count != 3)
    arguments_error(state, "diff: which two files?");
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  (void)text;
  switch (key) {
  case ARGP_KEY_ARGS:
    arguments->words = state->argv + state->next;
    check_words(state, arguments->words);
    return 0;
  case ARGP_KEY_NO_ARGS:
    arguments_error(state, "write or diff?");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void write_file(const char *path, const struct baseline *baseline) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out)
    baseline_write(baseline, out);
  if (!out || fclose(out) != 0 || !file_output(path, text, size))
    complain(STATUS_FAILED, "cannot write %s: %s", path, strerror(errno));
  else
    print_line(stdout, "%zu known finding%s in %s", baseline->count, plural(baseline->count), path);
  free(text);
}

static void write_baseline(const char *path, char *const *files) {
  struct collection collection = {
      .modules = {.sysroot = ""}, .strip_prefix = "", .source_root = ""};
  struct baseline baseline = {0};
  bool any = false;
  for (; *files; files++)
    any |= read_reports(&collection, *files);
  collection_finish(&collection);
  for (size_t i = 0; i < collection.count; i++) {
    char *words = finding_words(collection.at[i].record);
    baseline_add(&baseline, collection.at[i].token, words);
    free(words);
  }
  baseline_sort(&baseline);
  if (any)
    write_file(path, &baseline);
  baseline_clear(&baseline);
  collection_clear(&collection);
}

// Prints what A has and B has not.
static bool print_missing(const struct baseline *a, const struct baseline *b, char sign) {
  bool any = false;
  for (size_t i = 0; i < a->count; i++) {
    if (baseline_find(b, a->at[i].token))
      continue;
    print_line(stdout, "%c %s %s", sign, a->at[i].token, a->at[i].text);
    any = true;
  }
  return any;
}

static int compare_files(const char *old, const char *new) {
  struct baseline a = {0}, b = {0};
  bool differ = false;
  if (baseline_read(&a, old) && baseline_read(&b, new)) {
    differ = print_missing(&a, &b, '-');
    differ |= print_missing(&b, &a, '+');
  }
  baseline_clear(&a);
  baseline_clear(&b);
  return complaint_status() ? complaint_status() : differ;
}

int command_baseline(int argc, char **argv) {
  static const struct argp argp = {
      .parser = parse_option, .args_doc = "write|diff FILE...", .doc = description};
  struct arguments arguments = {0};
  if (arguments_parse(&argp, argc, argv, 0, &arguments) != 0)
    return EXIT_USAGE;
  signal(SIGPIPE, SIG_IGN); // of the symbolizer that has ended, and of standard output
  if (strcmp(*arguments.words, "diff") == 0)
    return compare_files(arguments.words[1], arguments.words[2]);
  write_baseline(arguments.words[1], arguments.words + 2);
  return complaint_status();
}
