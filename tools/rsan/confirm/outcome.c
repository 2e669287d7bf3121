// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "outcome.h"

#include <cjson/cJSON.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "need.h"
#include "report/record.h"

static const char *const names[] = {"use-after-free", "crash", "assertion",
                                    "exit status",    "hang",  "report"};

const char *failure_name(enum failure_kind kind) {
  return names[kind];
}

bool failure_find(const char *name, enum failure_kind *kind) {
  for (size_t i = 0; i < FAILURE_KINDS; i++)
    if (name && strcmp(name, names[i]) == 0) {
      *kind = (enum failure_kind)i;
      return true;
    }
  return false;
}

bool outcome_has(const struct outcome *outcome, const struct failure *failure) {
  for (size_t i = 0; i < outcome->count; i++)
    if (outcome->at[i].kind == failure->kind && strcmp(outcome->at[i].key, failure->key) == 0)
      return true;
  return false;
}

void outcome_add(struct outcome *outcome, enum failure_kind kind, const char *key,
                 const char *text) {
  struct failure failure = {kind, need(strdup(key)), need(strdup(text))};
  if (outcome_has(outcome, &failure)) {
    free(failure.key);
    free(failure.text);
    return;
  }
  outcome->at = need(realloc(outcome->at, (outcome->count + 1) * sizeof *outcome->at));
  outcome->at[outcome->count++] = failure;
}

void outcome_add_all(struct outcome *outcome, const struct outcome *others) {
  for (size_t i = 0; i < others->count; i++)
    outcome_add(outcome, others->at[i].kind, others->at[i].key, others->at[i].text);
}

void outcome_free(struct outcome *outcome) {
  for (size_t i = 0; i < outcome->count; i++) {
    free(outcome->at[i].key);
    free(outcome->at[i].text);
  }
  free(outcome->at);
  *outcome = (struct outcome){0};
}

// -- what processes have printed --

struct printed {
  char *assertion; // what has not held, NULL: nothing is said of that; owned
  char *panic;     // place of a panic of Rust's whose message comes next, NULL: none; owned
  char *last;      // line that is not empty; owned
};

// "program: q.c:12: check: Assertion `x == 1' failed.": the place without the program's name.
static char *place_before(const char *line, const char *end) {
  const char *name = memmem(line, (size_t)(end - line), ": ", 2);
  const char *at = name ? name + 2 : line;
  const char *colon = memchr(at, ':', (size_t)(end - at));
  if (!colon || colon[1] < '0' || colon[1] > '9') // without the name
    at = line, colon = memchr(at, ':', (size_t)(end - at));
  size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
  return digits ? need(strndup(at, (size_t)(colon + 1 + digits - at))) : NULL;
}

// Of glibc's assert, of the C++ library's own, and of what nobody has caught.
static char *assertion_in(const char *line) {
  const char *begin = strstr(line, "Assertion `"), *end = begin ? strstr(begin, "' failed") : NULL;
  char *text = NULL;
  if (!end) {
    begin = strstr(line, "Assertion '");
    end = begin ? strstr(begin, "' failed") : NULL;
  }
  if (end) {
    char *place = place_before(line, begin);
    begin += strlen("Assertion `");
    if (asprintf(&text, "assertion \"%.*s\"%s%s", (int)(end - begin), begin, place ? " at " : "",
                 place ? place : "") < 0)
      abort();
    free(place);
  } else if (strncmp(line, "terminate called", strlen("terminate called")) == 0) {
    text = need(strdup(line));
  }
  return text;
}

// "src/main.rs:16" of Rust's "thread 'main' (7) panicked at src/main.rs:16:5:", the line before
// what it says; the number is another one in each run.
static char *panic_in(const char *line) {
  static const char thread[] = "thread '", panicked[] = " panicked at ";
  const char *at = strncmp(line, thread, sizeof thread - 1) == 0 ? strstr(line, panicked) : NULL;
  if (!at)
    return NULL;
  at += sizeof panicked - 1;
  size_t length = strlen(at);
  for (int part = 0; part < 2; part++) { // the last colon, and the column before it
    size_t end = length;
    while (part && end > 0 && at[end - 1] >= '0' && at[end - 1] <= '9')
      end--;
    if (end > 0 && at[end - 1] == ':')
      length = end - 1;
  }
  return need(strndup(at, length));
}

static void read_line(struct printed *printed, const char *line) {
  if (printed->panic && !printed->assertion && *line &&
      asprintf(&printed->assertion, "panic \"%.120s\" at %s", line, printed->panic) < 0)
    abort();
  if (!printed->assertion)
    printed->assertion = assertion_in(line);
  if (!printed->assertion && !printed->panic)
    printed->panic = panic_in(line);
  if (*line) {
    free(printed->last);
    printed->last = need(strndup(line, 120));
  }
}

