// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "progress.h"

#include <stdlib.h>
#include <string.h>

#include "file/line.h"

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
  const char *text = find(line, name);
  return text && *text != '-' ? strtoull(text, NULL, 10) : 0;
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
  const char *what = find(line, "what");
  if (what && strncmp(what, "violation ", strlen("violation ")) == 0) {
    p->violations++;
    return;
  }
  char *token = word(line, "token");
  if (strspn(token, "0") == strlen(token))
    *token = 0;
  const bool is_suspect = what && strncmp(what, "suspect ", strlen("suspect ")) == 0;
  const bool is_way = what && strncmp(what, "way ", strlen("way ")) == 0;
  struct finding **list = is_suspect ? &p->suspect : is_way ? &p->way : &p->finding;
  size_t *have = is_suspect ? &p->suspects : is_way ? &p->ways : &p->findings;
  // (A process that goes on with the state of a moment before may find it again.)
  for (size_t i = 0; !is_way && i < *have; i++)
    if ((*list)[i].number == count(line, "number") ||
        (*token && !(*list)[i].departures == !count(line, "departures") &&
         strcmp((*list)[i].token, token) == 0)) {
      free(token);
      return;
    }
  *list = one_more(*list, *have, sizeof **list);
  const char *schedule = find(line, "schedule"); // the last one: it may have blanks
  (*list)[(*have)++] = (struct finding){.what = word(line, "what"),
                                        .schedule = strdup(schedule ? schedule : ""),
                                        .token = token,
                                        .number = count(line, "number"),
                                        .run = p->run,
                                        .execution = count(line, "execution"),
                                        .steps = count(line, "steps"),
                                        .departures = count(line, "departures"),
                                        .preemptions = number(line, "preemptions")};
}

static void add_counted(struct counted_list *list, const char *line) {
  list->at = one_more(list->at, list->count, sizeof *list->at);
  list->at[list->count++] =
      (struct counted){.why = word(line, "why"), .executions = count(line, "executions")};
}

unsigned long long progress_counted(const struct counted_list *list, const char *why) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->at[i].why, why) == 0)
      return list->at[i].executions;
  return 0;
}

static bool begins(const char *line, const char *name) {
  size_t length = strlen(name);
  return strncmp(line, name, length) == 0 && line[length] == ' ';
}

static void free_list(struct counted_list *list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->at[i].why);
  free(list->at);
  *list = (struct counted_list){0};
}

static void take_level(struct progress *p, const char *line) {
  free_list(&p->done.given_up);
  free_list(&p->done.gaps);
  p->done = (struct progress_level){.loop = (unsigned)count(line, "loop"),
                                    .unroll = (unsigned)count(line, "unroll"),
                                    .whole = count(line, "whole"),
                                    .departed = count(line, "departed"),
                                    .cut = count(line, "cut"),
                                    .given_up = p->given_up,
                                    .gaps = p->gaps};
  p->given_up = p->gaps = (struct counted_list){0};
  p->has_done = true;
}

void progress_settle(struct progress *p) {
  if ((p->ended && p->exhausted) || !p->has_done || p->stopped_beyond)
    return;
  free_list(&p->given_up);
  free_list(&p->gaps);
  p->given_up = p->done.given_up;
  p->gaps = p->done.gaps;
  p->done.given_up = p->done.gaps = (struct counted_list){0};
  p->loop = p->done.loop;
  p->unroll = p->done.unroll;
  p->whole = p->done.whole;
  p->departed = p->done.departed;
  p->cut = p->done.cut;
  p->ended = p->exhausted = p->stopped_beyond = true;
}

// What an earlier process has said at its end is no longer so.
static void begin_process(struct progress *p, const char *line) {
  p->run = (unsigned)count(line, "number");
  p->executions_before = p->executions;
  p->ended = p->exhausted = p->refused = false;
  p->parts = 0;
  free_list(&p->given_up);
  free_list(&p->gaps);
}

static void take_result(struct progress *p, const char *line) {
  p->ended = true;
  p->exhausted = number(line, "exhausted");
  p->loop = (unsigned)count(line, "loop");
  p->unroll = (unsigned)count(line, "unroll");
  p->cut = count(line, "cut");
  p->whole = count(line, "whole");
  p->departed = count(line, "departed");
  p->steps = count(line, "steps");
  p->seconds = (double)number(line, "ns") / 1e9;
}

static void take_progress(struct progress *p, const char *line) {
  p->asleep = count(line, "asleep");
  p->longest = count(line, "longest");
  p->left = count(line, "left");
  p->cpu = (double)number(line, "cpu") / 1e9;
  p->left_share = (unsigned)count(line, "left-share");
}

static void take_graphs(struct progress *p, const char *line) {
  const char *unmade = find(line, "unmade"); // the last one: it has blanks
  free(p->graphs.unmade);
  p->graphs = (struct progress_graphs){.any = true,
                                       .turns = (unsigned)count(line, "turns"),
                                       .runs = count(line, "runs"),
                                       .graphs = count(line, "graphs"),
                                       .weak = count(line, "weak"),
                                       .turned = count(line, "turned"),
                                       .endless = count(line, "endless"),
                                       .failed = count(line, "failed"),
                                       .cut = count(line, "cut"),
                                       .diverged = count(line, "diverged"),
                                       .unmade = strdup(unmade ? unmade : "")};
}

static void take(struct progress *p, const char *line) {
  if (begins(line, "run")) {
    begin_process(p, line);
    return;
  }
  if (begins(line, "replayed")) {
    p->run = (unsigned)count(line, "number");
    return;
  }
  p->began = true;
  if (begins(line, "finding"))
    add_finding(p, line);
  else if (begins(line, "given-up"))
    add_counted(&p->given_up, line);
  else if (begins(line, "gap"))
    add_counted(&p->gaps, line);
  else if (begins(line, "level"))
    take_level(p, line);
  else if (begins(line, "graphs"))
    take_graphs(p, line);
  else if (begins(line, "parts")) {
    p->round = count(line, "round");
    p->parts = (unsigned)count(line, "count");
  } else if (begins(line, "failed"))
    p->refused = strcmp(line, "failed resume") == 0;
  bool is_result = begins(line, "result");
  if (!is_result && !begins(line, "progress"))
    return;
  p->bound = number(line, "bound");
  p->executions = count(line, "executions");
  (is_result ? take_result : take_progress)(p, line);
}

void progress_read(struct progress *progress) {
  char *line = NULL;
  size_t room = 0;
  clearerr(progress->file);
  for (;;) {
    long begun = ftell(progress->file);
    ssize_t length = file_line(&line, &room, progress->file);
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

static void free_findings(struct finding *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(list[i].what);
    free(list[i].token);
    free(list[i].schedule);
  }
  free(list);
}

void progress_free(struct progress *progress) {
  free_findings(progress->finding, progress->findings);
  free_findings(progress->suspect, progress->suspects);
  free_findings(progress->way, progress->ways);
  free_list(&progress->given_up);
  free_list(&progress->gaps);
  free_list(&progress->done.given_up);
  free_list(&progress->done.gaps);
  free_list(&progress->graph_gaps);
  free(progress->graphs.unmade);
  if (progress->file)
    fclose(progress->file);
}
