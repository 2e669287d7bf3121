// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "end.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "compiler-rt-patch/src/common/rsan_source_name.h"
#include "file/output.h"
#include "frame.h"
#include "need.h"
#include "printed.h"

static const char timed_out[] = "time-out", exited[] = "exit status ", killed[] = "killed by ";

bool end_is_type(const char *type) {
  return strcmp(type, timed_out) == 0 || strcmp(type, FAILED_TEST) == 0 ||
         strncmp(type, exited, sizeof exited - 1) == 0 ||
         strncmp(type, killed, sizeof killed - 1) == 0;
}

// "q.cc:12": the file and the line.
static void add_place(cJSON *record, const char *place) {
  const char *colon = place ? strrchr(place, ':') : NULL;
  if (!colon)
    return;
  cJSON *frame = cJSON_AddObjectToObject(record, "place");
  char *file = need(strndup(place, (size_t)(colon - place)));
  cJSON_AddStringToObject(frame, "file", file);
  cJSON_AddNumberToObject(frame, "line", strtod(colon + 1, NULL));
  free(file);
}

// The same failure has the same one in each run: its last line may have values of the run.
static void add_token(cJSON *record, const char *type, const char *command,
                      const struct printed *printed) {
  char token[17];
  const char *const parts[] = {type, base_name(command), printed->check, printed->panic,
                               printed->test};
  uint64_t hash = RSAN_HASH_START;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i])
      hash = rsan_hash_line(hash, parts[i]);
  snprintf(token, sizeof token, "%016" PRIx64, hash);
  cJSON_AddStringToObject(record, "token", token);
}

static void describe(const struct run_plan *plan, const struct run_process *process, int status,
                     char *type, size_t room, const char **end) {
  (void)plan;
  *end = "exit";
  if (process->hung) {
    *end = "timeout";
    snprintf(type, room, "%s", timed_out);
  } else if (WIFSIGNALED(status)) {
    *end = "signal";
    snprintf(type, room, "%ssignal %d (%s)", killed, WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    snprintf(type, room, "%s%d", exited, WEXITSTATUS(status));
  }
}

static void add_message(cJSON *record, const struct run_plan *plan,
                        const struct run_process *process, int status,
                        const struct printed *printed) {
  char *text = NULL;
  int length = 0;
  if (process->hung)
    length = asprintf(&text,
                      "it was ended after %g s; no process with RSan's runtime has said "
                      "what its threads did",
                      plan->timeout);
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    length = asprintf(&text, "there is no stack: nobody can handle this signal, which the kernel "
                             "sends when memory is used up");
  else if (printed->assertion)
    length = asprintf(&text, "%s", printed->assertion);
  else if (printed->test || printed->last)
    length = asprintf(&text, "%s%s", printed->test ? "failed test " : "",
                      printed->test ? printed->test : printed->last);
  if (length < 0)
    abort();
  if (text)
    cJSON_AddStringToObject(record, "message", text);
  free(text);
}

int end_write(const struct run_plan *plan, const struct run_process *process, int status) {
  char type[128], path[PATH_MAX + 16];
  struct printed printed = {0};
  const char *end;
  const char *folder = run_folder(plan, process->number);
  snprintf(path, sizeof path, "%s/output", folder);
  if (!process->hung && !WIFSIGNALED(status))
    printed_read(&printed, path);
  cJSON *record = cJSON_CreateObject();
  describe(plan, process, status, type, sizeof type, &end);
  cJSON_AddNumberToObject(record, "rsan_report", 1);
  cJSON_AddStringToObject(record, "type", type);
  cJSON_AddNumberToObject(record, "pid", process->pid);
  cJSON_AddStringToObject(record, "program", plan->command[0]);
  add_token(record, type, plan->command[0], &printed);
  cJSON_AddStringToObject(record, "end", end);
  add_message(record, plan, process, status, &printed);
  add_place(record, printed.check ? printed.check : printed.panic);
  char *text = need(cJSON_PrintUnformatted(record)), *line = NULL;
  int length = asprintf(&line, "%s\n", text);
  snprintf(path, sizeof path, "%s/report.end", folder);
  int error = length < 0 || file_output(path, line, (size_t)length) ? 0 : errno;
  free(line);
  cJSON_free(text);
  cJSON_Delete(record);
  printed_free(&printed);
  return error;
}
