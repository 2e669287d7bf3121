// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug-lines/piped.h"
#include "printable.h"

// A name with control characters is quoted as git quotes it, which patch(1) reads, too.
static void make_label(char *label, size_t size, char side, const char *path) {
  char *name = printable(path);
  bool plain = strcmp(name, path) == 0;
  free(name);
  if (plain) {
    snprintf(label, size, "%c/%s", side, path);
    return;
  }
  int used = snprintf(label, size, "\"%c/", side);
  for (; *path && (size_t)used + 6 < size; path++)
    used += sprintf(label + used,
                    strchr("\"\\", *path)        ? "\\%c"
                    : *path < ' ' || *path > '~' ? "\\%03o"
                                                 : "%c",
                    (unsigned char)*path);
  strcpy(label + used, "\"");
}

bool output_diff(FILE *to, const char *path, const char *old, const char *changed) {
  char files[2][32], labels[2][4 * PATH_MAX + 8];
  const char *relative = path + (*path == '/');
  const char *const argv[] = {"diff",    "-u",     "--label", labels[0], "--label",
                              labels[1], files[0], files[1],  NULL};
  int before = piped_text(old, strlen(old)), after = piped_text(changed, strlen(changed));
  struct piped diff;
  make_label(labels[0], sizeof labels[0], 'a', relative);
  make_label(labels[1], sizeof labels[1], 'b', relative);
  snprintf(files[0], sizeof files[0], "/dev/fd/%d", before);
  snprintf(files[1], sizeof files[1], "/dev/fd/%d", after);
  bool fine = before >= 0 && after >= 0 && piped_start(&diff, argv, -1, false);
  for (int c; fine && (c = getc(diff.output)) != EOF;)
    putc(c, to);
  fine = fine && piped_end(&diff) == 1;
  close(before);
  close(after);
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

void output_yaml_end(FILE *to, bool empty) {
  if (empty)
    fputs("---\nMainSourceFile: ''\nReplacements: []\n", to);
  fputs("...\n", to);
}
