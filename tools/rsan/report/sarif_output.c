// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SARIF 2.1.0: one run, a rule for each type of report, a result for each kind of report with its
// stacks, and a code flow with a thread flow for each thread.

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "confirmed.h"
#include "lost.h"
#include "output.h"
#include "record.h"
#include "sarif.h"

static cJSON *add_object(cJSON *object, const char *key) {
  return cJSON_AddObjectToObject(object, key);
}

static void add_message(cJSON *object, const char *key, const char *text) {
  cJSON_AddStringToObject(add_object(object, key), "text", text);
}

static void add_rule(cJSON *rules, const char *type, const char *id) {
  bool violation = strcmp(type, "robustness violation") == 0;
  cJSON *rule = cJSON_CreateObject(), *item;
  cJSON_ArrayForEach(item, rules) if (strcmp(record_text(item, "id"), id) == 0) {
    cJSON_Delete(rule);
    return;
  }
  cJSON_AddStringToObject(rule, "id", id);
  add_message(rule, "shortDescription", type);
  add_message(rule, "fullDescription",
              violation ? "The program has an execution that the memory model of C and C++ allows "
                          "and that no sequentially consistent execution matches."
                        : "A defect that ThreadSanitizer reports.");
  add_message(rule, "help",
              violation ? "Put atomic_thread_fence(memory_order_seq_cst), in Rust "
                          "fence(Ordering::SeqCst), between the two accesses of each thread "
                          "on the cycle, or make them memory_order_seq_cst; if the outcome is "
                          "wanted, say so with rsan.h or a suppression."
              : strstr(type, "data race") ? "Order the accesses, or make them atomic."
              : strstr(type, "uninitialised")
                  ? "Initialise the object before other threads can reach it."
                  : "Read the report's stacks, or repeat its run by the schedule that it names.");
  cJSON_AddStringToObject(add_object(rule, "defaultConfiguration"), "level", "error");
  cJSON_AddItemToArray(rules, rule);
}

static int rule_index(const cJSON *rules, const char *id) {
  int index = 0;
  const cJSON *item;
  cJSON_ArrayForEach(item, rules) {
    if (strcmp(record_text(item, "id"), id) == 0)
      break;
    index++;
  }
  return index;
}

static void add_stack(cJSON *stacks, const cJSON *stack, const char *message,
                      const struct sarif_paths *paths) {
  const cJSON *frame;
  if (cJSON_GetArraySize(stack) == 0)
    return;
  cJSON *item = cJSON_CreateObject();
  add_message(item, "message", message);
  cJSON *frames = cJSON_AddArrayToObject(item, "frames");
  cJSON_ArrayForEach(frame, stack) {
    cJSON *made = cJSON_CreateObject();
    cJSON_AddItemToObject(made, "location", sarif_location(frame, NULL, paths));
    if (record_text(frame, "module"))
      cJSON_AddStringToObject(made, "module", record_text(frame, "module"));
    cJSON_AddItemToArray(frames, made);
  }
  cJSON_AddItemToArray(stacks, item);
}

static void add_stacks(cJSON *result, const cJSON *record, const struct sarif_paths *paths) {
  cJSON *stacks = cJSON_CreateArray();
  const cJSON *thread;
  char room[256];
  for (size_t i = 0; i < record_stack_count(record); i++) {
    const cJSON *access = cJSON_GetArrayItem(record_list(record, "accesses"), (int)i);
    const cJSON *wait = cJSON_GetArrayItem(record_list(record, "waits"), (int)i);
    add_stack(stacks, record_stack(record, i),
              access || wait ? record_thread(record, access ? access : wait, room, sizeof room)
                             : "stack",
              paths);
  }
  if (record_list(record, "accesses"))
    cJSON_ArrayForEach(thread, record_list(record, "threads")) {
      snprintf(room, sizeof room, "creation of thread T%d", (int)record_number(thread, "id"));
      add_stack(stacks, record_list(thread, "stack"), room, paths);
    }
  if (cJSON_GetArraySize(stacks) > 0)
    cJSON_AddItemToObject(result, "stacks", stacks);
  else
    cJSON_Delete(stacks);
}

static void add_locations(cJSON *result, const cJSON *record, const struct sarif_paths *paths) {
  cJSON *locations = cJSON_AddArrayToObject(result, "locations"), *related = NULL;
  for (size_t i = 0; i < record_stack_count(record); i++) {
    const cJSON *site = record_site(record, i);
    if (!site)
      continue;
    if (i == 0) {
      cJSON_AddItemToArray(locations, sarif_location(site, NULL, paths));
      continue;
    }
    if (!related)
      related = cJSON_AddArrayToObject(result, "relatedLocations");
    cJSON *location =
        sarif_location(site, record_is_violation(record) ? "the missed write" : "here", paths);
    cJSON_AddNumberToObject(location, "id", (double)i);
    cJSON_AddItemToArray(related, location);
  }
}

