// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failures are told apart by the runtime (compiler-rt-patch/src/failures/rsan_failure_report.cpp);
// here the same is done for records that are symbolized later.

#include "failure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/common/rsan_failure_place.h"
#include "complain.h"
#include "frame.h"
#include "record.h"
#include "token_line.h"

static bool ends_with(const cJSON *record, const char *end) {
  const char *own = record_text(record, "end");
  return own && strcmp(own, end) == 0;
}

bool record_is_failure(const cJSON *record) {
  return record_text(record, "end");
}

bool record_is_crash(const cJSON *record) {
  return ends_with(record, "signal");
}

bool record_is_hang(const cJSON *record) {
  return ends_with(record, "deadlock") || ends_with(record, "livelock") ||
         ends_with(record, "timeout");
}

static bool is_ending(const cJSON *frame) {
  const char *module = record_text(frame, "module"), *file = record_text(frame, "file");
  return frame_is_internal(file, module) ||
         rsan_is_ending_frame(record_text(frame, "function"), module ? base_name(module) : NULL);
}

static bool is_recursion_without_line(const cJSON *frame) {
  const cJSON *caller = frame->next;
  return caller && rsan_is_recursion_without_line(
                       record_text(frame, "function"), (unsigned)record_number(frame, "line"),
                       record_text(caller, "function"), (unsigned)record_number(caller, "line"));
}

// What a signal handler of the program has interrupted comes behind the runtime's function.
static const cJSON *skip_handlers(const cJSON *stack) {
  const cJSON *frame, *begin = stack ? stack->child : NULL;
  cJSON_ArrayForEach(frame, stack) {
    const char *function = record_text(frame, "function");
    if (function && frame->next && strstr(function, "sighandler") &&
        frame_is_internal(record_text(frame, "file"), record_text(frame, "module")))
      begin = frame->next;
  }
  return begin;
}

// In *FAILING the innermost frame that does more than end the program.
static const cJSON *find_place(const cJSON *stack, const cJSON **failing) {
  *failing = NULL;
  for (const cJSON *frame = skip_handlers(stack); frame; frame = frame->next) {
    const char *function = record_text(frame, "function");
    if (is_ending(frame) || is_recursion_without_line(frame))
      continue;
    if (!*failing)
      *failing = frame;
    if (!record_true(frame, "is wrapper") && !(function && rsan_names_failing(function)))
      return frame;
  }
  if (!*failing)
    *failing = cJSON_GetArrayItem(stack, 0);
  return *failing;
}

const cJSON *failure_place(const cJSON *stack) {
  const cJSON *failing;
  return find_place(stack, &failing);
}

const cJSON *failure_site(const cJSON *record) {
  const cJSON *wait, *stack = cJSON_GetArrayItem(record_list(record, "stacks"), 0);
  if (stack)
    return failure_place(stack);
  cJSON_ArrayForEach(wait, record_list(record, "waits")) if (!record_true(wait, "derived")) {
    const cJSON *place = failure_place(record_list(wait, "stack"));
    if (place)
      return place;
  }
  return NULL;
}

static bool add_line(uint64_t *hash, const cJSON *frame, unsigned version) {
  char *line = frame_token_line(frame, version);
  if (!line)
    return false;
  *hash = rsan_hash_line(*hash, line);
  free(line);
  return true;
}

static bool token_of_stack(const cJSON *record, const cJSON *stack, unsigned version,
                           uint64_t *hash) {
  const char *message = record_text(record, "message");
  if (message && strcmp(record_type(record), "assertion failed") == 0)
    *hash = rsan_hash_line(*hash, version == 1 ? message : rsan_assertion_text(message));
  const cJSON *failing, *place = find_place(stack, &failing);
  bool known = failing;
  for (const cJSON *at = failing; at; at = at->next) {
    if (at == failing || at == place || !is_ending(at))
      known &= add_line(hash, at, version);
    if (at == place)
      break;
  }
  return known;
}

static uint64_t add_function(uint64_t hash, const cJSON *place, unsigned version) {
  const char *function = record_text(place, "function");
  size_t length = 1;
  if (!function || version == 1)
    return rsan_hash_line(hash, function ? function : "?");
  const char *name = rsan_own_name(function, &length);
  char *text = must_copy(name, length);
  hash = rsan_hash_line(hash, text);
  free(text);
  return hash;
}

// In any order of the threads. Where a loop was found is another place each time.
static bool token_of_waits(const cJSON *record, unsigned version, uint64_t *hash) {
  const cJSON *wait;
  uint64_t sum = 0;
  char text[24];
  cJSON_ArrayForEach(wait, record_list(record, "waits")) {
    const char *kind = record_text(wait, "kind");
    if (record_true(wait, "derived"))
      continue;
    uint64_t one = rsan_hash_line(RSAN_HASH_START, kind ? kind : "");
    const cJSON *place = failure_place(record_list(wait, "stack"));
    if (place && ends_with(record, "deadlock"))
      add_line(&one, place, version);
    else if (place)
      one = add_function(one, place, version);
    sum += one;
  }
  snprintf(text, sizeof text, "%016" PRIx64, sum);
  *hash = rsan_hash_line(*hash, text);
  return true;
}

bool failure_token(const cJSON *record, unsigned version, char token[17]) {
  uint64_t hash = rsan_hash_line(RSAN_HASH_START, record_type(record));
  const cJSON *stack = cJSON_GetArrayItem(record_list(record, "stacks"), 0);
  bool known = stack                          ? token_of_stack(record, stack, version, &hash)
               : record_list(record, "waits") ? token_of_waits(record, version, &hash)
                                              : false;
  if (record_object(record, "departures"))
    hash = rsan_hash_line(hash, "after a departure");
  snprintf(token, 17, "%016" PRIx64, hash);
  return known;
}
