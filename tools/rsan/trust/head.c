// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "head.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "file/line.h"
#include "file/regular.h"
#include "need.h"

#define MAGIC "rsan-schedule 1"
#define STEPS "steps" // the head's end

enum { HEAD_LINES = 16 };

static void take(const char *line, const char *name, char **value) {
  size_t length = strlen(name);
  if (!*value && strncmp(line, name, length) == 0 && line[length] == ' ')
    *value = need(strdup(line + length + 1));
}

bool schedule_head_read(const char *file, struct schedule_head *head, bool *is_schedule) {
  FILE *in = file_open_regular(file, 0);
  char *line = NULL;
  size_t size = 0;
  *head = (struct schedule_head){0};
  *is_schedule = false;
  for (unsigned number = 0; in && number < HEAD_LINES && file_line(&line, &size, in) >= 0;
       number++) {
    line[strcspn(line, "\n")] = 0;
    if (number == 0)
      *is_schedule = strcmp(line, MAGIC) == 0;
    if (!*is_schedule || strcmp(line, STEPS) == 0)
      break;
    take(line, "build", &head->build);
    take(line, "arguments", &head->arguments);
    take(line, "options", &head->options);
  }
  bool fine = in && !ferror(in);
  int error = errno;
  if (in)
    fclose(in);
  free(line);
  errno = error;
  return fine;
}

void schedule_head_free(struct schedule_head *head) {
  free(head->build);
  free(head->arguments);
  free(head->options);
  *head = (struct schedule_head){0};
}

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Undoes "%20" and the like, in place.
static void unescape(char *text) {
  char *to = text;
  for (; *text; text++)
    if (*text == '%' && digit(text[1]) >= 0 && digit(text[2]) >= 0) {
      *to++ = (char)(digit(text[1]) << 4 | digit(text[2]));
      text += 2;
    } else {
      *to++ = *text;
    }
  *to = 0;
}

char **schedule_words(char *line, size_t first) {
  size_t count = first;
  char **words = need(calloc(strlen(line) + first + 2, sizeof *words)), *rest = NULL;
  for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    unescape(word);
    words[count++] = word;
  }
  return words;
}

char *replay_line(const char *file, const char *token) {
  return shell_line((const char *const[]){"rsan", "replay", file, token, NULL});
}
