// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool write_temporary(char *path, const char *text) {
  int file = mkstemp(path);
  FILE *stream = file < 0 ? NULL : fdopen(file, "w");
  return stream && fputs(text, stream) >= 0 && fclose(stream) == 0;
}

bool output_diff(FILE *to, const char *path, const char *old, const char *changed) {
  char before[] = "/tmp/rsan-edit-XXXXXX", after[] = "/tmp/rsan-edit-XXXXXX";
  char label[2][PATH_MAX + 8];
  const char *relative = path + (*path == '/');
  snprintf(label[0], sizeof label[0], "a/%s", relative);
  snprintf(label[1], sizeof label[1], "b/%s", relative);
  bool fine = write_temporary(before, old) && write_temporary(after, changed);
  int status = -1;
  fflush(NULL);
  pid_t child = fine ? fork() : -1;
  if (child == 0) {
    dup2(fileno(to), STDOUT_FILENO);
    execlp("diff", "diff", "-u", "--label", label[0], "--label", label[1], before, after,
           (char *)NULL);
    perror("diff");
    _exit(2);
  }
  fine = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) < 2;
  unlink(before);
  unlink(after);
  return fine;
}

static void write_quoted(FILE *to, const char *text) {
  putc('"', to);
  for (; *text; text++) {
    if (*text == '\n')
      fputs("\\n", to);
    else if (*text == '\t')
      fputs("\\t", to);
    else
      fprintf(to, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  }
  putc('"', to);
}

void output_single(FILE *to, const char *text) {
  putc('\'', to);
  for (; *text; text++)
    fprintf(to, *text == '\'' ? "''" : "%c", *text);
  putc('\'', to);
}

// One document for all files: clang-apply-replacements reads no second one.
void output_yaml(FILE *to, const char *path, const struct edits *edits, bool first) {
  if (first) {
    fputs("---\nMainSourceFile: ", to);
    output_single(to, path);
    fputs("\nReplacements:\n", to);
  }
  for (size_t i = 0; i < edits->count; i++) {
    const struct edit *edit = &edits->at[i];
    fputs("  - FilePath: ", to);
    output_single(to, path);
    fprintf(to, "\n    Offset: %u\n    Length: %u\n    ReplacementText: ", edit->offset,
            edit->length);
    write_quoted(to, edit->text);
    putc('\n', to);
  }
}

bool output_yaml_end(FILE *to, bool empty) {
  if (empty)
    fputs("---\nMainSourceFile: ''\nReplacements: []\n", to);
  fputs("...\n", to);
  return fclose(to) == 0;
}

bool output_write(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file)
    return false;
  bool fine = fputs(text, file) >= 0;
  return fclose(file) == 0 && fine;
}
