// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-edit RULES [-- FLAG...]: writes the rules of a repair into the sources. Exit status: 0 all
// of them, 1 some are not, 2 wrong usage.

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "overlay.h"
#include "place.h"

const char *argp_program_version = "rsan-edit " RSAN_VERSION;

static const char description[] =
    "Turns the rules of a repair (the form that RSAN_OPTIONS=simulate= reads, places as "
    "FILE:LINE:COLUMN) into changes of the sources: a unified diff on standard output."
    "\v"
    "Flags for the compiler come from compile_commands.json and from the FLAGs. What stands in a "
    "macro or in a system header, and what cannot be changed without changing what the program "
    "does, is named on standard error.\n"
    "\n"
    "Exit status: 0 all rules are in the diff; 1 some are not, as said; 2 wrong usage, or a file "
    "cannot be read.\n";

enum { KEY_YAML = 256, KEY_WRITE, KEY_RELATIVE, KEY_JUDGE, KEY_OVERLAY };

static const struct argp_option options[] = {
    {"database", 'p', "DIR", 0, "take compiler flags from DIR/compile_commands.json", 0},
    {"yaml", KEY_YAML, "FILE", 0, "write what clang-apply-replacements reads to FILE", 0},
    {"write", KEY_WRITE, NULL, 0, "change the files, too", 0},
    {"overlay", KEY_OVERLAY, "DIR", 0,
     "write changed copies to DIR, with the DIR/overlay.yaml that clang's -ivfsoverlay reads", 0},
    {"relative-to", KEY_RELATIVE, "DIR", 0,
     "name files below DIR in the diff without it (the working directory)", 0},
    {"judge", KEY_JUDGE, NULL, OPTION_HIDDEN, "say of each rule how much it changes, for rsan fix",
     0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  const char *rules, *database, *yaml, *relative, *overlay;
  char *const *flags;
  bool write, judge;
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
      argp_error(state, "one file of RULES only");
    arguments->rules = text;
    return 0;
  case ARGP_KEY_NO_ARGS:
    argp_error(state, "which RULES?");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

struct run {
  const struct arguments *arguments;
  struct rules rules;
  struct overlay overlay;
  FILE *yaml;
  bool replaced; // there are replacements in it
  bool complete, broken;
};

static void print_place(FILE *to, const struct rule *rule) {
  fprintf(to, rule->column ? "%s:%u:%u" : "%s:%u", rule->given, rule->line, rule->column);
  fprintf(to, ": %s: ", rule_text(rule));
}

static bool is_system(const char *path) {
  return strncmp(path, "/usr/", 5) == 0;
}

// The changes for the rules of this file; with ONLY those of one rule.
static void place_all(struct run *run, const struct unit *unit, bool builtin,
                      const struct rule *only, struct edits *edits) {
  for (size_t i = 0; i < run->rules.count; i++) {
    struct rule *rule = &run->rules.at[i];
    if (rule->file && strcmp(rule->file, unit->path) == 0 && !*rule->reason &&
        (!only || only == rule))
      place_rule(unit, rule, place_fence(unit, builtin), edits);
  }
  edits_merge(edits);
}

// Errors that the changes bring.
static bool breaks(struct unit *unit, const struct edits *edits, unsigned had, char *first,
                   size_t size) {
  char *text = edits_apply(edits, unit->text);
  bool more = unit_errors(unit, text, first, size) > had;
  free(text);
  return more;
}

// Rules whose own changes do not compile are taken out.
static void refuse_broken(struct run *run, struct unit *unit, bool builtin, unsigned had) {
  char first[200];
  for (size_t i = 0; i < run->rules.count; i++) {
    struct rule *rule = &run->rules.at[i];
    struct edits edits = {0};
    place_all(run, unit, builtin, rule, &edits);
    if (edits.count && breaks(unit, &edits, had, first, sizeof first))
      rule_refuse(rule, "the change would not compile: %s", first);
    edits_free(&edits);
  }
}

// How much a rule changes the text: by places, and more where a fence is put into an expression.
static void judge(struct run *run, struct unit *unit) {
  for (size_t i = 0; i < run->rules.count; i++) {
    struct rule *rule = &run->rules.at[i];
    struct edits edits = {0};
    if (strcmp(rule->file, unit->path) == 0 && !*rule->reason &&
        place_rule(unit, rule, place_fence(unit, false), &edits)) {
      size_t much = edits.count;
      for (size_t e = 0; e < edits.count; e++)
        much += strchr(edits.at[e].text, ',') ? 4 : 0;
      print_place(stdout, rule);
      printf("changes: %zu\n", much);
    }
    edits_free(&edits);
  }
}

static void write_out(struct run *run, const struct unit *unit, const struct edits *edits) {
  const struct arguments *arguments = run->arguments;
  char *changed = edits_apply(edits, unit->text);
  const char *name = unit->path;
  size_t length = strlen(arguments->relative);
  if (strncmp(name, arguments->relative, length) == 0 && name[length] == '/')
    name += length + 1;
  if (edits->count && !output_diff(stdout, name, unit->text, changed))
    run->broken = true;
  if (edits->count && run->yaml) {
    output_yaml(run->yaml, unit->path, edits, !run->replaced);
    run->replaced = true;
  }
  if (edits->count && !overlay_add(&run->overlay, unit->path, changed))
    run->broken = true;
  if (edits->count && arguments->write && !output_write(unit->path, changed)) {
    fprintf(stderr, "rsan-edit: %s: %s\n", unit->path, strerror(errno));
    run->broken = true;
  }
  free(changed);
}

static void edit_file(struct run *run, struct rule *first) {
  char reason[200];
  struct unit unit;
  const char *path = first->file;
  if (is_system(path)) {
    snprintf(reason, sizeof reason, "it is a header of the system");
  } else if (unit_open(&unit, path, run->arguments->database, run->arguments->flags, reason,
                       sizeof reason)) {
    unsigned had = unit_errors(&unit, unit.text, reason, sizeof reason);
    bool builtin = false;
    struct edits edits = {0};
    place_all(run, &unit, builtin, NULL, &edits);
    for (int attempt = 0; attempt < 2 && breaks(&unit, &edits, had, reason, sizeof reason);
         attempt++) {
      builtin = true;
      if (attempt)
        refuse_broken(run, &unit, builtin, had);
      edits_free(&edits);
      place_all(run, &unit, builtin, NULL, &edits);
    }
    if (run->arguments->judge)
      judge(run, &unit);
    else
      write_out(run, &unit, &edits);
    edits_free(&edits);
    unit_close(&unit);
    return;
  }
  for (size_t i = 0; i < run->rules.count; i++)
    if (strcmp(run->rules.at[i].file, path) == 0)
      rule_refuse(&run->rules.at[i], "%s", reason);
}

// Absolute names, so that one file is edited once.
static void resolve(struct run *run) {
  for (size_t i = 0; i < run->rules.count; i++) {
    char *path = realpath(run->rules.at[i].file, NULL);
    if (!path) {
      rule_refuse(&run->rules.at[i], "the file cannot be read: %s", strerror(errno));
      continue;
    }
    free(run->rules.at[i].file);
    run->rules.at[i].file = path;
  }
}

static void edit_all(struct run *run) {
  for (size_t i = 0; i < run->rules.count; i++) {
    bool done = false;
    for (size_t j = 0; j < i; j++)
      done |= strcmp(run->rules.at[i].file, run->rules.at[j].file) == 0;
    if (!done && !*run->rules.at[i].reason)
      edit_file(run, &run->rules.at[i]);
  }
  run->complete = true;
  for (size_t i = 0; i < run->rules.count; i++) {
    const struct rule *rule = &run->rules.at[i];
    if (!*rule->reason)
      continue;
    run->complete = false;
    print_place(stderr, rule);
    fprintf(stderr, "not edited: %s\n", rule->reason);
  }
}

int main(int argc, char **argv) {
  static const struct argp argp = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "RULES [-- FLAG...]",
                                   .doc = description};
  char *here = getcwd(NULL, 0), *none = NULL;
  struct arguments arguments = {.relative = here ? here : "", .flags = &none};
  argp_err_exit_status = 2;
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--") == 0) {
      arguments.flags = argv + i + 1;
      argc = i;
    }
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0)
    return 2;
  struct run run = {.arguments = &arguments};
  if (!rules_read(arguments.rules, &run.rules))
    return 2;
  if (arguments.yaml && !(run.yaml = fopen(arguments.yaml, "w"))) {
    fprintf(stderr, "rsan-edit: %s: %s\n", arguments.yaml, strerror(errno));
    return 2;
  }
  if (!overlay_open(&run.overlay, arguments.overlay))
    return 2;
  resolve(&run);
  edit_all(&run);
  if (run.yaml && !output_yaml_end(run.yaml, !run.replaced))
    run.broken = true;
  run.broken |= !overlay_close(&run.overlay);
  rules_free(&run.rules);
  free(here);
  return run.broken ? 2 : !run.complete;
}
