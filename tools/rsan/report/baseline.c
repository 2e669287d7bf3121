// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "file/line.h"
#include "file/regular.h"
#include "printable.h"

static const char mark[] = "token:";
static const char digits[] = "0123456789abcdef";

void baseline_add(struct baseline *baseline, const char *token, const char *text) {
  baseline->at = must_alloc(baseline->at, (baseline->count + 1) * sizeof *baseline->at);
  baseline->at[baseline->count++] = (struct known_finding){.token = must_copy(token, strlen(token)),
                                                           .text = must_copy(text, strlen(text))};
}

static int compare(const void *a, const void *b) {
  const struct known_finding *left = a, *right = b;
  return strcmp(left->token, right->token);
}

static void clear_finding(struct known_finding *finding) {
  free(finding->token);
  free(finding->text);
}

void baseline_sort(struct baseline *baseline) {
  size_t count = 0;
  if (baseline->count)
    qsort(baseline->at, baseline->count, sizeof *baseline->at, compare);
  for (size_t i = 0; i < baseline->count; i++) {
    if (count && strcmp(baseline->at[count - 1].token, baseline->at[i].token) == 0)
      clear_finding(&baseline->at[i]);
    else
      baseline->at[count++] = baseline->at[i];
  }
  baseline->count = count;
}

// Takes a line without its end. TEXT is the last comment. False: it is of another kind.
static bool take_line(struct baseline *baseline, const char *line, char **text) {
  line += strspn(line, " \t");
  size_t length = strcspn(line, " \t\r");
  if (*line == '#') {
    free(*text);
    *text = must_copy(line + 1 + strspn(line + 1, " "),
                      strcspn(line, "\r\n") - 1 - strspn(line + 1, " "));
  } else if (length == strlen(mark) + 16 && strncmp(line, mark, strlen(mark)) == 0 &&
             strspn(line + strlen(mark), digits) == 16 &&
             !line[length + strspn(line + length, " \t\r")]) {
    char *token = must_copy(line + strlen(mark), 16);
    baseline_add(baseline, token, *text ? *text : "");
    free(token);
    free(*text);
    *text = NULL;
  } else {
    return length == 0;
  }
  return true;
}

bool baseline_read(struct baseline *baseline, const char *path) {
  FILE *in = file_open_regular(path, 0);
  char *line = NULL, *text = NULL;
  size_t room = 0, number = 0;
  bool sound = true;
  if (!in) {
    complain(STATUS_FAILED, "%s: %s", path,
             errno == EINVAL ? "it is not a regular file" : strerror(errno));
    return false;
  }
  for (ssize_t length; sound && (length = file_line(&line, &room, in)) >= 0;) {
    number++;
    line[strcspn(line, "\n")] = '\0';
    sound = take_line(baseline, line, &text);
  }
  if (!sound)
    complain(STATUS_FAILED, "%s:%zu: a line must be token: and 16 hexadecimal digits, or a comment",
             path, number);
  free(line);
  free(text);
  fclose(in);
  baseline_sort(baseline);
  return sound;
}

void baseline_clear(struct baseline *baseline) {
  for (size_t i = 0; i < baseline->count; i++)
    clear_finding(&baseline->at[i]);
  free(baseline->at);
  *baseline = (struct baseline){0};
}

struct known_finding *baseline_find(const struct baseline *baseline, const char *token) {
  const struct known_finding wanted = {.token = (char *)token};
  return baseline->count
             ? bsearch(&wanted, baseline->at, baseline->count, sizeof *baseline->at, compare)
             : NULL;
}

bool baseline_see(struct baseline *baseline, const char *token) {
  struct known_finding *found = baseline && token ? baseline_find(baseline, token) : NULL;
  if (found)
    found->seen = true;
  return found;
}

void baseline_write(const struct baseline *baseline, FILE *out) {
  fputs("# Findings that are known (rsan baseline). A comment describes the token below it.\n",
        out);
  for (size_t i = 0; i < baseline->count; i++) {
    fputs("\n# ", out);
    put_printable(baseline->at[i].text, out);
    fprintf(out, "\n%s%s\n", mark, baseline->at[i].token);
  }
}

void baseline_write_gone(const struct baseline *baseline, const char *where, FILE *out) {
  size_t gone = 0;
  for (size_t i = 0; i < baseline->count; i++)
    gone += !baseline->at[i].seen;
  if (gone)
    fprintf(out, "%zu known finding%s not seen %s:\n", gone, gone == 1 ? " was" : "s were", where);
  for (size_t i = 0; i < baseline->count; i++) {
    if (baseline->at[i].seen)
      continue;
    fprintf(out, "  %s ", baseline->at[i].token);
    put_printable(baseline->at[i].text, out);
    fputc('\n', out);
  }
}
