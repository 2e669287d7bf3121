// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "heading.h"

#include "tests.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "frame.h"
#include "record.h"

static const char *after(const char *at, const char *text) {
  size_t length = strlen(text);
  return strncmp(at, text, length) == 0 ? at + length : NULL;
}

static const char *skip_blanks(const char *at) {
  return at + strspn(at, " \t");
}

static void add_text(cJSON *object, const char *key, const char *text, size_t length) {
  char *copy = must_copy(text, length);
  cJSON_AddStringToObject(object, key, copy);
  free(copy);
}

// `main thread`, `thread T1`
static void add_thread(cJSON *object, const char *key, const char *text) {
  const char *id = after(text, "thread T");
  if (id)
    cJSON_AddNumberToObject(object, key, strtod(id, NULL));
  else if (after(text, "main thread"))
    cJSON_AddNumberToObject(object, key, 0);
}

static void add_hex(cJSON *object, const char *key, const char *text) {
  add_text(object, key, text, 2 + strspn(text + 2, "0123456789abcdefABCDEF"));
}

// A value as the runtime prints it, decimal or hexadecimal.
static void add_value(cJSON *object, const char *key, const char *text) {
  char hex[24];
  if (after(text, "0x")) {
    add_hex(object, key, text);
  } else {
    snprintf(hex, sizeof hex, "0x%" PRIx64, (uint64_t)strtoull(text, NULL, 10));
    cJSON_AddStringToObject(object, key, hex);
  }
}

// The kind of an access by the words before ` of size`: not one of them, NULL.
static const char *access_kind(const char *at, const char *end, bool *atomic) {
  static const char *const starts[] = {"may miss the ", "may be ordered before the ",
                                       "Previous ",     "Failed atomic ",
                                       "Atomic ",       "atomic "};
  static const char *const kinds[] = {"read", "write", "read-modify-write", "compare-exchange"};
  bool failed = false;
  *atomic = false;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    const char *rest = after(at, starts[i]);
    if (!rest)
      continue;
    at = rest;
    *atomic |= i >= 3;
    failed |= i == 3;
  }
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t length = strlen(kinds[i]);
    if (length == (size_t)(end - at) && strncasecmp(at, kinds[i], length) == 0)
      return failed ? "failed compare-exchange" : kinds[i];
  }
  return NULL;
}

// ` (mutexes: write M1, read M2):`
static void add_mutexes(cJSON *access, const char *at) {
  cJSON *mutexes = cJSON_AddArrayToObject(access, "mutexes");
  for (const char *id = at; (id = strstr(id, " M")); id += 2) {
    cJSON *mutex = cJSON_CreateObject();
    cJSON_AddNumberToObject(mutex, "id", strtod(id + 2, NULL));
    cJSON_AddBoolToObject(mutex, "write", id - at >= 5 && after(id - 5, "write"));
    cJSON_AddItemToArray(mutexes, mutex);
  }
}

bool heading_access(const char *line, cJSON *access) {
  static const char of_size[] = " of size ";
  const char *begin = skip_blanks(line), *size = strstr(begin, of_size);
  const char *by = size ? strstr(size, " by ") : NULL;
  // `Atomic read by futex(FUTEX_WAIT) of size 4`: the kernel makes it, for that call.
  const char *call = strstr(begin, " by ");
  bool atomic;
  if (call && call > size)
    call = NULL;
  const char *kind = by ? access_kind(begin, call ? call : size, &atomic) : NULL;
  if (!kind)
    return false;
  const char *order = strstr(by, "(memory_order_"), *mutexes = strstr(by, "(mutexes:");
  const char *address = strstr(size, " at 0x");
  cJSON_AddStringToObject(access, "kind", kind);
  if (order) {
    order += strlen("(memory_order_");
    add_text(access, "order", order, strcspn(order, ")"));
  }
  if (call) {
    call += strlen(" by ");
    add_text(access, "call", call, (size_t)(size - call));
  }
  cJSON_AddBoolToObject(access, "atomic", atomic);
  cJSON_AddNumberToObject(access, "size", strtod(size + sizeof of_size - 1, NULL));
  if (address && address < by)
    add_hex(access, "address", address + strlen(" at "));
  add_thread(access, "thread", by + strlen(" by "));
  if (mutexes)
    add_mutexes(access, mutexes);
  return true;
}

