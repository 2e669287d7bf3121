// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug-lines/piped.h"
#include "edit.h"
#include "file/changes.h"
#include "file/output.h"
#include "output.h"
#include "overlay.h"
#include "printable.h"

static bool say(const char *path, const char *what) {
  print_line(stderr, "rsan-edit: %s: %s", path, what);
  return false;
}

// Ends the stream in memory and writes its text to the file.
static bool write_file(const char *path, FILE *stream, char **text, const size_t *size) {
  bool fine = stream && fclose(stream) == 0 && file_output(path, *text, *size);
  int error = errno;
  free(*text);
  return fine || say(path, strerror(error));
}

// What git calls the file, for `git apply'; NULL: no repository has it. For free().
static char *name_in_repository(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = strndup(path, slash ? (size_t)(slash - path) + 1 : 0), *name = NULL;
  const char *const argv[] = {"git", "-C", folder, "ls-files", "--full-name", "--error-unmatch",
                              "-z",  "--", path,   NULL};
  struct piped git;
  size_t size = 0;
  if (!folder)
    abort();
  bool fine = piped_start(&git, argv, -1, true) && getdelim(&name, &size, 0, git.output) > 1;
  fine &= piped_end(&git) == 0;
  free(folder);
  if (fine)
    return name;
  free(name);
  return NULL;
}

static char *name_below(const char *path, const char *folder) {
  size_t length = folder ? strlen(folder) : 0;
  bool below = length && strncmp(path, folder, length) == 0 && path[length] == '/';
  return strdup(below ? path + length + 1 : path);
}

// The name of a file in the diff.
static char *name_of(const char *path, const char *relative) {
  char *name = relative ? name_below(path, relative) : name_in_repository(path);
  if (!name) {
    char *here = getcwd(NULL, 0);
    name = name_below(path, here);
    free(here);
  }
  if (!name)
    abort();
  return name;
}

static bool write_diff(const struct editing *editing) {
  const struct arguments *arguments = editing->arguments;
  char *text = NULL;
  size_t size = 0;
  FILE *diff = open_memstream(&text, &size);
  bool fine = diff;
  for (size_t i = 0; fine && i < editing->count; i++) {
    const struct edited *file = &editing->files[i];
    char *name = name_of(file->path, arguments->relative);
    fine = output_diff(diff, name, file->text, file->changed) || say(file->path, "no diff of it");
    free(name);
  }
  if (fine && fflush(diff) == 0) {
    fwrite(text, 1, size, stdout);
    if (fflush(stdout) != 0)
      fine = say("standard output", strerror(errno));
  }
  if (fine && arguments->output)
    return write_file(arguments->output, diff, &text, &size);
  if (diff)
    fclose(diff);
  free(text);
  return fine;
}

static bool write_yaml(const struct editing *editing) {
  char *text = NULL;
  size_t size = 0;
  FILE *yaml = open_memstream(&text, &size);
  for (size_t i = 0; yaml && i < editing->count; i++)
    output_yaml(yaml, editing->files[i].path, &editing->files[i].edits, i == 0);
  if (yaml)
    output_yaml_end(yaml, editing->count == 0);
  return write_file(editing->arguments->yaml, yaml, &text, &size);
}

static bool write_overlay(const struct editing *editing) {
  struct overlay overlay;
  bool fine = overlay_open(&overlay, editing->arguments->overlay);
  for (size_t i = 0; fine && i < editing->count; i++)
    fine = overlay_add(&overlay, editing->files[i].path, editing->files[i].changed);
  return overlay_close(&overlay, fine);
}

bool write_outputs(const struct editing *editing) {
  return write_diff(editing) && (!editing->arguments->yaml || write_yaml(editing)) &&
         write_overlay(editing);
}

int write_sources(const struct editing *editing) {
  struct file_change *changes = calloc(editing->count + 1, sizeof *changes);
  if (!changes)
    abort();
  for (size_t i = 0; i < editing->count; i++) {
    changes[i].path = editing->files[i].path;
    changes[i].before = editing->files[i].text;
    changes[i].after = editing->files[i].changed;
  }
  enum file_changes_end end = file_changes_make(changes, editing->count, "rsan-edit");
  free(changes);
  return end == FILE_CHANGES_MADE   ? EDIT_DONE
         : end == FILE_CHANGES_NONE ? EDIT_FAILED
                                    : EDIT_PARTLY;
}
