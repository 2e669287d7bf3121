// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan compare OLD NEW: what has become of the findings of one build in another one. A finding is
// the same if its token is. What a program does by it is in the member "confirmed" of its record,
// of `rsan check' or `rsan confirm'.

#include <argp.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arguments.h"
#include "base/command.h"
#include "complain.h"
#include "printable.h"
#include "report/classes.h"
#include "report/collection.h"
#include "report/confirmed.h"
#include "report/groups.h"
#include "report/output.h"
#include "report/reader.h"
#include "report/record.h"

static const char description[] =
    "Say what has become of the findings in OLD, such as those before a repair, in NEW. Each is a "
    "file of records or text, or the folder of `rsan run', `check' or `confirm' with --output."
    "\v"
    "A finding is new, gone, or stays. Its line says what the program does by it, as far as `rsan "
    "check' or `rsan confirm' has tried it, and what it did before.\n"
    "\n"
    "Exit status: 66 there is a new finding, or the program fails by one that stays and did not "
    "before; 0 there is none; 1 some frames could not be symbolized; 2 wrong usage, or a file that "
    "cannot be read.\n";

struct arguments {
  char *const *files;
};

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  (void)text;
  switch (key) {
  case ARGP_KEY_ARGS:
    arguments->files = state->argv + state->next;
    if (state->argc - state->next != 2)
      arguments_error(state, "which two files or folders: OLD and NEW?");
    return 0;
  case ARGP_KEY_NO_ARGS:
    arguments_error(state, "which two files or folders: OLD and NEW?");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

// A folder without reports of violations has an empty file.
static bool read_side(struct collection *collection, const char *name) {
  char path[PATH_MAX];
  struct stat info;
  const bool is_folder = stat(name, &info) == 0 && S_ISDIR(info.st_mode);
  *collection =
      (struct collection){.modules = {.sysroot = ""}, .strip_prefix = "", .source_root = ""};
  snprintf(path, sizeof path, "%s%s", name, is_folder ? "/reports.jsonl" : "");
  const bool is_read = read_reports(collection, path);
  collection_finish(collection);
  return is_read;
}

// The consequence of a finding for the program. The worst one comes first.
enum answer { FAILS, OPEN, MILD, HARMLESS, FAILS_NOT };

static enum answer answer_of(const cJSON *record) {
  if (!record_is_violation(record) || record_is_confirmed(record))
    return FAILS;
  if (class_of(record) == CLASS_HARMLESS)
    return HARMLESS;
  return record_object(record, "confirmed") ? FAILS_NOT : record_is_mild(record) ? MILD : OPEN;
}

static const char *answer_text(enum answer answer) {
  static const char *const texts[] = {"fails", "not tried", "an older value does little",
                                      "harmless", "no failure was seen"};
  return texts[answer];
}

struct counts {
  size_t fresh, worse, gone, stays, answers[FAILS_NOT + 1];
};

static const struct entry *find_token(const struct collection *collection, const char *token) {
  for (size_t i = 0; i < collection->count; i++)
    if (strcmp(collection->at[i].token, token) == 0)
      return &collection->at[i];
  return NULL;
}

// Has OTHER a finding of these words that COLLECTION has not?
static bool has_like(const struct collection *other, const struct collection *collection,
                     const char *words) {
  bool found = false;
  for (size_t i = 0; i < other->count && !found; i++) {
    char *own = finding_words(other->at[i].record);
    found = strcmp(own, words) == 0 && !find_token(collection, other->at[i].token);
    free(own);
  }
  return found;
}

static void print_one(const char *what, const struct entry *entry, const char *rest) {
  char *words = finding_words(entry->record);
  print_line(stdout, "%-6s %s %s%s%s", what, entry->token, words, *rest ? ": " : "", rest);
  free(words);
}

// Prints the findings that THERE lacks, and returns their number.
static size_t print_only(const char *what, const struct collection *here,
                         const struct collection *there) {
  size_t count = 0;
  for (size_t i = 0; i < here->count; i++) {
    const struct entry *entry = &here->at[i];
    if (find_token(there, entry->token))
      continue;
    char *words = finding_words(entry->record), *rest = NULL;
    const bool like = has_like(there, here, words);
    if (asprintf(&rest, "%s%s", answer_text(answer_of(entry->record)),
                 like ? "; the other side has one like it: its statement may have changed" : "") <
        0)
      abort();
    print_one(what, entry, rest);
    free(rest);
    free(words);
    count++;
  }
  return count;
}

static void print_stays(const struct collection *old, const struct collection *new,
                        struct counts *counts) {
  for (size_t i = 0; i < new->count; i++) {
    const struct entry *before = find_token(old, new->at[i].token);
    if (!before)
      continue;
    const enum answer now = answer_of(new->at[i].record), then = answer_of(before->record);
    char *rest = NULL;
    if (asprintf(&rest, "%s%s%s%s", answer_text(now), now != then ? " (before: " : "",
                 now != then ? answer_text(then) : "", now != then ? ")" : "") < 0)
      abort();
    print_one("stays", &new->at[i], rest);
    free(rest);
    counts->stays++;
    counts->answers[now]++;
    counts->worse += now == FAILS && then != FAILS;
  }
}

static int compare(const struct collection *old, const struct collection *new) {
  struct counts counts = {0};
  counts.fresh = print_only("new", new, old);
  print_stays(old, new, &counts);
  counts.gone = print_only("gone", old, new);
  printf("%zu new, %zu gone, %zu stay%s", counts.fresh, counts.gone, counts.stays,
         counts.stays ? ":" : "");
  const char *separator = " ";
  for (size_t i = 0; i <= FAILS_NOT; i++)
    if (counts.answers[i]) {
      printf("%s%zu %s", separator, counts.answers[i], answer_text((enum answer)i));
      separator = ", ";
    }
  putchar('\n');
  return counts.fresh || counts.worse ? EXIT_REPORTS : 0;
}

int command_compare(int argc, char **argv) {
  static const struct argp argp = {
      .parser = parse_option, .args_doc = "OLD NEW", .doc = description};
  struct arguments arguments = {0};
  struct collection old, new;
  if (arguments_parse(&argp, argc, argv, 0, &arguments) != 0)
    return EXIT_USAGE;
  signal(SIGPIPE, SIG_IGN); // of the symbolizer that has ended, and of standard output
  const bool any = read_side(&old, arguments.files[0]), both = read_side(&new, arguments.files[1]);
  const int status = any && both ? compare(&old, &new) : EXIT_USAGE;
  collection_clear(&old);
  collection_clear(&new);
  return complaint_status() ? (int)complaint_status() : status;
}
