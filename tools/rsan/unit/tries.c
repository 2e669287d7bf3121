// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tries.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <sha256.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/shell.h"
#include "bytes.h"
#include "file/line.h"
#include "file/output.h"
#include "need.h"
#include "progress.h"
#include "report/record.h"
#include "run/departures.h"
#include "run/history.h"

static const char folder_mark[] = "@RUN@";

// -- the file --

static bool read_line(struct try *try, const char *line) {
  cJSON *json = cJSON_Parse(line);
  const char *options = record_text(json, "options"), *places = record_text(json, "places"),
             *state = record_text(json, "state");
  const cJSON *timeout = cJSON_GetObjectItemCaseSensitive(json, "timeout");
  *try = (struct try){.options = need(strdup(options ? options : "")),
                      .places = places ? need(strdup(places)) : NULL,
                      .timeout = cJSON_IsNumber(timeout) ? timeout->valuedouble : -1};
  if (state)
    try->state = bytes_decode(state, &try->state_size);
  bool sound = options && try->timeout > 0 && !state == !try->state;
  cJSON_Delete(json);
  return sound;
}

bool tries_read(struct tries *tries, const char *path, unsigned first, unsigned last, char *reason,
                size_t size) {
  SHA2_CTX digest;
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  bool sound = true;
  *tries = (struct tries){.first = first};
  FILE *file = fopen(path, "r");
  if (!file) {
    snprintf(reason, size, "%s: %s", path, strerror(errno));
    return false;
  }
  SHA256Init(&digest);
  tries->at = need(calloc((size_t)last - first + 1, sizeof *tries->at));
  for (unsigned number = 1; sound && number <= last; number++) {
    length = file_line(&line, &room, file);
    sound = length > 0 && line[length - 1] == '\n';
    if (!sound || number < first)
      continue;
    SHA256Update(&digest, (const uint8_t *)line, (size_t)length);
    sound = read_line(&tries->at[tries->count++], line);
  }
  if (!sound)
    snprintf(reason, size, "%s does not have the runs %u to %u, or they are no tries", path, first,
             last);
  SHA256End(&digest, tries->digest);
  free(line);
  fclose(file);
  return sound;
}

void tries_free(struct tries *tries) {
  for (size_t i = 0; i < tries->count; i++) {
    free(tries->at[i].options);
    free(tries->at[i].places);
    free(tries->at[i].state);
  }
  free(tries->at);
  *tries = (struct tries){0};
}

// -- the runs --

static int begin(void *context, unsigned number, const char *folder) {
  const struct tries *tries = context;
  const struct try *try = &tries->at[number - tries->first];
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/places", folder);
  if (try->places && !file_output(path, try->places, strlen(try->places)))
    return errno;
  snprintf(path, sizeof path, "%s/execution.state", folder);
  if (try->state && !file_output(path, (const char *)try->state, try->state_size))
    return errno;
  return 0;
}

static const char *options(void *context, unsigned number) {
  static char text[6 * PATH_MAX];
  const struct tries *tries = context;
  const char *from = tries->at[number - tries->first].options, *mark;
  const char *folder = run_folder(tries->plan, number);
  size_t used = 0;
  for (; used < sizeof text && (mark = strstr(from, folder_mark)); from = mark + 5)
    used += (size_t)snprintf(text + used, sizeof text - used, "%.*s%s", (int)(mark - from), from,
                             folder);
  if (used < sizeof text)
    snprintf(text + used, sizeof text - used, "%s", from);
  return text;
}

static bool more(void *context) {
  (void)context;
  return true;
}

static bool is_explored(const char *folder) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/execution", folder);
  struct progress progress = {.file = fopen(path, "r")};
  if (!progress.file)
    return false;
  progress_read(&progress);
  bool explored = progress.ended;
  progress_free(&progress);
  return explored;
}

// The runtime's word for it, if it has said one.
static void read_refusal(void *context, const char *path) {
  static const char mark[] = "cannot be resumed: ";
  struct tries *tries = context;
  char *line = NULL;
  size_t room = 0;
  FILE *file = fopen(path, "r");
  while (file && file_line(&line, &room, file) > 0) {
    const char *why = strstr(line, mark);
    if (why)
      snprintf(tries->unfit, sizeof tries->unfit, "%.*s", (int)strcspn(why + strlen(mark), "\n"),
               why + strlen(mark));
  }
  free(line);
  if (file)
    fclose(file);
}

static void check_explored(struct tries *tries, const struct run_result *result) {
  if (!tries->at[result->number - tries->first].state ||
      is_explored(run_folder(tries->plan, result->number)))
    return;
  snprintf(tries->unfit, sizeof tries->unfit,
           "a part of an exploration did not come to its end here: %s %d",
           result->hung                  ? "it took too long, status"
           : WIFSIGNALED(result->status) ? "signal"
                                         : "exit status",
           WIFSIGNALED(result->status) ? WTERMSIG(result->status) : shell_status(result->status));
  run_files(tries->plan, result->number, "report.", read_refusal, tries);
}

// Records how a try ended. Its reports are not printed here: its logs are in the archive.
static bool ended(void *context, const struct run_result *result) {
  static const struct records none;
  struct tries *tries = context;
  struct departures departures;
  int status = result->status;
  if (result->stopped)
    return false;
  check_explored(tries, result);
  departures_read(&departures, tries->plan, result->number);
  const struct past_run run = {.number = result->number,
                               .end = result->hung  ? RUN_HUNG
                                      : status == 0 ? RUN_CLEAN
                                                    : RUN_FAILED,
                               .status = shell_status(status),
                               .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                               .seconds = result->seconds,
                               .departed = departures.count > 0,
                               .ceased = departures_ceased(&departures, result->seconds)};
  departures_free(&departures);
  history_write(tries->plan->history, &run, &none);
  return true;
}

void tries_guide(struct tries *tries, struct run_plan *plan) {
  tries->plan = plan;
  tries->guide = (struct run_guide){tries, more, begin, options, ended};
  plan->guide = &tries->guide;
  plan->schedule = NULL;
  plan->timeout = 0;
  for (size_t i = 0; i < tries->count; i++) {
    if (tries->at[i].timeout > plan->timeout)
      plan->timeout = tries->at[i].timeout;
    plan->same_addresses |= tries->at[i].state != NULL;
  }
}
