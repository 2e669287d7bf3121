// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign.h"
#include "printable.h"
#include "report/record.h"
#include "run/asked.h"

bool campaign_keep(const struct campaign *campaign) {
  const struct run_plan *plan = &campaign->plan;
  const char *path = campaign_path(campaign, "campaign.json");
  cJSON *json = cJSON_CreateObject();
  asked_add(json, plan->command);
  cJSON_AddStringToObject(json, "on", campaign->engine);
  cJSON_AddStringToObject(json, "schedule", plan->schedule ? plan->schedule : "off");
  cJSON_AddBoolToObject(json, "weak", plan->weak);
  cJSON_AddBoolToObject(json, "keep", plan->keep);
  cJSON_AddBoolToObject(json, "allow_empty", plan->allow_empty);
  cJSON_AddNumberToObject(json, "timeout", plan->timeout);
  cJSON_AddNumberToObject(json, "iterations", plan->iterations);
  cJSON_AddNumberToObject(json, "until_clean", plan->until_clean);
  cJSON_AddBoolToObject(json, "stop_on_first", plan->stop_on_first);
  cJSON_AddNumberToObject(json, "time", plan->time);
  cJSON_AddNumberToObject(json, "unit", campaign->unit_runs);
  cJSON *with = cJSON_AddArrayToObject(json, "with");
  for (const char *const *name = campaign->with; name && *name; name++)
    cJSON_AddItemToArray(with, cJSON_CreateString(*name));
  cJSON *units = cJSON_AddArrayToObject(json, "units");
  for (size_t i = 0; i < campaign->share_count; i++) {
    const double pair[] = {campaign->shares[i].first, campaign->shares[i].last};
    cJSON_AddItemToArray(units, cJSON_CreateDoubleArray(pair, 2));
  }
  bool written = asked_write(path, json);
  if (!written)
    print_line(stderr, "%s: %s: %s", campaign->name, path, strerror(errno));
  return written;
}

static bool take_units(struct campaign *campaign, const cJSON *list) {
  const cJSON *pair;
  cJSON_ArrayForEach(pair, list) {
    const cJSON *first = cJSON_GetArrayItem(pair, 0), *last = cJSON_GetArrayItem(pair, 1);
    if (!cJSON_IsNumber(first) || !cJSON_IsNumber(last) || first->valuedouble < 1 ||
        last->valuedouble < first->valuedouble || last->valuedouble >= UINT_MAX)
      return false;
    shares_add(campaign, (unsigned)first->valuedouble, (unsigned)last->valuedouble);
  }
  return true;
}

static void take_with(struct campaign *campaign, const cJSON *list) {
  size_t count = 0;
  const cJSON *name;
  const char **with = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *with);
  if (!with)
    abort();
  cJSON_ArrayForEach(name, list) {
    const char *text = cJSON_GetStringValue(name);
    with[count++] = text ? text : "";
  }
  campaign->with = campaign->kept_with = with;
}

// Rounds of earlier calls: what is late comes into their folders.
static void pass_over_rounds(struct campaign *campaign) {
  DIR *list = opendir(campaign_path(campaign, "incoming"));
  struct dirent *entry;
  while (list && (entry = readdir(list))) {
    unsigned number;
    if (sscanf(entry->d_name, "%u", &number) == 1 && number > campaign->round)
      campaign->round = number;
  }
  if (list)
    closedir(list);
}

// Takes the limits that the new command does not give. The time limit was that of the old command,
// so it is taken only if nothing else would end the runs. Returns false if a number is out of its
// range, or if nothing ends the runs.
static bool take_limits(struct campaign *campaign, const cJSON *json) {
  struct run_plan *plan = &campaign->plan;
  double iterations, until_clean, time, unit;
  if (!asked_number(json, "timeout", 0, INT_MAX, &plan->timeout) ||
      !asked_number(json, "iterations", 0, UINT_MAX, &iterations) ||
      !asked_number(json, "until_clean", 0, UINT_MAX, &until_clean) ||
      !asked_number(json, "time", 0, INT_MAX, &time) ||
      !asked_number(json, "unit", 0, UINT_MAX, &unit))
    return false;
  campaign->unit_runs = (unsigned)unit;
  plan->stop_on_first |= record_true(json, "stop_on_first");
  if (!plan->iterations)
    plan->iterations = (unsigned)iterations;
  if (!plan->until_clean)
    plan->until_clean = (unsigned)until_clean;
  if (!plan->iterations && !plan->until_clean && plan->time <= 0)
    plan->time = time;
  return plan->iterations || plan->until_clean || plan->time > 0 || campaign->tries;
}

bool campaign_resume(struct campaign *campaign, char ***command) {
  struct run_plan *plan = &campaign->plan;
  const char *folder = plan->folder;
  cJSON *json = asked_read(campaign_path(campaign, "campaign.json"));
  const char *schedule = record_text(json, "schedule"), *engine = record_text(json, "on"), *rest;
  if (!campaign->engine)
    campaign->engine = engine;
  bool taken = json && schedule && campaign->engine && engine_find(campaign->engine, &rest) &&
               take_limits(campaign, json) && asked_take(json, command) &&
               take_units(campaign, record_list(json, "units"));
  if (taken) {
    plan->command = *command;
    plan->schedule = strcmp(schedule, "off") == 0 ? NULL : schedule;
    plan->weak = record_true(json, "weak");
    plan->keep = record_true(json, "keep");
    plan->allow_empty |= record_true(json, "allow_empty");
    take_with(campaign, record_list(json, "with"));
    pass_over_rounds(campaign);
  } else {
    print_line(stderr, "%s: --resume %s: there is nothing to resume (campaign.json)",
               campaign->name, folder);
  }
  campaign->kept = json;
  return taken;
}

bool campaign_resume_tries(struct campaign *campaign) {
  struct run_plan *plan = &campaign->plan;
  char *const *own = plan->command;
  double time = plan->time;
  char **command = NULL;
  bool resumed = campaign_resume(campaign, &command);
  asked_free(command);
  plan->command = own;
  plan->time = time;
  return resumed;
}

bool campaign_is_kept(const char *folder) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/campaign.json", folder);
  return access(path, F_OK) == 0;
}
