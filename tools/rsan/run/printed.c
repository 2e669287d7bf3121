// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "printed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "file/line.h"
#include "need.h"

// "program: q.c:12: check: Assertion `x == 1' failed.": the place without the program's name.
static char *place_before(const char *line, const char *end) {
  const char *name = memmem(line, (size_t)(end - line), ": ", 2);
  const char *at = name ? name + 2 : line;
  const char *colon = memchr(at, ':', (size_t)(end - at));
  if (!colon || colon[1] < '0' || colon[1] > '9') // without the name
    at = line, colon = memchr(at, ':', (size_t)(end - at));
  size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
  return digits ? need(strndup(at, (size_t)(colon + 1 + digits - at))) : NULL;
}

// Recognises the messages of glibc's assert, of the C++ library's own, and of uncaught exceptions.
static char *assertion_in(const char *line) {
  const char *begin = strstr(line, "Assertion `"), *end = begin ? strstr(begin, "' failed") : NULL;
  char *text = NULL;
  if (!end) {
    begin = strstr(line, "Assertion '");
    end = begin ? strstr(begin, "' failed") : NULL;
  }
  if (end) {
    char *place = place_before(line, begin);
    begin += strlen("Assertion `");
    if (asprintf(&text, "assertion \"%.*s\"%s%s", (int)(end - begin), begin, place ? " at " : "",
                 place ? place : "") < 0)
      abort();
    free(place);
  } else if (strncmp(line, "terminate called", strlen("terminate called")) == 0) {
    text = need(strdup(line));
  }
  return text;
}

// "src/main.rs:16" of Rust's "thread 'main' (7) panicked at src/main.rs:16:5:", the line before
// what it says; the number is another one in each run.
static char *panic_in(const char *line) {
  static const char thread[] = "thread '", panicked[] = " panicked at ";
  const char *at = strncmp(line, thread, sizeof thread - 1) == 0 ? strstr(line, panicked) : NULL;
  if (!at)
    return NULL;
  at += sizeof panicked - 1;
  size_t length = strlen(at);
  for (int part = 0; part < 2; part++) { // the last colon, and the column before it
    size_t end = length;
    while (part && end > 0 && at[end - 1] >= '0' && at[end - 1] <= '9')
      end--;
    if (end > 0 && at[end - 1] == ':')
      length = end - 1;
  }
  return need(strndup(at, length));
}

// "queue_test.cc:12: Failure" of GoogleTest.
static char *check_in(const char *line) {
  static const char failure[] = ": Failure";
  const char *end = strstr(line, failure);
  if (!end || end[sizeof failure - 1] || end == line || end[-1] < '0' || end[-1] > '9')
    return NULL;
  return need(strndup(line, (size_t)(end - line)));
}

// "[  FAILED  ] Queue.Pop (3 ms)": the first of these names the test.
static char *test_in(const char *line) {
  static const char failed[] = "[  FAILED  ] ";
  if (strncmp(line, failed, sizeof failed - 1) != 0)
    return NULL;
  line += sizeof failed - 1;
  return need(strndup(line, strcspn(line, " ,")));
}

static void read_line(struct printed *printed, const char *line) {
  if (!printed->check)
    printed->check = check_in(line);
  if (!printed->test)
    printed->test = test_in(line);
  if (printed->panic && !printed->assertion && *line &&
      asprintf(&printed->assertion, "panic \"%.120s\" at %s", line, printed->panic) < 0)
    abort();
  if (!printed->assertion)
    printed->assertion = assertion_in(line);
  if (!printed->assertion && !printed->panic)
    printed->panic = panic_in(line);
  if (*line) {
    free(printed->last);
    printed->last = need(strndup(line, 120));
  }
}

void printed_read(struct printed *printed, const char *path) {
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  FILE *file = fopen(path, "r");
  while (file && (length = file_line(&line, &size, file)) >= 0) {
    line[strcspn(line, "\r\n")] = 0;
    read_line(printed, line);
  }
  if (file)
    fclose(file);
  free(line);
}

void printed_free(struct printed *printed) {
  free(printed->assertion);
  free(printed->panic);
  free(printed->check);
  free(printed->test);
  free(printed->last);
}