bool heading_thread(const char *line, cJSON *thread) {
  const char *id = after(skip_blanks(line), "Thread T");
  const char *tid = id ? strstr(id, " (tid=") : NULL, *quote = id ? strchr(id, '\'') : NULL;
  if (!tid)
    return false;
  cJSON_AddNumberToObject(thread, "id", strtod(id, NULL));
  if (quote && quote < tid && tid - quote >= 2)
    add_text(thread, "name", quote + 1, (size_t)(tid - quote - 2));
  tid += strlen(" (tid=");
  cJSON_AddNumberToObject(thread, "os_id", strtod(tid, NULL));
  cJSON_AddBoolToObject(thread, "running", strstr(tid, ", running)") != NULL);
  const char *by = strstr(tid, " created by ");
  if (by)
    add_thread(thread, "created_by", by + strlen(" created by "));
  return true;
}

bool heading_mutex(const char *line, cJSON *mutex) {
  const char *id = after(skip_blanks(line), "Mutex M");
  const char *address = id ? strstr(id, " (0x") : NULL;
  if (!address || !strstr(address, " created at:"))
    return false;
  cJSON_AddNumberToObject(mutex, "id", strtod(id, NULL));
  add_hex(mutex, "address", address + 2);
  return true;
}

static void add_global(cJSON *location, const char *quote) {
  const char *end = *quote == '\'' ? strrchr(quote + 1, '\'') : NULL, *size, *address;
  if (!end)
    return;
  if (strncmp(quote, "'<null>'", 8) != 0)
    add_text(location, "name", quote + 1, (size_t)(end - quote - 1));
  if ((address = strstr(end, " at 0x")))
    add_hex(location, "address", address + strlen(" at "));
  if ((size = strstr(end, " of size ")))
    cJSON_AddNumberToObject(location, "size", strtod(size + strlen(" of size "), NULL));
  const char *place = strstr(end, " ("), *plus = strstr(end, "+0x");
  if (place && plus && plus > place) {
    add_text(location, "module", place + 2, (size_t)(plus - place - 2));
    add_hex(location, "offset", plus + 1);
  }
}

bool heading_location(const char *line, cJSON *location) {
  const char *what = after(skip_blanks(line), "Location is "), *rest, *by;
  if (!what)
    return false;
  if ((rest = after(what, "global "))) {
    cJSON_AddStringToObject(location, "kind", "global");
    add_global(location, rest);
  } else if ((rest = after(what, "stack of ")) || (rest = after(what, "TLS of "))) {
    cJSON_AddStringToObject(location, "kind", *what == 's' ? "stack" : "thread-local");
    add_thread(location, "thread", rest);
  } else if ((rest = after(what, "file descriptor "))) {
    cJSON_AddStringToObject(location, "kind", "file descriptor");
    cJSON_AddNumberToObject(location, "descriptor", strtod(rest, NULL));
  } else {
    const char *size = strstr(what, " of size "), *address = strstr(what, " at 0x");
    cJSON_AddStringToObject(location, "kind", size ? "heap" : "unknown");
    if (size)
      cJSON_AddNumberToObject(location, "size", strtod(size + strlen(" of size "), NULL));
    if (address)
      add_hex(location, "address", address + strlen(" at "));
  }
  if ((by = strstr(what, " by ")))
    add_thread(location, "thread", by + strlen(" by "));
  return true;
}

// `The object is queue.tail (q->tail), 64 bytes into a block of 128 bytes.`
bool heading_field(const char *line, cJSON *record) {
  const char *field = after(skip_blanks(line), "The object is ");
  cJSON *access = cJSON_GetArrayItem(record_list(record, "accesses"), 0);
  if (!field || !access)
    return false;
  const char *end = strstr(field, " bytes into a block of ");
  while (end && end > field && *end != ',')
    end--;
  if (!end || end == field)
    end = field + strlen(field) - (line[strlen(line) - 1] == '.');
  const char *bracket = end; // the last one: names of types may have some
  while (bracket > field && *bracket != '(')
    bracket--;
  if (end[-1] == ')' && bracket > field + 1 && bracket[-1] == ' ') {
    add_text(access, "expression", bracket + 1, (size_t)(end - bracket - 2));
    end = bracket - 1;
  }
  add_text(access, "field", field, (size_t)(end - field));
  return true;
}

