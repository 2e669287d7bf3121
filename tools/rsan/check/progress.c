// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "progress.h"

#include <stdlib.h>
#include <string.h>

// The text behind "NAME=" in the line, to its end or the next blank; NULL if there is none.
static const char *find(const char *line, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strchr(line, ' '); at; at = strchr(at + 1, ' '))
    if (strncmp(at + 1, name, length) == 0 && at[1 + length] == '=')
      return at + length + 2;
  return NULL;
}

static long long number(const char *line, const char *name) {
  const char *text = find(line, name);
  return text ? strtoll(text, NULL, 10) : 0;
}

static unsigned long long count(const char *line, const char *name) {
  long long value = number(line, name);
  return value > 0 ? (unsigned long long)value : 0;
}

static char *word(const char *line, const char *name) {
  const char *text = find(line, name);
  char *copy = text ? strndup(text, strcspn(text, " ")) : strdup("");
  if (!copy)
    abort();
  return copy;
}

static void *one_more(void *array, size_t have, size_t size) {
  void *larger = realloc(array, (have + 1) * size);
  if (!larger)
    abort();
  return larger;
}

static void add_finding(struct progress *p, const char *line) {
  p->finding = one_more(p->finding, p->findings, sizeof *p->finding);
  const char *schedule = find(line, "schedule"); // the last one: it may have blanks
  p->finding[p->findings++] = (struct finding){.what = word(line, "what"),
                                               .schedule = strdup(schedule ? schedule : ""),
                                               .execution = count(line, "execution"),
                                               .steps = count(line, "steps"),
                                               .preemptions = number(line, "preemptions")};
}

static void add_counted(struct counted_list *list, const char *line) {
  list->at = one_more(list->at, list->count, sizeof *list->at);
  list->at[list->count++] =
      (struct counted){.why = word(line, "why"), .executions = count(line, "executions")};
}

static bool begins(const char *line, const char *name) {
  size_t length = strlen(name);
  return strncmp(line, name, length) == 0 && line[length] == ' ';
}

static void take(struct progress *p, const char *line) {
  p->began = true;
  if (begins(line, "finding"))
    add_finding(p, line);
  else if (begins(line, "given-up"))
    add_counted(&p->given_up, line);
  else if (begins(line, "gap"))
    add_counted(&p->gaps, line);
  if (!begins(line, "progress") && !begins(line, "result"))
    return;
  p->bound = number(line, "bound");
  p->executions = count(line, "executions");
  if (begins(line, "progress")) {
    p->asleep = count(line, "asleep");
    p->longest = count(line, "longest");
    return;
  }
  p->ended = true;
  p->exhausted = number(line, "exhausted");
  p->cut = count(line, "cut");
  p->whole = count(line, "whole");
  p->steps = count(line, "steps");
  p->seconds = (double)number(line, "ns") / 1e9;
}

void progress_read(struct progress *progress) {
  char *line = NULL;
  size_t room = 0;
  clearerr(progress->file);
  for (;;) {
    long begun = ftell(progress->file);
    ssize_t length = getline(&line, &room, progress->file);
    if (length <= 0)
      break;
    if (line[length - 1] != '\n') { // it is still being written
      fseek(progress->file, begun, SEEK_SET);
      break;
    }
    line[length - 1] = 0;
    take(progress, line);
  }
  free(line);
}

static void free_list(struct counted_list *list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->at[i].why);
  free(list->at);
}

void progress_free(struct progress *progress) {
  for (size_t i = 0; i < progress->findings; i++) {
    free(progress->finding[i].what);
    free(progress->finding[i].schedule);
  }
  free(progress->finding);
  free_list(&progress->given_up);
  free_list(&progress->gaps);
  if (progress->file)
    fclose(progress->file);
}
