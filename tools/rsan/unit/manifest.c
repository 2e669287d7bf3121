// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifest.h"

#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "report/record.h"
#include "run/asked.h"

static void add_host(cJSON *json) {
  struct utsname name;
  if (uname(&name) != 0)
    return;
  cJSON_AddStringToObject(json, "host", name.nodename);
  cJSON_AddStringToObject(json, "machine", name.machine);
  cJSON_AddStringToObject(json, "kernel", name.release);
  cJSON_AddStringToObject(json, "libc", gnu_get_libc_version());
}

static void add_program(cJSON *json, const struct program *program) {
  cJSON *object = cJSON_AddObjectToObject(json, "program");
  cJSON_AddStringToObject(object, "path", program->path);
  cJSON_AddStringToObject(object, "sha256", program->sha256);
  if (*program->build_id)
    cJSON_AddStringToObject(object, "build_id", program->build_id);
}

static void add_remarks(cJSON *json, const struct records *records) {
  cJSON_AddBoolToObject(json, "runtime_seen", records->runtime_seen);
  cJSON_AddNumberToObject(json, "checked", records->checked);
  cJSON *list = cJSON_AddArrayToObject(json, "remarks");
  for (size_t i = 0; i < records->remark_count; i++)
    cJSON_AddItemToArray(list, cJSON_CreateString(records->remarks[i]));
  if (records->dropped_remarks)
    cJSON_AddNumberToObject(json, "dropped_remarks", (double)records->dropped_remarks);
  if (!records->unmatched.known)
    return;
  cJSON *unmatched = cJSON_AddObjectToObject(json, "unmatched");
  if (records->unmatched.file)
    cJSON_AddStringToObject(unmatched, "file", records->unmatched.file);
  list = cJSON_AddArrayToObject(unmatched, "lines");
  for (unsigned i = 0; i < UNMATCHED_MAX; i++)
    if (records->unmatched.lines[i])
      cJSON_AddItemToArray(list, cJSON_CreateNumber(i));
}

char *manifest_text(const struct unit *unit, const struct runs *runs) {
  const struct run_plan *plan = &unit->plan;
  cJSON *json = cJSON_CreateObject();
  cJSON_AddNumberToObject(json, "rsan_unit", MANIFEST_VERSION);
  cJSON_AddStringToObject(json, "version", RSAN_VERSION);
  cJSON_AddNumberToObject(json, "first", plan->earlier + 1);
  cJSON_AddNumberToObject(json, "last", plan->earlier + runs->made);
  add_host(json);
  cJSON_AddNumberToObject(json, "attempt", unit->attempt);
  cJSON_AddNumberToObject(json, "begun", unit->begun);
  add_program(json, &unit->program);
  asked_add(json, plan->command);
  cJSON_AddStringToObject(json, "schedule", plan->schedule ? plan->schedule : "off");
  cJSON_AddBoolToObject(json, "weak", plan->weak);
  cJSON_AddNumberToObject(json, "timeout", plan->timeout);
  if (unit->tries)
    cJSON_AddStringToObject(json, "tries", unit->tries);
  cJSON_AddStringToObject(json, "folder", plan->folder);
  add_remarks(json, &runs->records);
  char *text = cJSON_Print(json);
  cJSON_Delete(json);
  if (!text)
    abort();
  return text;
}

bool manifest_read(struct manifest *manifest, const char *text, char *reason, size_t size) {
  cJSON *json = cJSON_Parse(text);
  uint64_t first = record_number(json, "first"), last = record_number(json, "last");
  *manifest = (struct manifest){.json = json,
                                .first = (unsigned)first,
                                .last = (unsigned)last,
                                .attempt = (unsigned)record_number(json, "attempt"),
                                .host = record_text(json, "host")};
  if (!manifest->host)
    manifest->host = "a host without a name";
  if (!json || !record_has_number(json, "rsan_unit")) {
    snprintf(reason, size, "its manifest is none of a unit");
    return false;
  }
  if (record_number(json, "rsan_unit") != MANIFEST_VERSION) {
    snprintf(reason, size, "a unit of version %llu, and this RSan reads version %d: use its own",
             (unsigned long long)record_number(json, "rsan_unit"), MANIFEST_VERSION);
    return false;
  }
  if (!first || last < first || last >= UINT_MAX) {
    snprintf(reason, size, "its manifest names no runs");
    return false;
  }
  return true;
}

