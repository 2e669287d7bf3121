// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "edit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler-rt-patch/src/common/rsan_words.h"
#include "place.h"
#include "printable.h"
#include "rust.h"

void edit_print_place(FILE *to, const struct rule *rule) {
  put_printable(rule->given, to);
  fprintf(to, rule->column ? ":%u:%u" : ":%u", rule->line, rule->column);
  fprintf(to, ": %s: ", rule_text(rule));
}

static bool is_system(const char *path) {
  return strncmp(path, "/usr/", 5) == 0;
}

// Collects the changes for the rules of this file, or for the rule ONLY if it is not NULL.
static void place_all(struct editing *editing, const struct unit *unit, bool builtin,
                      const struct rule *only, struct edits *edits) {
  for (size_t i = 0; i < editing->rules.count; i++) {
    struct rule *rule = &editing->rules.at[i];
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
static void refuse_broken(struct editing *editing, struct unit *unit, bool builtin, unsigned had) {
  char first[200];
  for (size_t i = 0; i < editing->rules.count; i++) {
    struct rule *rule = &editing->rules.at[i];
    struct edits edits = {0};
    place_all(editing, unit, builtin, rule, &edits);
    if (edits.count && breaks(unit, &edits, had, first, sizeof first))
      rule_refuse(rule, "the change would not compile: %s", first);
    edits_free(&edits);
  }
}

// How much a rule changes the text: by places, and more where a fence is put into an expression.
static void judge(struct editing *editing, struct unit *unit) {
  for (size_t i = 0; i < editing->rules.count; i++) {
    struct rule *rule = &editing->rules.at[i];
    struct edits edits = {0};
    if (strcmp(rule->file, unit->path) == 0 && !*rule->reason &&
        place_rule(unit, rule, place_fence(unit, false), &edits)) {
      size_t much = edits.count;
      for (size_t e = 0; e < edits.count; e++)
        much += strchr(edits.at[e].text, ',') ? 4 : 0;
      edit_print_place(stdout, rule);
      printf("changes: %zu\n", much);
    }
    edits_free(&edits);
  }
}

static void add_changes(struct editing *editing, const char *path, const char *text,
                        struct edits *edits) {
  if (!edits->count)
    return;
  editing->files = realloc(editing->files, (editing->count + 1) * sizeof *editing->files);
  if (!editing->files)
    abort();
  editing->files[editing->count++] = (struct edited){.path = strdup(path),
                                                     .text = strdup(text),
                                                     .changed = edits_apply(edits, text),
                                                     .edits = *edits};
  *edits = (struct edits){0};
}

// Without a program only times can be compared: the source must not be newer than the rules.
static bool check_rules_time(const struct arguments *arguments, const char *path, char *reason,
                             size_t size) {
  struct stat source, rules;
  if (stat(path, &source) != 0 || stat(arguments->rules, &rules) != 0 || !S_ISREG(rules.st_mode) ||
      !built_is_newer(&source, &rules))
    return true;
  snprintf(reason, size,
           "it is newer than %s: with --binary PROGRAM its checksum is compared, not its time",
           arguments->rules);
  return false;
}

// Is the text the one that the rules are for?
static bool is_meant(const struct editing *editing, const char *path, const char *text,
                     char *reason, size_t size) {
  const struct arguments *arguments = editing->arguments;
  if (arguments->binary_count)
    return built_check(&editing->built, path, text, reason, size);
  return !arguments->write || check_rules_time(arguments, path, reason, size);
}

static void place_in_file(struct editing *editing, struct unit *unit) {
  char reason[200];
  unsigned had = unit_errors(unit, unit->text, reason, sizeof reason);
  bool builtin = false;
  struct edits edits = {0};
  place_all(editing, unit, builtin, NULL, &edits);
  for (int attempt = 0; attempt < 2 && breaks(unit, &edits, had, reason, sizeof reason);
       attempt++) {
    builtin = true;
    if (attempt)
      refuse_broken(editing, unit, builtin, had);
    edits_free(&edits);
    place_all(editing, unit, builtin, NULL, &edits);
  }
  if (editing->arguments->judge)
    judge(editing, unit);
  else
    add_changes(editing, unit->path, unit->text, &edits);
  edits_free(&edits);
}

static void refuse_all(struct editing *editing, const char *path, const char *reason) {
  for (size_t i = 0; i < editing->rules.count; i++)
    if (editing->rules.at[i].file && strcmp(editing->rules.at[i].file, path) == 0)
      rule_refuse(&editing->rules.at[i], "%s", reason);
}

// Null: it cannot be read (errno), or is empty.
static char *read_source(const char *path) {
  char *text = NULL;
  size_t room = 0;
  FILE *file = fopen(path, "r");
  if (!file)
    return NULL;
  if (getdelim(&text, &room, 0, file) < 0) {
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

static void edit_rust(struct editing *editing, const char *path) {
  char reason[PATH_MAX + 200] = "it is a source of the system";
  char *text = is_system(path) ? NULL : read_source(path);
  struct edits edits = {0};
  if (!is_system(path) && !text)
    snprintf(reason, sizeof reason, "the file cannot be read: %s", strerror(errno));
  if (!text || !is_meant(editing, path, text, reason, sizeof reason)) {
    refuse_all(editing, path, reason);
    free(text);
    return;
  }
  for (size_t i = 0; i < editing->rules.count; i++) {
    struct rule *rule = &editing->rules.at[i];
    if (*rule->reason || strcmp(rule->file, path) != 0 || !rust_place(text, rule, &edits))
      continue;
    if (editing->arguments->judge) {
      edit_print_place(stdout, rule);
      printf("changes: 1\n");
    }
  }
  edits_merge(&edits);
  if (!editing->arguments->judge)
    add_changes(editing, path, text, &edits);
  edits_free(&edits);
  free(text);
}

static void edit_file(struct editing *editing, const char *path) {
  char reason[PATH_MAX + 200] = "it is a header of the system";
  struct unit unit = {0};
  const struct compilation how = {.built = &editing->built,
                                  .database = editing->arguments->database,
                                  .extra = editing->arguments->flags};
  bool fine = !is_system(path) && unit_open(&unit, path, &how, reason, sizeof reason) &&
              is_meant(editing, unit.path, unit.text, reason, sizeof reason);
  if (fine)
    place_in_file(editing, &unit);
  unit_close(&unit);
  if (!fine)
    refuse_all(editing, path, reason);
}

void edit_all(struct editing *editing) {
  struct rules *rules = &editing->rules;
  for (size_t i = 0; i < rules->count; i++) {
    bool done = false;
    for (size_t j = 0; j < i; j++)
      done |= strcmp(rules->at[i].file, rules->at[j].file) == 0;
    if (!done && !*rules->at[i].reason)
      (rsan_is_rust_source(rules->at[i].file) ? edit_rust : edit_file)(editing, rules->at[i].file);
  }
}

void edit_free(struct editing *editing) {
  for (size_t i = 0; i < editing->count; i++) {
    free(editing->files[i].path);
    free(editing->files[i].text);
    free(editing->files[i].changed);
    edits_free(&editing->files[i].edits);
  }
  free(editing->files);
  built_free(&editing->built);
  rules_free(&editing->rules);
}
