// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// confirm.json: what was asked for. With runs.jsonl and the folders of the control runs it is all
// that --resume needs.

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "aim.h"
#include "confirm.h"
#include "journal.h"
#include "machines/campaign.h"
#include "need.h"
#include "printable.h"
#include "report/record.h"
#include "run/asked.h"

static const char *path_in(const char *folder) {
  static char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/confirm.json", folder);
  return path;
}

bool confirm_keep(const struct confirm *confirm) {
  const char *path = path_in(confirm->plan.folder);
  cJSON *json = cJSON_CreateObject();
  asked_add(json, confirm->plan.command);
  cJSON_AddNumberToObject(json, "seed", confirm->trials.first_seed);
  cJSON_AddNumberToObject(json, "controls", confirm->trials.controls);
  cJSON_AddNumberToObject(json, "runs", confirm->trials.runs);
  cJSON *only = cJSON_AddArrayToObject(json, "only");
  for (size_t i = 0; i < confirm->only_count; i++)
    cJSON_AddItemToArray(only, cJSON_CreateString(confirm->only[i]));
  bool written = asked_write(path, json);
  if (!written)
    print_line(stderr, "%s: %s: %s", confirm->name, path, strerror(errno));
  return written;
}

static void take_only(struct confirm *confirm, const cJSON *only) {
  const cJSON *one;
  cJSON_ArrayForEach(one, only) if (cJSON_IsString(one)) aim_add(confirm, one->valuestring);
}

static bool take_asked(struct confirm *confirm, const cJSON *json, char ***command) {
  struct trials *trials = &confirm->trials;
  double seed, controls, runs;
  if (!asked_number(json, "seed", 1, INT_MAX / 2, &seed) ||
      !asked_number(json, "controls", 1, TRIALS_MOST, &controls) ||
      !asked_number(json, "runs", 1, TRIALS_MOST, &runs) || !asked_take(json, command))
    return false;
  take_only(confirm, record_list(json, "only"));
  trials->first_seed = (unsigned)seed;
  trials->controls = (unsigned)controls;
  if (!trials->runs)
    trials->runs = (unsigned)runs;
  confirm->plan.command = *command;
  return true;
}

static void take_line(void *context, struct made *made, bool first) {
  struct confirm *confirm = context;
  confirm->trials.controls_only = first;
  trials_begin(&confirm->trials, &made->trial);
  confirm_take(confirm, made, first);
  if (made->run > confirm->plan.earlier)
    confirm->plan.earlier = made->run;
}

// Folders of runs that did not come to their end are behind the others, or have none of their
// reports missing: the runs are made again, with other numbers.
static void pass_over_folders(struct confirm *confirm) {
  DIR *list = opendir(confirm->plan.folder);
  struct dirent *entry;
  while (list && (entry = readdir(list))) {
    unsigned number;
    if (sscanf(entry->d_name, "run-%u", &number) == 1 && number > confirm->plan.earlier &&
        number <= RUN_LAST)
      confirm->plan.earlier = number;
  }
  if (list)
    closedir(list);
}

bool confirm_resume(struct confirm *confirm, char ***command) {
  cJSON *json = asked_read(path_in(confirm->plan.folder));
  bool taken = json && take_asked(confirm, json, command);
  cJSON_Delete(json);
  if (!taken) {
    print_line(stderr, "%s: --resume %s: there is nothing to resume (confirm.json)", confirm->name,
               confirm->plan.folder);
    return false;
  }
  if (campaign_is_kept(confirm->plan.folder)) // which have archives of all runs
    return true;
  if (!journal_read(confirm->plan.folder, &confirm->trials, take_line, confirm)) {
    print_line(stderr, "%s: --resume %s: runs.jsonl is not a regular file that can be read",
               confirm->name, confirm->plan.folder);
    return false;
  }
  pass_over_folders(confirm);
  confirm->trials.controls_only = false;
  return true;
}