// `To repeat this run: RSAN_OPTIONS=schedule=mix:seed=3 ./a.out`
bool heading_schedule(const char *line, cJSON *record) {
  const char *repeat = after(skip_blanks(line), "To repeat this run: ");
  if (!repeat || record_object(record, "schedule"))
    return false;
  add_text(cJSON_AddObjectToObject(record, "schedule"), "repeat", repeat, strlen(repeat));
  return true;
}

// What an access asks of the value: `It expected 0 and would read ...`, `It waits for ...`. Returns
// what is after ` and `, else what is after `It `, or NULL.
static const char *add_condition(const char *at, cJSON *record) {
  const char *rest = after(at, "It "), *value, *end = rest ? strstr(rest, " and would ") : NULL;
  if (!end)
    return rest;
  if ((value = after(rest, "expected ")))
    add_value(record, "expected", value);
  else if ((value = after(rest, "waits for ")))
    add_text(record, "waits_for", value, (size_t)(end - value));
  return value ? end + strlen(" and ") : rest;
}

static bool heading_outcome(const char *at, cJSON *record) {
  const char *rest = add_condition(at, record), *read, *over, *second;
  if (!rest)
    return false;
  if ((read = after(rest, "would read ")) && (second = strstr(read, " in place of "))) {
    const char *older = after(read, "an older ");
    add_value(record, "stale", older ? older : read);
    add_value(record, "seen", second + strlen(" in place of "));
    return true;
  }
  if ((over = after(rest, "would overwrite ")) && (second = strstr(over, "itself by "))) {
    add_value(record, "stale", over);
    add_value(record, "overwritten_by", second + strlen("itself by "));
    return true;
  }
  return false;
}

// `Signal 6 (Aborted) in thread T1:`, or `in main thread, accessing 0x10:`
static bool heading_signal(const char *at, cJSON *record) {
  const char *rest = after(at, "Signal "), *thread, *address;
  if (!rest || record_text(record, "end"))
    return false;
  cJSON_AddStringToObject(record, "end", "signal");
  cJSON_AddNumberToObject(record, "signal", strtod(rest, NULL));
  thread = strstr(rest, ") in thread T");
  cJSON_AddNumberToObject(record, "thread",
                          thread ? strtod(thread + strlen(") in thread T"), NULL) : 0);
  if ((address = strstr(rest, ", accessing ")))
    add_text(record, "address", address + strlen(", accessing "),
             strcspn(address + strlen(", accessing "), ":"));
  return true;
}

bool heading_other(const char *line, cJSON *record) {
  const char *at = skip_blanks(line), *rest, *second;
  if (heading_outcome(at, record) || heading_signal(at, record))
    return true;
  if ((rest = after(at, "Message: ")) && !record_text(record, "message")) {
    add_text(record, "message", rest, strlen(rest));
  } else if ((rest = after(at, "Test: "))) {
    tests_add(record, rest);
  } else if ((rest = after(at, "To run this test: "))) {
    tests_add_line(record, rest);
  } else if ((rest = after(at, "DEDUP_TOKEN: "))) {
    add_text(record, "token", rest, strcspn(rest, " "));
  } else if ((rest = after(at, "Seen ")) && (second = strstr(rest, " in "))) {
    cJSON_AddNumberToObject(record, "count", strtod(rest, NULL));
    cJSON_AddNumberToObject(record, "runs", strtod(second + strlen(" in "), NULL));
  } else {
    // Between accesses, stacks without an own heading: "and:", cycles of locks.
    return strncmp(line, "  ", 2) == 0 && line[strlen(line) - 1] == ':';
  }
  return true;
}
