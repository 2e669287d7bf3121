// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-edit RULES [-- FLAG...]: writes the rules of a repair into the sources.

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "compiler-rt-patch/src/common/rsan_words.h"
#include "edit.h"
#include "file/lock.h"
#include "printable.h"

const char *argp_program_version = "rsan-edit " RSAN_VERSION;

static const char description[] =
    "Turn the rules of a repair (the form that RSAN_OPTIONS=simulate= reads, places as "
    "FILE:LINE:COLUMN) into changes of the sources: a unified diff on standard output."
    "\v"
    "Flags for the compiler come from compile_commands.json and from the FLAGs. rsan-edit does not "
    "edit macros, system headers and places where a change would alter what the program does; it "
    "names them on standard error. With --write it changes the sources, but only if all rules can "
    "be written into them.\n"
    "\n"
    "Exit status: 0 all rules are in the diff, and with --write in the sources; 1 some rules "
    "cannot be written, and no source was changed; 2 wrong usage, or a file cannot be read or "
    "written, and no source was changed; 3 changed sources could not be restored. Messages name "
    "them.\n";

enum { KEY_YAML = 256, KEY_WRITE, KEY_RELATIVE, KEY_JUDGE, KEY_OVERLAY, KEY_BINARY, KEY_NEVER };

static const struct argp_option options[] = {
    {"database", 'p', "DIR", 0, "take compiler flags from compile_commands.json", 0},
    {"yaml", KEY_YAML, "FILE", 0, "write FILE for clang-apply-replacements", 0},
    {"output", 'o', "FILE", 0, "also write the diff to FILE", 0},
    {"write", KEY_WRITE, NULL, 0, "change the files, all or none", 0},
    {"binary", KEY_BINARY, "PROGRAM", 0, "change only PROGRAM's sources; may be repeated", 0},
    {"never-edit", KEY_NEVER, "DIR", 0, "edit no source below DIR; may be repeated", 0},
    {"overlay", KEY_OVERLAY, "DIR", 0, "write changed copies to DIR for -ivfsoverlay", 0},
    {"relative-to", KEY_RELATIVE, "DIR", 0, "name files in the diff relative to DIR", 0},
    {"judge", KEY_JUDGE, NULL, OPTION_HIDDEN, "say of each rule how much it changes, for rsan fix",
     0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  switch (key) {
  case 'p':
    arguments->database = text;
    return 0;
  case KEY_YAML:
    arguments->yaml = text;
    return 0;
  case KEY_WRITE:
    arguments->write = true;
    return 0;
  case 'o':
    arguments->output = text;
    return 0;
  case KEY_BINARY:
    arguments->binaries[arguments->binary_count++] = text;
    return 0;
  case KEY_NEVER:
    if (access(text, F_OK) != 0)
      arguments_error(state, "--never-edit: %s: %s", text, strerror(errno));
    arguments->kept[arguments->kept_count++] = text;
    return 0;
  case KEY_RELATIVE:
    arguments->relative = text;
    return 0;
  case KEY_OVERLAY:
    arguments->overlay = text;
    return 0;
  case KEY_JUDGE:
    arguments->judge = true;
    return 0;
  case ARGP_KEY_ARG:
    if (arguments->rules)
      arguments_error(state, "one file of RULES only");
    arguments->rules = text;
    return 0;
  case ARGP_KEY_NO_ARGS:
    arguments_error(state, "which RULES?");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

// Fences are not written into sources of Rust: the reason says in Rust's words what to write there.
static bool refuse_rust(struct rule *rule) {
  if (!rsan_is_rust_source(rule->file) || rule->kind == RULE_ORDER)
    return false;
  rule_refuse(rule, "a source of Rust, into which no fence is written; there the fence is %s",
              rsan_fence_text(true));
  return true;
}

static bool is_below(const char *path, const char *folder) {
  char *real = realpath(folder, NULL);
  const size_t length = real ? strlen(real) : 0;
  const bool is =
      real && strncmp(path, real, length) == 0 && (path[length] == '/' || strcmp(real, "/") == 0);
  free(real);
  return is;
}

// The file's name is absolute.
static void refuse_kept(struct rule *rule, const char *const *kept) {
  for (; *kept; kept++)
    if (is_below(rule->file, *kept)) {
      rule_refuse(rule, "it is in %s, where --never-edit keeps sources", *kept);
      return;
    }
}

// Absolute names, so that one file is edited once.
static void resolve(struct editing *editing) {
  for (size_t i = 0; i < editing->rules.count; i++) {
    if (refuse_rust(&editing->rules.at[i]))
      continue;
    char *path = realpath(editing->rules.at[i].file, NULL);
    if (!path) {
      rule_refuse(&editing->rules.at[i], "the file cannot be read: %s", strerror(errno));
      continue;
    }
    free(editing->rules.at[i].file);
    editing->rules.at[i].file = path;
    refuse_kept(&editing->rules.at[i], editing->arguments->kept);
  }
}

// So that nobody else changes the files from when they are read.
static bool lock_all(const struct editing *editing, struct file_locks *locks) {
  char reason[512];
  for (size_t i = 0; editing->arguments->write && i < editing->rules.count; i++) {
    const struct rule *rule = &editing->rules.at[i];
    if (*rule->reason || file_lock_folder(locks, rule->file, reason, sizeof reason))
      continue;
    print_line(stderr, "rsan-edit: %s: nothing was changed", reason);
    return false;
  }
  return true;
}

// How many rules cannot be written into their sources; each is named.
static size_t print_refused(const struct rules *rules) {
  size_t refused = 0;
  for (size_t i = 0; i < rules->count; i++) {
    if (!*rules->at[i].reason)
      continue;
    refused++;
    edit_print_place(stderr, &rules->at[i]);
    print_line(stderr, "not edited: %s", rules->at[i].reason);
  }
  return refused;
}

static int edit(struct editing *editing) {
  const struct arguments *arguments = editing->arguments;
  edit_all(editing);
  size_t refused = print_refused(&editing->rules);
  if (arguments->judge)
    return refused ? EDIT_REFUSED : EDIT_DONE;
  bool fine = write_outputs(editing);
  if (arguments->write && (refused || !fine))
    fprintf(stderr, "rsan-edit: nothing was changed: %s\n",
            fine ? "not all rules can be written into the sources" : "an output cannot be written");
  if (refused || !fine)
    return fine ? EDIT_REFUSED : EDIT_FAILED;
  return arguments->write ? write_sources(editing) : EDIT_DONE;
}

int main(int argc, char **argv) {
  static const struct argp argp = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "RULES [-- FLAG...]",
                                   .doc = description};
  char *none = NULL;
  struct arguments arguments = {.flags = &none,
                                .binaries = calloc((size_t)argc + 1, sizeof *arguments.binaries),
                                .kept = calloc((size_t)argc + 1, sizeof *arguments.kept)};
  argp_err_exit_status = EDIT_FAILED;
  if (!arguments.binaries || !arguments.kept)
    abort();
  // A shell that completes a word may be at "--" itself.
  for (int i = 1; i < argc && strcmp(argv[1], "--complete") != 0; i++)
    if (strcmp(argv[i], "--") == 0) {
      arguments.flags = argv + i + 1;
      argc = i;
    }
  if (arguments_parse(&argp, argc, argv, 0, &arguments) != 0)
    return EDIT_FAILED;
  struct editing editing = {.arguments = &arguments};
  struct file_locks locks = {0};
  int status = EDIT_FAILED;
  if (rules_read(arguments.rules, &editing.rules)) {
    resolve(&editing);
    if (lock_all(&editing, &locks) &&
        built_read(&editing.built, arguments.binaries, &editing.rules))
      status = edit(&editing);
  }
  edit_free(&editing);
  file_unlock(&locks);
  free(arguments.binaries);
  free(arguments.kept);
  return status;
}
