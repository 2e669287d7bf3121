// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GitLab's report of code quality: an array of one object for each finding. The fingerprint is the
// token, so that a finding is the same one in the next pipeline. What a baseline knows is left out.

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "confirmed.h"
#include "frame.h"
#include "output.h"
#include "record.h"

static const char *severity_of(const cJSON *record) {
  if (!record_is_violation(record) || record_is_confirmed(record))
    return "critical";
  return "major";
}

static cJSON *issue_of(const struct entry *entry) {
  const cJSON *record = entry->record, *site = record_site(record, 0);
  const char *file = record_text(site, "file"), *module = record_text(site, "module");
  char *rule = rule_id(record_type(record)), *text = sentence(record);
  cJSON *issue = cJSON_CreateObject(), *location;
  cJSON_AddStringToObject(issue, "description", text);
  cJSON_AddStringToObject(issue, "check_name", rule);
  cJSON_AddStringToObject(issue, "fingerprint", entry->token);
  cJSON_AddStringToObject(issue, "severity", severity_of(record));
  location = cJSON_AddObjectToObject(issue, "location");
  cJSON_AddStringToObject(location, "path", file ? file : module ? base_name(module) : "unknown");
  cJSON_AddNumberToObject(cJSON_AddObjectToObject(location, "lines"), "begin",
                          file && record_number(site, "line") ? (double)record_number(site, "line")
                                                              : 1);
  free(rule);
  free(text);
  return issue;
}

void write_gitlab(const struct collection *collection, FILE *out) {
  cJSON *issues = cJSON_CreateArray();
  for (size_t i = 0; i < collection->fresh; i++)
    cJSON_AddItemToArray(issues, issue_of(&collection->at[i]));
  write_object(issues, out);
}
