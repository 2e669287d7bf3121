// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sarif.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "frame.h"
#include "record.h"

static const char root_id[] = "SRCROOT";

void sarif_paths_begin(struct sarif_paths *paths) {
  size_t length;
  if (!getcwd(paths->root, sizeof paths->root - 1))
    paths->root[0] = '\0';
  length = strlen(paths->root);
  if (length > 0 && paths->root[length - 1] != '/')
    strcpy(paths->root + length, "/");
}

// A path as a URI, for free().
static char *uri_of(const char *start, const char *path) {
  char *uri = must_alloc(NULL, strlen(start) + 3 * strlen(path) + 1), *to = uri + strlen(start);
  strcpy(uri, start);
  for (; *path; path++) {
    if (isalnum((unsigned char)*path) || strchr("/-._~+@,=", *path))
      *to++ = *path;
    else
      to += sprintf(to, "%%%02X", (unsigned char)*path);
  }
  *to = '\0';
  return uri;
}

void sarif_add_root(cJSON *run, const struct sarif_paths *paths) {
  if (!paths->root[0])
    return;
  char *uri = uri_of("file://", paths->root);
  cJSON *bases = cJSON_AddObjectToObject(run, "originalUriBaseIds");
  cJSON_AddStringToObject(cJSON_AddObjectToObject(bases, root_id), "uri", uri);
  free(uri);
}

static const char *relative(const char *file, const struct sarif_paths *paths) {
  size_t length = strlen(paths->root);
  return length > 0 && strncmp(file, paths->root, length) == 0 ? file + length : file;
}

static void add_file(cJSON *location, const cJSON *frame, const struct sarif_paths *paths) {
  const char *file = record_text(frame, "file");
  if (!file)
    return;
  file = relative(file, paths);
  char *uri = uri_of(*file == '/' ? "file://" : "", file);
  cJSON *physical = cJSON_AddObjectToObject(location, "physicalLocation");
  cJSON *artifact = cJSON_AddObjectToObject(physical, "artifactLocation");
  cJSON_AddStringToObject(artifact, "uri", uri);
  if (*file != '/' && paths->root[0])
    cJSON_AddStringToObject(artifact, "uriBaseId", root_id);
  free(uri);
  if (record_number(frame, "line")) {
    cJSON *region = cJSON_AddObjectToObject(physical, "region");
    cJSON_AddNumberToObject(region, "startLine", (double)record_number(frame, "line"));
    if (record_number(frame, "column"))
      cJSON_AddNumberToObject(region, "startColumn", (double)record_number(frame, "column"));
  }
}

cJSON *sarif_location(const cJSON *frame, const char *message, const struct sarif_paths *paths) {
  const char *function = record_text(frame, "function"), *module = record_text(frame, "module");
  cJSON *location = cJSON_CreateObject();
  add_file(location, frame, paths);
  if (function || module) {
    cJSON *logical = cJSON_CreateObject();
    cJSON_AddStringToObject(logical, "fullyQualifiedName", function ? function : base_name(module));
    cJSON_AddStringToObject(logical, "kind", function ? "function" : "module");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(location, "logicalLocations"), logical);
  }
  if (message)
    cJSON_AddStringToObject(cJSON_AddObjectToObject(location, "message"), "text", message);
  return location;
}

// The thread flow of the thread in the code flow, made if it is missing.
static cJSON *thread_flow(cJSON *flows, uint64_t thread, bool known) {
  char id[32];
  cJSON *flow;
  snprintf(id, sizeof id, known ? "T%" PRIu64 : "T?", thread);
  cJSON_ArrayForEach(flow, flows) if (strcmp(record_text(flow, "id"), id) ==
                                      0) return cJSON_GetObjectItemCaseSensitive(flow, "locations");
  flow = cJSON_CreateObject();
  cJSON_AddStringToObject(flow, "id", id);
  cJSON *locations = cJSON_AddArrayToObject(flow, "locations");
  cJSON_AddItemToArray(flows, flow);
  return locations;
}

