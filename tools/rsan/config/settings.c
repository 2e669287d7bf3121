// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "config/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "config/file.h"
#include "defaults.h"
#include "need.h"
#include "printable.h"
#include "similar.h"

static const char file_name[] = "rsan.toml";

static struct {
  char *path, *folder; // as messages have it; "": the current one
  struct config config;
} project;

// Returns whether the folder has that file, and sets `path` to its name.
static bool is_in(const char *folder, const char *file, char path[PATH_MAX]) {
  const int length =
      snprintf(path, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, file);
  return length < PATH_MAX && access(path, F_OK) == 0;
}

// Replaces the folder by its parent. Returns false if it has none.
static bool go_up(char *folder) {
  char *slash = strrchr(folder, '/');
  if (!slash || !slash[1])
    return false;
  slash[slash == folder] = 0;
  return true;
}

// Returns the file's name, for free(), or NULL if there is no file. It does not look above the
// current folder outside of a repository, because such a folder may be another user's.
static char *find_file(void) {
  char folder[PATH_MAX], root[PATH_MAX], path[PATH_MAX];
  if (access(file_name, F_OK) == 0)
    return need(strdup(file_name));
  if (!getcwd(folder, sizeof folder))
    return NULL;
  strcpy(root, folder);
  while (!is_in(root, ".git", path))
    if (!go_up(root))
      return NULL;
  while (strcmp(folder, root) != 0 && go_up(folder))
    if (is_in(folder, file_name, path))
      return need(strdup(path));
  return NULL;
}

// Returns whether the command takes that key from the top of the file; NULL: whether any does.
static bool is_for_all(const char *key, const char *command) {
  static const struct {
    const char *key, *command;
  } shared[] = {{"baseline", "run"}, {"baseline", "check"},  {"baseline", "report"},
                {"command", "run"},  {"command", "confirm"}, {"command", "fix"}};
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
    if (strcmp(shared[i].key, key) == 0 && (!command || strcmp(shared[i].command, command) == 0))
      return true;
  return false;
}

#define NAME(command) #command,
static const char *const commands[] = {CONFIG_COMMANDS(NAME)};
#undef NAME
enum { COMMANDS = sizeof commands / sizeof *commands };

// Returns whether the command has a table. Otherwise offers each that has one to `similar`, or
// NULL.
static bool is_command(const char *name, struct similar *similar) {
  for (size_t i = 0; i < COMMANDS; i++) {
    if (strcmp(commands[i], name) == 0)
      return true;
    if (similar)
      similar_offer(similar, commands[i]);
  }
  return false;
}

// False, after a message: the entry has a fault.
static bool check_entry(const char *program, const struct config_entry *entry) {
  struct similar similar = {.typed = entry->table};
  const char *file = project.path, *key = entry->key;
  const bool is_option = strcmp(entry->table, "options") == 0;
  similar_offer(&similar, "options");
  if (*entry->table && !is_option && !is_command(entry->table, &similar)) {
    print_line(stderr, "%s: %s:%u: there is no table [%s]%s%s%s", program, file, entry->line,
               entry->table, similar.best ? "; did you mean [" : "",
               similar.best ? similar.best : "", similar.best ? "]?" : "");
    return false;
  }
  if (entry->kind == CONFIG_TABLE)
    return true;
  if (!*entry->table && !is_for_all(key, NULL)) {
    print_line(stderr, "%s: %s:%u: %s: before the first [table] there may be baseline and command",
               program, file, entry->line, key);
    return false;
  }
  if (!is_option && strcmp(key, "command") == 0 &&
      (entry->kind != CONFIG_LIST || !*entry->values)) {
    print_line(stderr, "%s: %s:%u: command must be a list: [\"PROGRAM\", \"ARGUMENT\"]", program,
               file, entry->line);
    return false;
  }
  if (is_option && entry->kind == CONFIG_LIST) {
    print_line(stderr, "%s: %s:%u: %s: an option has one value", program, file, entry->line, key);
    return false;
  }
  return true;
}