static cJSON *make_result(const struct entry *entry, cJSON *rules,
                          const struct sarif_paths *paths) {
  const cJSON *record = entry->record;
  char *id = rule_id(record_type(record)), *text = sentence(record);
  cJSON *result = cJSON_CreateObject();
  add_rule(rules, record_type(record), id);
  cJSON_AddStringToObject(result, "ruleId", id);
  cJSON_AddNumberToObject(result, "ruleIndex", rule_index(rules, id));
  cJSON_AddStringToObject(result, "level", "error");
  add_message(result, "message", text);
  add_locations(result, record, paths);
  sarif_add_flows(result, record, paths);
  add_stacks(result, record, paths);
  if (record_object(record, "confirmed"))
    cJSON_AddNumberToObject(result, "rank",
                            record_is_confirmed(record) ? 100 - confirmed_rank(record) : 50);
  cJSON_AddNumberToObject(result, "occurrenceCount", (double)entry->count);
  cJSON *properties = add_object(result, "properties");
  cJSON_AddStringToObject(properties, "token", entry->token);
  cJSON_AddNumberToObject(properties, "runs", (double)entry->run_count);
  if (record_text(record, "end"))
    cJSON_AddStringToObject(properties, "end", record_text(record, "end"));
  if (record_text(record, "message"))
    cJSON_AddStringToObject(properties, "message", record_text(record, "message"));
  if (record_text(record, "cause"))
    cJSON_AddStringToObject(properties, "cause", record_text(record, "cause"));
  if (record_list(record, "tests"))
    cJSON_AddItemToObject(properties, "tests", cJSON_Duplicate(record_list(record, "tests"), true));
  if (record_list(record, "alone"))
    cJSON_AddItemToObject(properties, "alone", cJSON_Duplicate(record_list(record, "alone"), true));
  if (record_text(record, "class"))
    cJSON_AddStringToObject(properties, "class", record_text(record, "class"));
  if (record_object(record, "checked_again"))
    cJSON_AddItemToObject(properties, "checkedAgain",
                          cJSON_Duplicate(record_object(record, "checked_again"), true));
  if (record_object(record, "confirmed"))
    cJSON_AddItemToObject(properties, "confirmed",
                          cJSON_Duplicate(record_object(record, "confirmed"), true));
  if (record_object(record, "targets"))
    cJSON_AddItemToObject(properties, "targets",
                          cJSON_Duplicate(record_object(record, "targets"), true));
  free(id);
  free(text);
  return result;
}

// The fingerprint is of names: rule, and of each site file,
// function, kind and order; results that are equal so far are numbered in the order of places.
static void add_fingerprints(cJSON *results, const struct collection *collection,
                             const struct sarif_paths *paths) {
  char(*prints)[17] = must_alloc(NULL, (collection->count + 1) * sizeof *prints);
  cJSON *result = results->child;
  for (size_t i = 0; i < collection->count; i++, result = result->next) {
    unsigned number = 1;
    char text[40];
    sarif_fingerprint(collection->at[i].record, paths, prints[i]);
    for (size_t j = 0; j < i; j++)
      number += strcmp(prints[j], prints[i]) == 0;
    snprintf(text, sizeof text, "%s:%u", prints[i], number);
    if (collection->baseline)
      cJSON_AddStringToObject(result, "baselineState",
                              collection->at[i].known ? "unchanged" : "new");
    cJSON *partial = add_object(result, "partialFingerprints");
    cJSON_AddStringToObject(partial, "rsanSites/v1", text);
    const char *old = record_text(collection->at[i].record, "token_v1");
    cJSON_AddStringToObject(partial, "rsanSites/v2", collection->at[i].token);
    cJSON_AddStringToObject(partial, "rsanToken/v1", old ? old : collection->at[i].token);
  }
  free(prints);
}

// What could not be checked, which no result says.
static void add_lost(cJSON *run, const char *lost) {
  if (!lost)
    return;
  cJSON *invocation = cJSON_CreateObject(), *note = cJSON_CreateObject();
  cJSON_AddItemToArray(cJSON_AddArrayToObject(run, "invocations"), invocation);
  cJSON_AddBoolToObject(invocation, "executionSuccessful", true);
  cJSON_AddItemToArray(cJSON_AddArrayToObject(invocation, "toolExecutionNotifications"), note);
  cJSON_AddStringToObject(note, "level", "warning");
  cJSON_AddStringToObject(add_object(note, "message"), "text", lost_text(lost));
}

void write_sarif(const struct collection *collection, FILE *out) {
  struct sarif_paths paths;
  sarif_paths_begin(&paths);
  cJSON *log = cJSON_CreateObject(), *run = cJSON_CreateObject();
  cJSON_AddStringToObject(log, "$schema",
                          "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                          "sarif-schema-2.1.0.json");
  cJSON_AddStringToObject(log, "version", "2.1.0");
  cJSON_AddItemToArray(cJSON_AddArrayToObject(log, "runs"), run);
  cJSON *driver = add_object(add_object(run, "tool"), "driver");
  cJSON_AddStringToObject(driver, "name", "RSan");
  cJSON_AddStringToObject(driver, "fullName", "Robustness Sanitizer");
  cJSON_AddStringToObject(driver, "version", RSAN_VERSION);
  cJSON *rules = cJSON_AddArrayToObject(driver, "rules");
  sarif_add_root(run, &paths);
  add_lost(run, collection->lost);
  cJSON *results = cJSON_AddArrayToObject(run, "results");
  for (size_t i = 0; i < collection->count; i++)
    cJSON_AddItemToArray(results, make_result(&collection->at[i], rules, &paths));
  add_fingerprints(results, collection, &paths);
  write_object(log, out);
}