static void add_step(cJSON *flow, const cJSON *frame, const char *message, int order,
                     bool essential, const struct sarif_paths *paths) {
  cJSON *step = cJSON_CreateObject();
  cJSON_AddItemToObject(step, "location", sarif_location(frame, message, paths));
  if (order > 0)
    cJSON_AddNumberToObject(step, "executionOrder", order);
  cJSON_AddStringToObject(step, "importance", essential ? "essential" : "unimportant");
  cJSON_AddItemToArray(flow, step);
}

static void describe(const cJSON *access, const char *next, char *text, size_t size) {
  const char *kind = record_text(access, "kind"), *order = record_text(access, "order");
  const char *name = record_text(access, "name");
  const char *call = record_text(access, "call");
  snprintf(text, size, "%s%s%s%s%s%s%s%s%s", kind ? kind : "step", call ? " by " : "",
           call ? call : "", name ? " of " : "", name ? name : "", order ? ", memory_order_" : "",
           order ? order : "", next ? "; then " : "", next ? next : "");
}

static void add_cycle(cJSON *flows, const cJSON *steps, const struct sarif_paths *paths) {
  const cJSON *step;
  int order = 0;
  cJSON_ArrayForEach(step, steps) {
    char text[512];
    describe(record_object(step, "access"), record_text(step, "to_next"), text, sizeof text);
    add_step(thread_flow(flows, record_number(step, "thread"), record_has_number(step, "thread")),
             record_place(step), text, ++order, true, paths);
  }
}

// The outermost call first.
static void add_calls(cJSON *flow, const cJSON *access, int order,
                      const struct sarif_paths *paths) {
  const cJSON *stack = record_list(access, "stack"), *site = record_place(access);
  for (int i = cJSON_GetArraySize(stack) - 1; i >= 0; i--) {
    const cJSON *frame = cJSON_GetArrayItem(stack, i);
    char text[512];
    describe(access, NULL, text, sizeof text);
    bool found = cJSON_Compare(frame, site, true);
    add_step(flow, frame, found ? text : NULL, found ? order : 0, found, paths);
    if (found)
      break;
  }
}

void sarif_add_flows(cJSON *result, const cJSON *record, const struct sarif_paths *paths) {
  const cJSON *accesses = record_list(record, "accesses"), *access;
  const cJSON *steps = record_list(record_object(record, "cycle"), "steps");
  if (cJSON_GetArraySize(accesses) == 0)
    return;
  cJSON *code = cJSON_CreateObject();
  cJSON *flows = cJSON_AddArrayToObject(code, "threadFlows");
  if (cJSON_GetArraySize(steps) > 0) {
    add_cycle(flows, steps, paths);
  } else {
    // The later access is the first of the list.
    int order = cJSON_GetArraySize(accesses);
    cJSON_ArrayForEach(access, accesses) if (cJSON_GetArraySize(record_list(access, "stack")) > 0)
        add_calls(thread_flow(flows, record_number(access, "thread"),
                              record_has_number(access, "thread")),
                  access, order--, paths);
  }
  if (cJSON_GetArraySize(flows) > 0)
    cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "codeFlows"), code);
  else
    cJSON_Delete(code);
}

static uint64_t mix(uint64_t hash, const char *text) {
  do
    hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  while (*text++);
  return hash;
}

void sarif_fingerprint(const cJSON *record, const struct sarif_paths *paths, char print[17]) {
  uint64_t hash = mix(14695981039346656037u, record_type(record));
  for (size_t i = 0; i < record_stack_count(record); i++) {
    const cJSON *access = cJSON_GetArrayItem(record_list(record, "accesses"), (int)i);
    const cJSON *site = record_site(record, i);
    const char *file = record_text(site, "file"), *function = record_text(site, "function");
    const char *kind = record_text(access, "kind"), *order = record_text(access, "order");
    const char *offset = function ? NULL : record_text(site, "offset");
    hash = mix(hash, file ? relative(file, paths) : "");
    hash = mix(hash, function ? function : offset ? offset : "");
    hash = mix(mix(hash, kind ? kind : ""), order ? order : "");
  }
  snprintf(print, 17, "%016" PRIx64, hash);
}
