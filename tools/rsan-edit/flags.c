// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "flags.h"

#include <clang-c/CXCompilationDatabase.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "printable.h"

struct list {
  char **at;
  int count;
};

static void add(struct list *list, const char *text) {
  list->at = realloc(list->at, ((size_t)list->count + 1) * sizeof *list->at);
  if (!list->at || !(list->at[list->count++] = strdup(text)))
    abort();
}

static bool has_database(const char *folder) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/compile_commands.json", folder);
  return access(path, R_OK) == 0;
}

static bool find_database(const char *path, char *folder, size_t size) {
  char above[PATH_MAX];
  snprintf(above, sizeof above, "%s", path);
  for (char *slash; (slash = strrchr(above, '/'));) {
    *slash = 0;
    snprintf(folder, size, "%s", above);
    if (has_database(folder))
      return true;
    snprintf(folder, size, "%s/build", above);
    if (has_database(folder))
      return true;
  }
  return false;
}

// What the stock libclang does not know, and what writes files.
static bool is_foreign(const char *flag, bool *with_value) {
  static const char *const prefixes[] = {"-fsanitize", "-fno-sanitize", "-fplugin", "-fpass-plugin",
                                         "-M"};
  *with_value = strcmp(flag, "-o") == 0 || strcmp(flag, "-MF") == 0 || strcmp(flag, "-MT") == 0 ||
                strcmp(flag, "-MQ") == 0;
  if (*with_value || strcmp(flag, "-c") == 0)
    return true;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(flag, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

static void add_command(struct list *list, CXCompileCommand command) {
  CXString folder = clang_CompileCommand_getDirectory(command);
  char text[PATH_MAX + 32];
  snprintf(text, sizeof text, "-working-directory=%s", clang_getCString(folder));
  add(list, text);
  clang_disposeString(folder);
  unsigned count = clang_CompileCommand_getNumArgs(command);
  // The compiler is first, the file last.
  for (unsigned i = 1; i + 1 < count; i++) {
    CXString argument = clang_CompileCommand_getArg(command, i);
    const char *flag = clang_getCString(argument);
    bool with_value;
    if (strstr(flag, "-fsanitize=") == flag && strstr(flag, "robustness"))
      add(list, "-D__SANITIZE_ROBUSTNESS__=1");
    if (is_foreign(flag, &with_value))
      i += with_value;
    else if (strcmp(flag, "--") != 0)
      add(list, flag);
    clang_disposeString(argument);
  }
}

// The file that it compiles, with links resolved; NULL if there is none. For free().
static char *source_of(CXCompileCommand command) {
  CXString folder = clang_CompileCommand_getDirectory(command);
  CXString file = clang_CompileCommand_getFilename(command);
  const char *name = clang_getCString(file);
  char text[2 * PATH_MAX];
  snprintf(text, sizeof text, "%s%s%s", *name == '/' ? "" : clang_getCString(folder),
           *name == '/' ? "" : "/", name);
  clang_disposeString(file);
  clang_disposeString(folder);
  return realpath(text, NULL);
}

// Does the command compile PATH? If the database does not have PATH, libclang changes the command
// of another file, which may be in another language.
static bool compiles(CXCompileCommand command, const char *path) {
  char wanted[PATH_MAX], *its = source_of(command);
  bool same = its && realpath(path, wanted) && strcmp(its, wanted) == 0;
  free(its);
  return same;
}

// Only for a header a command that is made up is better than none.
static bool is_header(const char *path) {
  const char *point = strrchr(path, '.');
  return !point || strpbrk(point, "hHi") != NULL;
}

static bool add_command_of(struct list *list, CXCompilationDatabase database, const char *path) {
  CXCompileCommands all = clang_CompilationDatabase_getAllCompileCommands(database);
  bool found = false;
  for (unsigned i = 0; all && i < clang_CompileCommands_getSize(all) && !found; i++) {
    CXCompileCommand command = clang_CompileCommands_getCommand(all, i);
    found = compiles(command, path);
    if (found)
      add_command(list, command);
  }
  if (all)
    clang_CompileCommands_dispose(all);
  return found;
}

static const char *ending(const char *path) {
  const char *point = strrchr(path, '.');
  return point && !strchr(point, '/') ? point : "";
}

static size_t common_length(const char *a, const char *b) {
  size_t length = 0;
  while (a[length] && a[length] == b[length])
    length++;
  return length;
}

// A source file that the database does not have is included in one that it has, perhaps, or new:
// the nearest one's command, if that is in the same language.
static void add_command_near(struct list *list, CXCompilationDatabase database, const char *path) {
  CXCompileCommands all = clang_CompilationDatabase_getAllCompileCommands(database);
  CXCompileCommand nearest = NULL;
  size_t length = 0;
  for (unsigned i = 0; all && i < clang_CompileCommands_getSize(all); i++) {
    CXCompileCommand command = clang_CompileCommands_getCommand(all, i);
    CXString file = clang_CompileCommand_getFilename(command);
    const char *name = clang_getCString(file);
    if (strcmp(ending(name), ending(path)) == 0 &&
        (!nearest || common_length(name, path) > length)) {
      nearest = command;
      length = common_length(name, path);
    }
    clang_disposeString(file);
  }
  if (nearest)
    add_command(list, nearest);
  if (all)
    clang_CompileCommands_dispose(all);
}

static void add_command_for_header(struct list *list, CXCompilationDatabase database,
                                   const char *path) {
  CXCompileCommands made = clang_CompilationDatabase_getCompileCommands(database, path);
  if (made && clang_CompileCommands_getSize(made) > 0)
    add_command(list, clang_CompileCommands_getCommand(made, 0));
  if (made)
    clang_CompileCommands_dispose(made);
}

// A FIFO or a device would make libclang wait, or read without end.
static bool is_special(const char *folder) {
  char path[PATH_MAX + 32];
  struct stat status;
  snprintf(path, sizeof path, "%s/compile_commands.json", folder);
  if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
    return false;
  print_line(stderr, "%s: %s: not a regular file, so it is not read", program_invocation_short_name,
             path);
  return true;
}

static CXCompilationDatabase open_database(const char *path, const char *database) {
  char found[PATH_MAX];
  CXCompilationDatabase_Error error = CXCompilationDatabase_CanNotLoadDatabase;
  if (!database && find_database(path, found, sizeof found))
    database = found;
  return database && !is_special(database)
             ? clang_CompilationDatabase_fromDirectory(database, &error)
             : NULL;
}

char **flags_in(const char *path, const char *folder, const char *database, char *const *extra,
                int *count) {
  struct list list = {0};
  CXCompilationDatabase commands = open_database(path, database);
  if (commands && !add_command_of(&list, commands, path)) {
    if (is_header(path))
      add_command_for_header(&list, commands, path);
    else
      add_command_near(&list, commands, path);
  }
  if (commands)
    clang_CompilationDatabase_dispose(commands);
  if (!list.count && folder) {
    char text[PATH_MAX + 32];
    snprintf(text, sizeof text, "-working-directory=%s", folder);
    add(&list, text);
  }
  for (; extra && *extra; extra++)
    add(&list, *extra);
  *count = list.count;
  return list.at;
}

char **flags_for(const char *path, const char *database, char *const *extra, int *count) {
  return flags_in(path, NULL, database, extra, count);
}

struct near {
  char *source;
  size_t common;
};

static int compare_near(const void *a, const void *b) {
  const struct near *x = a, *y = b;
  return x->common != y->common ? (x->common < y->common ? 1 : -1) : strcmp(x->source, y->source);
}

char *flags_source_near(const char *path, const char *database, unsigned number) {
  CXCompilationDatabase commands = open_database(path, database);
  CXCompileCommands all =
      commands ? clang_CompilationDatabase_getAllCompileCommands(commands) : NULL;
  unsigned count = all ? clang_CompileCommands_getSize(all) : 0, kept = 0;
  struct near *near = calloc(count + 1u, sizeof *near);
  char *found = NULL;
  bool own = false;
  if (!near)
    abort();
  for (unsigned i = 0; i < count; i++) {
    char *source = source_of(clang_CompileCommands_getCommand(all, i));
    if (!source)
      continue;
    own |= strcmp(source, path) == 0;
    near[kept++] = (struct near){source, common_length(source, path)};
  }
  qsort(near, kept, sizeof *near, compare_near);
  for (unsigned i = 0; i < kept; i++)
    if (i == number && !own)
      found = near[i].source;
    else
      free(near[i].source);
  free(near);
  if (all)
    clang_CompileCommands_dispose(all);
  if (commands)
    clang_CompilationDatabase_dispose(commands);
  return found;
}

char **flags_cxx(int *count) {
  struct list list = {0};
  add(&list, "-xc++");
  *count = list.count;
  return list.at;
}

void flags_free(char **flags, int count) {
  for (int i = 0; i < count; i++)
    free(flags[i]);
  free(flags);
}

bool flags_are_cxx(const char *path, char *const *flags, int count) {
  static const char *const endings[] = {".cc", ".cpp", ".cxx", ".c++", ".C",
                                        ".hh", ".hpp", ".hxx", ".ipp", ".inl"};
  const char *point = strrchr(path, '.');
  bool cxx = false;
  for (size_t i = 0; point && i < sizeof endings / sizeof *endings; i++)
    cxx |= strcmp(point, endings[i]) == 0;
  for (int i = 0; i < count; i++) {
    const char *language = NULL;
    if (strcmp(flags[i], "-x") == 0 && i + 1 < count)
      language = flags[i + 1];
    else if (strncmp(flags[i], "-x", 2) == 0)
      language = flags[i] + 2;
    else if (strncmp(flags[i], "--driver-mode=g++", 17) == 0 && point && strcmp(point, ".h") != 0)
      language = "c++"; // g++ takes .c for C++
    if (language)
      cxx = strncmp(language, "c++", 3) == 0;
  }
  return cxx;
}
