// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tokens.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/common/rsan_source_name.h"
#include "failure.h"
#include "record.h"
#include "token_line.h"

enum { RECORD_SITES = 64 }; // most places of a token

static void note_identities(cJSON *record) {
  cJSON *frame;
  for (size_t i = 0; i < record_stack_count(record) && i < RECORD_SITES; i++) {
    frame_note_identity((cJSON *)record_site(record, i));
    if (record_is_failure(record)) // the token of a failure contains several frames
      cJSON_ArrayForEach(frame, record_stack(record, i)) frame_note_identity(frame);
  }
}

// Returns the name that reports give to an access of this kind, also to the missed write.
static const char *token_kind(const cJSON *access) {
  static const char *const kinds[][2] = {
      {"write", "atomic write"},
      {"read", "atomic read"},
      {"wait", "atomic read"},
      {"read-modify-write", "atomic read-modify-write"},
      {"blocking read-modify-write", "atomic read-modify-write"},
      {"compare-exchange", "atomic compare-exchange"},
      {"failed compare-exchange", "failed atomic compare-exchange"}};
  const char *kind = record_text(access, "kind");
  for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kind, kinds[i][0]) == 0)
      return kinds[i][1];
  return "";
}

static int compare_lines(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool compute_token(const cJSON *record, unsigned version, char token[17]) {
  char *lines[RECORD_SITES];
  size_t count = record_stack_count(record), known = 0;
  if (record_is_failure(record))
    return failure_token(record, version, token);
  if (count == 0 || count > RECORD_SITES)
    return false;
  while (known < count && (lines[known] = frame_token_line(record_site(record, known), version)))
    known++;
  bool violation = record_is_violation(record);
  if (!violation)
    qsort(lines, known, sizeof *lines, compare_lines);
  uint64_t hash = rsan_hash_line(RSAN_HASH_START, record_type(record));
  for (size_t i = 0; i < known; i++) {
    if (violation)
      hash = rsan_hash_line(
          hash, token_kind(cJSON_GetArrayItem(record_list(record, "accesses"), (int)i)));
    hash = rsan_hash_line(hash, lines[i]);
    free(lines[i]);
  }
  snprintf(token, 17, "%016" PRIx64, hash);
  return known == count;
}

static void set_token(cJSON *record, const char *name, unsigned version) {
  char token[17];
  compute_token(record, version, token);
  cJSON_DeleteItemFromObjectCaseSensitive(record, name);
  cJSON_AddStringToObject(record, name, token);
}

bool record_renew_tokens(cJSON *record, const char *prefix) {
  char token[17];
  note_identities(record);
  record_strip_files(record, prefix);
  bool known = compute_token(record, 2, token);
  if (known) {
    set_token(record, "token", 2);
    set_token(record, "token_v1", 1);
  }
  record_forget_identities(record);
  return known;
}
