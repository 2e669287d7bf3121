// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor.h"
#include "fix.h"

bool fix_write_rules(const struct fix *fix, const bool *chosen, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    return false;
  bool fine = true;
  for (size_t i = 0; i < fix->problem.rule_count; i++)
    if (chosen[i])
      fine &= fprintf(file, "%s\n", fix->problem.rules[i].text) > 0;
  return fclose(file) == 0 && fine;
}

struct edit_command {
  const char *rules, *yaml, *overlay;
  bool write, judge;
  const char *out, *err; // where its output goes, NULL: as ours
};

static void send(int stream, const char *path) {
  int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (file >= 0)
    dup2(file, stream);
}

// Exit status, -1 if it did not run. rsan-edit is beside this program.
static int run_edit(const struct fix *fix, const struct edit_command *command) {
  char program[PATH_MAX + 16];
  const char *argv[16];
  int count = 0, status;
  snprintf(program, sizeof program, "%s/bin/rsan-edit", doctor_prefix());
  argv[count++] = program;
  if (fix->database) {
    argv[count++] = "-p";
    argv[count++] = fix->database;
  }
  if (command->yaml) {
    argv[count++] = "--yaml";
    argv[count++] = command->yaml;
  }
  if (command->overlay) {
    argv[count++] = "--overlay";
    argv[count++] = command->overlay;
  }
  if (command->write)
    argv[count++] = "--write";
  if (command->judge)
    argv[count++] = "--judge";
  argv[count++] = command->rules;
  argv[count] = NULL;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    send(STDOUT_FILENO, command->out);
    send(STDERR_FILENO, command->err);
    execv(program, (char *const *)argv); // which leaves the strings as they are
    perror(program);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

// The rule that a line of rsan-edit's is about: "fence-after /p/f.c:3:9" for
// "/p/f.c:3:9: fence after: TEXT", of which TEXT is found.
static struct fix_rule *find_rule(struct fix *fix, const char *line, const char **text) {
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    struct fix_rule *rule = &fix->problem.rules[i];
    size_t length = strlen(rule->point), kind = strlen(rule->text) - length - 1;
    if (strncmp(line, rule->point, length) != 0 || strncmp(line + length, ": ", 2) != 0 ||
        strlen(line) < length + kind + 4)
      continue;
    bool same = line[length + 2 + kind] == ':';
    for (size_t c = 0; c < kind; c++)
      same &= rule->text[c] == line[length + 2 + c] ||
              (rule->text[c] == '-' && line[length + 2 + c] == ' ');
    *text = line + length + kind + 4;
    if (same)
      return rule;
  }
  return NULL;
}

static void note_judgement(struct fix *fix, const char *line) {
  static const char refusal[] = "not edited: ", changes[] = "changes: ";
  const char *text;
  struct fix_rule *rule = find_rule(fix, line, &text);
  if (rule && strncmp(text, changes, strlen(changes)) == 0)
    rule->changes = (unsigned)strtoul(text + strlen(changes), NULL, 10);
  if (rule && !rule->refused && strncmp(text, refusal, strlen(refusal)) == 0)
    rule->refused = strdup(text + strlen(refusal));
}

static void read_judgements(struct fix *fix, const char *path) {
  char line[4096];
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    note_judgement(fix, line);
  }
  if (file)
    fclose(file);
}

void fix_judge(struct fix *fix) {
  char rules[PATH_MAX], errors[PATH_MAX], out[PATH_MAX];
  bool asked[FIX_MAX_RULES] = {false}, any = false;
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    struct fix_rule *rule = &fix->problem.rules[i];
    if (!rule->judged && !rule->in_source)
      rule->refused = strdup("its line is not known: it was compiled without -g, or "
                             "merged with another place");
    asked[i] = !rule->judged && rule->in_source;
    any |= asked[i];
    rule->judged = true;
  }
  if (!any)
    return;
  snprintf(rules, sizeof rules, "%s/judged", fix->folder);
  snprintf(errors, sizeof errors, "%s/judged.err", fix->folder);
  snprintf(out, sizeof out, "%s/judged.out", fix->folder);
  struct edit_command command = {.rules = rules, .judge = true, .out = out, .err = errors};
  if (!fix_write_rules(fix, asked, rules) || run_edit(fix, &command) < 0)
    return;
  read_judgements(fix, out);
  read_judgements(fix, errors);
}

static bool copy_to(const char *path, FILE *to) {
  FILE *file = fopen(path, "r");
  if (!file)
    return false;
  for (int c; (c = getc(file)) != EOF;)
    putc(c, to);
  return fclose(file) == 0 && fflush(to) == 0;
}

static bool is_edited(const struct fix *fix, size_t rule) {
  return fix->chosen[rule] && !fix->problem.rules[rule].refused;
}

bool fix_is_edited(const struct fix *fix) {
  bool any = false;
  for (size_t i = 0; i < fix->problem.rule_count; i++)
    any |= is_edited(fix, i);
  return any;
}

// The rules that are for the sources, in the file RULES.
static bool write_edited(const struct fix *fix, char *rules, size_t size) {
  bool edited[FIX_MAX_RULES];
  for (size_t i = 0; i < fix->problem.rule_count; i++)
    edited[i] = is_edited(fix, i);
  snprintf(rules, size, "%s/edited", fix->folder);
  return fix_write_rules(fix, edited, rules);
}

bool fix_overlay(const struct fix *fix, const char *folder) {
  char rules[PATH_MAX];
  struct edit_command command = {.rules = rules, .overlay = folder, .out = "/dev/null"};
  return write_edited(fix, rules, sizeof rules) && run_edit(fix, &command) == 0;
}

bool fix_edit(const struct fix *fix, const char *diff, bool write) {
  char rules[PATH_MAX], made[PATH_MAX], yaml[PATH_MAX + 8];
  snprintf(made, sizeof made, "%s/diff", fix->folder);
  snprintf(yaml, sizeof yaml, "%s.yaml", diff ? diff : "");
  struct edit_command command = {
      .rules = rules, .yaml = diff ? yaml : NULL, .write = write, .out = made};
  if (!write_edited(fix, rules, sizeof rules) || run_edit(fix, &command) != 0)
    return false;
  FILE *file = diff ? fopen(diff, "w") : NULL;
  bool fine = copy_to(made, stdout) && (!diff || (file && copy_to(made, file)));
  if (diff && !file)
    perror(diff);
  if (file)
    fclose(file);
  return fine;
}

// The source of a rule: its point without line and column. In static memory.
static const char *source_of(const struct fix_rule *rule) {
  static char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", rule->point);
  for (int i = 0; i < 2; i++) {
    char *colon = strrchr(path, ':');
    if (colon && colon[1 + strspn(colon + 1, "0123456789")] == 0)
      *colon = 0;
  }
  return path;
}

static bool copy(const char *from, const char *to) {
  FILE *file = fopen(to, "w");
  bool fine = file && copy_to(from, file);
  return file && fclose(file) == 0 && fine;
}

bool fix_save(const struct fix *fix) {
  char saved[PATH_MAX];
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    snprintf(saved, sizeof saved, "%s/saved-%zu", fix->folder, i);
    if (is_edited(fix, i) && !copy(source_of(&fix->problem.rules[i]), saved))
      return false;
  }
  return true;
}

void fix_restore(const struct fix *fix) {
  char saved[PATH_MAX];
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    snprintf(saved, sizeof saved, "%s/saved-%zu", fix->folder, i);
    if (access(saved, R_OK) == 0 && !copy(saved, source_of(&fix->problem.rules[i])))
      perror(source_of(&fix->problem.rules[i]));
  }
}