static bool check_entries(const char *program) {
  for (size_t i = 0; i < project.config.count; i++)
    if (!check_entry(program, &project.config.entries[i]))
      return false;
  return true;
}

bool settings_read(const char *program, const char *file) {
  if (file && strcmp(file, "none") == 0)
    return true;
  project.path = file ? need(strdup(file)) : find_file();
  if (!project.path)
    return true;
  char *slash = strrchr(project.path, '/');
  project.folder =
      slash ? need(strndup(project.path, (size_t)(slash - project.path) + (slash == project.path)))
            : need(strdup(""));
  struct stat info;
  const bool exists = stat(project.path, &info) == 0;
  if (!exists || !S_ISREG(info.st_mode)) {
    print_line(stderr, "%s: %s: %s", program, project.path,
               exists ? "it is not a regular file" : strerror(errno));
    return false;
  }
  char *error = config_read(project.path, &project.config);
  if (error)
    print_line(stderr, "%s: %s%s%s", program, project.path,
               strchr("0123456789", *error) ? ":" : ": ", error);
  const bool is_right = !error && check_entries(program);
  free(error);
  return is_right;
}

const char *settings_file(void) {
  return project.path;
}

// Options of the runtime whose values are names of files, or `none`.
static bool is_of_file(const char *option) {
  static const char *const files[] = {"suppressions", "models", "wrappers"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (strcmp(files[i], option) == 0)
      return true;
  return false;
}

char *settings_options(void) {
  char *text = need(strdup(""));
  for (size_t i = 0; i < project.config.count; i++) {
    const struct config_entry *entry = &project.config.entries[i];
    if (strcmp(entry->table, "options") != 0 || entry->kind == CONFIG_TABLE)
      continue;
    const char *value = entry->values[0];
    char *own = options_value(entry->key), *more = NULL;
    const bool above =
        is_of_file(entry->key) && *value != '/' && strcmp(value, "none") != 0 && *project.folder;
    const char *quote = entry->kind == CONFIG_TEXT ? options_quote(value) : "";
    if (!own && asprintf(&more, "%s%s%s=%s%s%s%s%s", text, *text ? ":" : "", entry->key, quote,
                         above ? project.folder : "", above ? "/" : "", value, quote) < 0)
      abort();
    free(own);
    if (more) {
      free(text);
      text = more;
    }
  }
  return text;
}

// Returns whether the command takes the entry. A key in its own table replaces one at the top.
static bool is_for(const struct config_entry *entry, const char *command) {
  if (*entry->table)
    return strcmp(entry->table, command) == 0;
  if (!is_for_all(entry->key, command))
    return false;
  for (size_t i = 0; i < project.config.count; i++)
    if (strcmp(project.config.entries[i].table, command) == 0 &&
        strcmp(project.config.entries[i].key, entry->key) == 0)
      return false;
  return true;
}

static void give_defaults(const char *command, void (*show)(char *const *words)) {
  static struct defaults defaults; // which arguments_parse reads
  struct argument_default *options = need(calloc(project.config.count + 1, sizeof *options));
  defaults = (struct defaults){
      .file = project.path, .folder = project.folder, .options = options, .show = show};
  for (size_t i = 0; i < project.config.count; i++) {
    const struct config_entry *entry = &project.config.entries[i];
    if (entry->kind == CONFIG_TABLE || !is_for(entry, command))
      continue;
    if (strcmp(entry->key, "command") == 0)
      defaults.command = entry->values;
    else
      options[defaults.count++] = (struct argument_default){
          entry->key, entry->values, entry->kind == CONFIG_BOOLEAN, entry->line};
  }
  defaults_set(&defaults);
}

void settings_apply(const char *command, void (*show)(char *const *words)) {
  if (!project.path)
    return;
  char *options = settings_options(), *merged = NULL;
  const char *own = getenv("RSAN_OPTIONS");
  if (asprintf(&merged, "%s%s%s", options, *options && own && *own ? ":" : "", own ? own : "") < 0)
    abort();
  if (*options)
    setenv("RSAN_OPTIONS", merged, 1);
  free(options);
  free(merged);
  if (is_command(command, NULL))
    give_defaults(command, show);
}
