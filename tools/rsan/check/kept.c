// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kept.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graphs.h"
#include "printable.h"
#include "run/asked.h"

static const char *path_in(const char *folder) {
  static char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/check.json", folder);
  return path;
}

// -- written --

static void add_counted(cJSON *json, const struct progress *p, const struct counted_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (verdict_is_loss(p, &list->at[i]))
      cJSON_AddNumberToObject(json, list->at[i].why, (double)list->at[i].executions);
}

static const char *word_of(const struct kept *kept, const struct progress *p) {
  static const char *const words[] = {[VERDICT_PROVED] = "proved",
                                      [VERDICT_COMPLETE] = "no failure",
                                      [VERDICT_FOUND] = "found",
                                      [VERDICT_NOT_FINISHED] = "not proved"};
  if (verdict_of(p) == VERDICT_PROVED && verdict_apart(p))
    return "proved for RC20's fences";
  if (verdict_of(p) == VERDICT_COMPLETE && graphs_prove(p))
    return "proved correct, not robust";
  if (verdict_of(p) == VERDICT_COMPLETE && verdict_follows(&kept->bounds))
    return "not robust, no failure";
  return words[verdict_of(p)];
}

static void add_verdict(cJSON *json, const struct kept *kept, const struct progress *p) {
  cJSON_AddStringToObject(json, "verdict", word_of(kept, p));
  cJSON_AddNumberToObject(json, "executions", (double)p->executions);
  cJSON_AddNumberToObject(json, "whole_executions", (double)p->whole);
  cJSON_AddNumberToObject(json, "assumed_executions", (double)verdict_assumed(p));
  cJSON_AddNumberToObject(json, "bounded_executions", (double)verdict_bounded(p));
  cJSON_AddNumberToObject(json, "turned_executions", (double)verdict_turned(p));
  cJSON_AddNumberToObject(json, "unrolled_executions", (double)verdict_unrolled(p));
  cJSON_AddNumberToObject(json, "explored_loop", (double)p->loop);
  cJSON_AddNumberToObject(json, "explored_unroll", (double)p->unroll);
  cJSON_AddNumberToObject(json, "explored_departures", kept->bounds.departures);
  cJSON_AddNumberToObject(json, "spared_executions", (double)verdict_spared(p));
  cJSON_AddNumberToObject(json, "apart_executions", (double)verdict_apart(p));
  cJSON_AddNumberToObject(json, "retained_executions", (double)verdict_retained(p));
  cJSON_AddNumberToObject(json, "violations", (double)p->violations);
  cJSON_AddNumberToObject(json, "failing_violations", (double)p->failing);
  cJSON_AddNumberToObject(json, "seconds", p->seconds);
  cJSON_AddBoolToObject(json, "exhausted",
                        p->ended && p->exhausted && !p->cut && !p->stopped_beyond);
  cJSON *gaps = cJSON_AddObjectToObject(json, "gaps");
  add_counted(gaps, p, &p->given_up);
  add_counted(gaps, p, &p->gaps);
  if (p->graphs.any) {
    cJSON *graphs = cJSON_AddObjectToObject(json, "graphs");
    cJSON_AddNumberToObject(graphs, "all", (double)p->graphs.graphs);
    cJSON_AddNumberToObject(graphs, "weak", (double)p->graphs.weak);
    cJSON_AddNumberToObject(graphs, "failed", (double)p->graphs.failed);
    if (*p->graphs.unmade)
      cJSON_AddStringToObject(graphs, "unmade", p->graphs.unmade);
  }
  cJSON *findings = cJSON_AddArrayToObject(json, "findings");
  for (size_t i = 0; i < p->findings; i++) {
    cJSON *finding = cJSON_CreateObject();
    cJSON_AddStringToObject(finding, "what", p->finding[i].what);
    cJSON_AddStringToObject(finding, "schedule", p->finding[i].schedule);
    cJSON_AddNumberToObject(finding, "execution", (double)p->finding[i].execution);
    cJSON_AddNumberToObject(finding, "steps", (double)p->finding[i].steps);
    cJSON_AddNumberToObject(finding, "departures", (double)p->finding[i].departures);
    cJSON_AddItemToArray(findings, finding);
  }
}

bool kept_write(const char *folder, const struct kept *kept, const struct progress *progress) {
  cJSON *json = cJSON_CreateObject();
  asked_add(json, kept->command);
  cJSON_AddNumberToObject(json, "preemptions", (double)kept->bounds.preemptions);
  cJSON_AddNumberToObject(json, "loop", kept->bounds.loop);
  cJSON_AddNumberToObject(json, "unroll", kept->bounds.unroll);
  cJSON_AddNumberToObject(json, "spurious", kept->bounds.spurious);
  // (With --resume the exploration goes on that has gone furthest.)
  cJSON_AddNumberToObject(json, "departures",
                          kept->bounds.departures + (progress && progress->has_beyond));
  cJSON_AddNumberToObject(json, "follow", kept->bounds.follow);
  cJSON_AddNumberToObject(json, "timeout", kept->timeout);
  if (progress)
    add_verdict(json, kept, progress);
  return asked_write(path_in(folder), json);
}

// -- read --

static bool take(const cJSON *json, struct kept *kept) {
  double preemptions, loop, unroll, spurious, departures, follow = 0;
  if (!asked_number(json, "preemptions", -1, INT_MAX, &preemptions) ||
      !asked_number(json, "loop", 1, INT_MAX, &loop) ||
      !asked_number(json, "unroll", 0, INT_MAX, &unroll) ||
      !asked_number(json, "spurious", 0, INT_MAX, &spurious) ||
      !asked_number(json, "departures", 0, INT_MAX, &departures) ||
      (cJSON_HasObjectItem(json, "follow") && !asked_number(json, "follow", 0, INT_MAX, &follow)) ||
      !asked_number(json, "timeout", 0, INT_MAX, &kept->timeout) ||
      !asked_take(json, &kept->command))
    return false;
  kept->bounds.preemptions = (long long)preemptions;
  kept->bounds.loop = (unsigned)loop;
  kept->bounds.unroll = (unsigned)unroll;
  kept->bounds.spurious = (unsigned)spurious;
  kept->bounds.departures = (unsigned)departures;
  kept->bounds.follow = (unsigned)follow;
  return true;
}

bool kept_read(const char *folder, const char *name, struct kept *kept) {
  cJSON *json = asked_read(path_in(folder));
  bool taken = json && take(json, kept);
  if (!taken)
    print_line(stderr, "%s: --resume %s: there is no exploration to resume (check.json)", name,
               folder);
  cJSON_Delete(json);
  return taken;
}

void kept_free(struct kept *kept) {
  asked_free(kept->command);
}
