// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "line-table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "piped.h"
#include "printable.h"

// What has been read of a unit.
struct table {
  unsigned version;
  char **folders;
  size_t folder_count;
  char *compiled;        // path of the first file
  struct line_file file; // that is being read
  bool begun;            // there is one
};

// What stands between quotes, with escapes as in C; to be freed. NULL if there are no quotes.
static char *unquote(const char *text) {
  text = strchr(text, '"');
  char *result = text ? malloc(strlen(text)) : NULL, *to = result;
  while (result && *++text && *text != '"') {
    if (*text != '\\') {
      *to++ = *text;
    } else if (!*++text) {
      break;
    } else if (*text >= '0' && *text <= '7') {
      unsigned byte = 0;
      for (int digits = 0; digits < 3 && *text >= '0' && *text <= '7'; digits++)
        byte = byte * 8 + (unsigned)(*text++ - '0');
      text--;
      *to++ = (char)byte;
    } else {
      *to++ = *text == 'n' ? '\n' : *text == 't' ? '\t' : *text;
    }
  }
  if (result)
    *to = 0;
  return result;
}

static void clear_file(struct table *table) {
  free(table->file.name);
  free(table->file.path);
  free(table->file.md5);
  free(table->file.text);
  table->file = (struct line_file){0};
  table->begun = false;
}

static void clear_unit(struct table *table) {
  for (size_t i = 0; i < table->folder_count; i++)
    free(table->folders[i]);
  free(table->folders);
  free(table->compiled);
  table->folders = NULL;
  table->compiled = NULL;
  table->folder_count = 0;
  table->version = 0;
}

static char *join(const char *folder, const char *name) {
  char *path;
  if (*name == '/')
    return strdup(name);
  return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

// Folder 0 is the one that the compiler ran in.
static void find_path(struct table *table) {
  struct line_file *file = &table->file;
  if (table->version < 5 || !table->folder_count || file->folder >= table->folder_count)
    return;
  if (!table->folders[0] || !table->folders[file->folder])
    return;
  char *folder = file->folder ? join(table->folders[0], table->folders[file->folder])
                              : strdup(table->folders[0]);
  file->path = folder ? join(folder, file->name) : NULL;
  free(folder);
}

static void add_folder(struct table *table, const char *line) {
  char **more = realloc(table->folders, (table->folder_count + 1) * sizeof *more);
  if (!more)
    abort();
  table->folders = more;
  more[table->folder_count++] = unquote(line);
}

// "   name: ..." with this name; the value is found.
static bool is_field(const char *line, const char *name, const char **value) {
  line += strspn(line, " ");
  size_t length = strlen(name);
  if (strncmp(line, name, length) != 0 || strncmp(line + length, ": ", 2) != 0)
    return false;
  *value = line + length + 2;
  return true;
}

// A field that is there twice has its last value.
static void replace(char **text, char *value) {
  free(*text);
  *text = value;
}

static void read_field(struct table *table, const char *line) {
  const char *value;
  if (is_field(line, "version", &value))
    table->version = (unsigned)strtoul(value, NULL, 10);
  if (!table->begun)
    return;
  if (is_field(line, "name", &value))
    replace(&table->file.name, unquote(value));
  else if (is_field(line, "dir_index", &value))
    table->file.folder = (unsigned)strtoul(value, NULL, 10);
  else if (is_field(line, "md5_checksum", &value))
    replace(&table->file.md5, strdup(value));
  else if (is_field(line, "source", &value))
    replace(&table->file.text, unquote(value));
}

static void end_file(struct table *table, line_visitor *visit, void *context) {
  if (table->begun && table->file.name) {
    find_path(table);
    if (table->file.path && !table->compiled)
      table->compiled = strdup(table->file.path);
    table->file.compiled = table->compiled;
    table->file.compiled_in = table->compiled ? table->folders[0] : NULL;
    visit(&table->file, context);
  }
  clear_file(table);
}

static void read_line(struct table *table, const char *line, line_visitor *visit, void *context) {
  bool begins = strncmp(line, "file_names[", 11) == 0;
  if (begins || !*line)
    end_file(table, visit, context);
  if (begins)
    table->begun = true;
  else if (strncmp(line, "Line table prologue:", 20) == 0)
    clear_unit(table);
  else if (strncmp(line, "include_directories[", 20) == 0)
    add_folder(table, line);
  else
    read_field(table, line);
}

void line_table_parse(FILE *dump, line_visitor *visit, void *context) {
  struct table table = {0};
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, dump) >= 0) {
    line[strcspn(line, "\n")] = 0;
    read_line(&table, line, visit, context);
  }
  free(line);
  clear_file(&table);
  clear_unit(&table);
}

bool line_table_read(const char *binary, line_visitor *visit, void *context) {
  static const char installed[] = RSAN_LLVM_DWARFDUMP;
  const char *const argv[] = {access(installed, X_OK) == 0 ? installed
                                                           : "llvm-dwarfdump-" RSAN_LLVM_MAJOR,
                              "--debug-line", "/dev/stdin", NULL};
  struct piped dump;
  // As its standard input, since it would print the name as it is.
  int in = open(binary, O_RDONLY | O_CLOEXEC);
  if (in < 0) {
    print_line(stderr, "%s: %s: %s", program_invocation_short_name, binary, strerror(errno));
    return false;
  }
  bool started = piped_start(&dump, argv, in, true);
  close(in);
  if (!started)
    return false;
  line_table_parse(dump.output, visit, context);
  if (piped_end(&dump) == 0)
    return true;
  print_line(stderr, "%s: %s: its debug information cannot be read", program_invocation_short_name,
             binary);
  return false;
}
