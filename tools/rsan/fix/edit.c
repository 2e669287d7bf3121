// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/prefix.h"
#include "file/output.h"
#include "fix.h"
#include "printable.h"

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
  const char *rules, *diff, *yaml, *overlay;
  bool write, judge;
  const char *out, *err; // where its output goes, NULL: as ours
};

static void send(int stream, const char *path) {
  int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (file >= 0)
    dup2(file, stream);
}

static void add_option(const char **argv, size_t *count, const char *name, const char *value) {
  if (!value)
    return;
  argv[(*count)++] = name;
  argv[(*count)++] = value;
}

// Exit status, -1 if it did not run. rsan-edit is beside this program.
static int run_edit(const struct fix *fix, const struct edit_command *command) {
  char program[PATH_MAX + 16];
  const struct fix_problem *problem = &fix->problem;
  const char **argv = calloc(16 + 2 * (problem->module_count + fix->kept_count), sizeof *argv);
  size_t count = 0;
  int status;
  if (!argv)
    abort();
  snprintf(program, sizeof program, "%s/bin/rsan-edit", install_prefix());
  argv[count++] = program;
  add_option(argv, &count, "-p", fix->database);
  add_option(argv, &count, "--output", command->diff);
  add_option(argv, &count, "--yaml", command->yaml);
  add_option(argv, &count, "--overlay", command->overlay);
  for (size_t i = 0; i < fix->kept_count; i++)
    add_option(argv, &count, "--never-edit", fix->kept[i]);
  // A diff may be made without a program that cannot be read; the sources are not changed then.
  for (size_t i = 0; i < problem->module_count; i++)
    if (command->write || access(problem->modules[i], R_OK) == 0)
      add_option(argv, &count, "--binary", problem->modules[i]);
  if (command->write)
    argv[count++] = "--write";
  if (command->judge)
    argv[count++] = "--judge";
  argv[count++] = command->rules;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    send(STDOUT_FILENO, command->out);
    send(STDERR_FILENO, command->err);
    execv(program, (char *const *)argv); // which leaves the strings as they are
    print_line(stderr, "%s: %s: %s", fix->name, program, strerror(errno));
    _exit(127);
  }
  free(argv);
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

// The rule that a line of rsan-edit's is about: "fence-after /p/f.c:3:9" for
// "/p/f.c:3:9: fence after: TEXT", of which TEXT is found.
static struct fix_rule *find_rule(struct fix *fix, const char *line, const char **text) {
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    struct fix_rule *rule = &fix->problem.rules[i];
    char *point = printable(rule->point);
    size_t length = strlen(point), kind = strlen(rule->text) - strlen(rule->point) - 1;
    bool here = strncmp(line, point, length) == 0 && strncmp(line + length, ": ", 2) == 0;
    free(point);
    if (!here || strlen(line) < length + kind + 4)
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

int fix_edit(const struct fix *fix, const char *diff, bool write) {
  char rules[PATH_MAX], yaml[PATH_MAX + 8];
  snprintf(yaml, sizeof yaml, "%s.yaml", diff ? diff : "");
  // A device or a FIFO has nothing beside it.
  bool beside = diff && file_output_is_regular(diff);
  struct edit_command command = {
      .rules = rules, .diff = diff, .yaml = beside ? yaml : NULL, .write = write};
  return write_edited(fix, rules, sizeof rules) ? run_edit(fix, &command) : -1;
}