static void read_output(struct printed *printed, const char *path) {
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  FILE *file = fopen(path, "r");
  while (file && (length = getline(&line, &size, file)) >= 0) {
    line[strcspn(line, "\r\n")] = 0;
    read_line(printed, line);
  }
  if (file)
    fclose(file);
  free(line);
}

// -- how it ended --

// What the runtime reports of a signal that ends the process.
static const struct record *deadly(const struct records *records) {
  static const char *const types[] = {"SEGV", "BUS",  "FPE",           "ILL",
                                      "TRAP", "ABRT", "stack-overflow"};
  for (size_t i = 0; i < records->count; i++)
    for (size_t j = 0; j < sizeof types / sizeof *types; j++)
      if (!records->at[i].json && strcmp(records->at[i].type, types[j]) == 0)
        return &records->at[i];
  return NULL;
}

// Has the runtime itself failed? That is not the program's fault, with departures or without.
static bool has_runtime_failed(const struct records *records) {
  static const char *const signs[] = {"ThreadSanitizer: CHECK failed", "FATAL: ThreadSanitizer",
                                      "ThreadSanitizer failed to"};
  for (size_t i = 0; i < records->remark_count; i++)
    for (size_t j = 0; j < sizeof signs / sizeof *signs; j++)
      if (strstr(records->remarks[i], signs[j]))
        return true;
  return false;
}

// The signal that ended it, or what the shell makes of one; 0: none.
static int signal_of(int status) {
  if (WIFSIGNALED(status))
    return WTERMSIG(status);
  int code = WEXITSTATUS(status) - 128;
  return code == SIGSEGV || code == SIGABRT || code == SIGBUS || code == SIGFPE || code == SIGILL ||
                 code == SIGTRAP
             ? code
             : 0;
}

static void add_end(struct outcome *outcome, int status, const struct records *records,
                    const struct printed *printed) {
  char text[512], key[16];
  const struct record *crash = deadly(records);
  int signal = signal_of(status);
  if (printed->assertion) {
    outcome_add(outcome, FAILURE_ASSERTION, "", printed->assertion);
  } else if (crash) {
    snprintf(text, sizeof text, "%s%s%s", crash->type, *crash->place ? " at " : "", crash->place);
    outcome_add(outcome, FAILURE_CRASH, "", text);
  } else if (signal) {
    snprintf(text, sizeof text, "killed by signal %d (%s)", signal, strsignal(signal));
    outcome_add(outcome, FAILURE_CRASH, "", text);
  } else {
    snprintf(key, sizeof key, "%d", WEXITSTATUS(status));
    snprintf(text, sizeof text, "exit status %s%s%s%s", key, printed->last ? ": \"" : "",
             printed->last ? printed->last : "", printed->last ? "\"" : "");
    outcome_add(outcome, FAILURE_EXIT, key, text);
  }
}

// A record that was written after a departure says so (docs/FORMATS.md).
static bool is_after_departure(const struct record *record) {
  cJSON *object = record->json ? cJSON_Parse(record->text) : NULL;
  bool after = !record->json || record_object(object, "departures");
  cJSON_Delete(object);
  return after;
}

static void add_report(struct outcome *outcome, const struct record *record) {
  char text[512];
  bool freed = strncmp(record->type, "heap-use-after-free", 19) == 0;
  bool stuck = strcmp(record->type, "deadlock") == 0 || strcmp(record->type, "livelock") == 0;
  if (strcmp(record->type, "robustness violation") == 0)
    return;
  snprintf(text, sizeof text, "%s%s%s", record->type, *record->place ? " at " : "", record->place);
  if (stuck)
    outcome_add(outcome, FAILURE_HANG, "", text);
  else
    outcome_add(outcome, freed ? FAILURE_USE_AFTER_FREE : FAILURE_REPORT, record->token, text);
}

void outcome_read(struct outcome *outcome, struct outcome *before, const struct run_result *result,
                  const struct records *records, const char *output) {
  struct printed printed = {0};
  char text[128];
  const struct record *crash = deadly(records);
  *outcome = (struct outcome){0};
  for (size_t i = 0; i < records->count; i++)
    if (&records->at[i] != crash)
      add_report(before && !is_after_departure(&records->at[i]) ? before : outcome,
                 &records->at[i]);
  if (has_runtime_failed(records))
    return;
  if (result->hung) {
    snprintf(text, sizeof text, "hangs (ended after %.0f s)", result->seconds);
    outcome_add(outcome, FAILURE_HANG, "", text);
  } else if (result->status != 0) {
    read_output(&printed, output);
    add_end(outcome, result->status, records, &printed);
  } else if (crash) {
    // A child's.
    add_end(outcome, SIGABRT, records, &printed);
  }
  free(printed.assertion);
  free(printed.panic);
  free(printed.last);
}
