// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "outcome.h"

#include <cjson/cJSON.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "need.h"
#include "report/failure.h"
#include "report/record.h"
#include "run/printed.h"

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

// -- how it ended --

// What the runtime reports of a signal that ends the process.
static bool is_crash(const struct record *record) {
  cJSON *object = record->json ? cJSON_Parse(record->text) : NULL;
  bool crash = object && record_is_crash(object);
  cJSON_Delete(object);
  return crash;
}

static const struct record *deadly(const struct records *records) {
  static const char *const types[] = {"SEGV", "BUS",  "FPE",           "ILL",
                                      "TRAP", "ABRT", "stack-overflow"};
  for (size_t i = 0; i < records->count; i++)
    if (is_crash(&records->at[i]))
      return &records->at[i];
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
  const char *token = crash && crash->json ? crash->token : "";
  int signal = signal_of(status);
  if (printed->assertion) {
    outcome_add(outcome, FAILURE_ASSERTION, token, printed->assertion);
  } else if (crash) {
    snprintf(text, sizeof text, "%s%s%s", crash->type, *crash->place ? " at " : "", crash->place);
    outcome_add(outcome, FAILURE_CRASH, token, text);
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

// A record that was written after a departure says so (docs/guide/FORMATS.md).
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
  if (strcmp(record->type, "robustness violation") == 0 || strcmp(record->type, "time-out") == 0)
    return;
  snprintf(text, sizeof text, "%s%s%s", record->type, *record->place ? " at " : "", record->place);
  if (stuck)
    outcome_add(outcome, FAILURE_HANG, record->json ? record->token : "", text);
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
    printed_read(&printed, output);
    add_end(outcome, result->status, records, &printed);
  } else if (crash) {
    // A child's.
    add_end(outcome, SIGABRT, records, &printed);
  }
  printed_free(&printed);
}