void manifest_free(struct manifest *manifest) {
  cJSON_Delete(manifest->json);
  *manifest = (struct manifest){0};
}

// The first word is the program, which may be in another place on each host.
static bool same_arguments(const cJSON *wanted, const cJSON *json) {
  const cJSON *a = record_list(wanted, "command"), *b = record_list(json, "command");
  int count = cJSON_GetArraySize(a);
  bool same = count == cJSON_GetArraySize(b);
  for (int i = 1; same && i < count; i++)
    same = cJSON_Compare(cJSON_GetArrayItem(a, i), cJSON_GetArrayItem(b, i), true);
  return same;
}

static const char *program_text(const cJSON *json, const char *name) {
  const char *text = record_text(record_object(json, "program"), name);
  return text ? text : "none";
}

bool manifest_agrees(const cJSON *wanted, const cJSON *json, char *reason, size_t size) {
  static const char *const names[] = {"version", "schedule", "weak", "RSAN_OPTIONS",
                                      "TSAN_OPTIONS"};
  if (strcmp(program_text(wanted, "sha256"), program_text(json, "sha256")) != 0) {
    snprintf(
        reason, size,
        "it is of another build of the program: build id %s, sha256 %.12s..., not %s, %.12s...",
        program_text(json, "build_id"), program_text(json, "sha256"),
        program_text(wanted, "build_id"), program_text(wanted, "sha256"));
    return false;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const cJSON *a = cJSON_GetObjectItemCaseSensitive(wanted, names[i]),
                *b = cJSON_GetObjectItemCaseSensitive(json, names[i]);
    if ((a || b) && !cJSON_Compare(a, b, true)) {
      char *left = a ? cJSON_PrintUnformatted(a) : NULL,
           *right = b ? cJSON_PrintUnformatted(b) : NULL;
      snprintf(reason, size, "its runs had another %s: %s, not %s", names[i],
               right ? right : "none", left ? left : "none");
      cJSON_free(left);
      cJSON_free(right);
      return false;
    }
  }
  if (!same_arguments(wanted, json)) {
    snprintf(reason, size, "its program had other arguments");
    return false;
  }
  return true;
}

static void add_unmatched(const cJSON *json, struct unmatched *unmatched) {
  const cJSON *own = record_object(json, "unmatched"), *line;
  const char *file = record_text(own, "file");
  bool here[UNMATCHED_MAX] = {false};
  if (!own)
    return;
  cJSON_ArrayForEach(line, record_list(own, "lines")) if (line->valuedouble >= 0 &&
                                                          line->valuedouble < UNMATCHED_MAX)
      here[line->valueint] = true;
  for (size_t i = 0; i < UNMATCHED_MAX; i++)
    unmatched->lines[i] = here[i] && (!unmatched->known || unmatched->lines[i]);
  unmatched->known = true;
  if (!unmatched->file && file)
    unmatched->file = strdup(file);
}

unsigned manifest_checked(const cJSON *json) {
  return (unsigned)record_number(json, "checked");
}

void manifest_add_remarks(const cJSON *json, struct records *records) {
  const cJSON *remark;
  records->checked |= manifest_checked(json);
  records->runtime_seen |= record_true(json, "runtime_seen");
  records->dropped_remarks += record_number(json, "dropped_remarks");
  cJSON_ArrayForEach(remark, record_list(json, "remarks")) if (cJSON_IsString(remark))
      records_remark(records, remark->valuestring);
  add_unmatched(json, &records->unmatched);
}
